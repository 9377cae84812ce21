"""Why a candidate stands where it does: rules with their facts and pictures, or the evidence that a model weighs."""

from collections.abc import Sequence

from nicegui import ui

from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import bar, box, fact_list, hint, name, picture, run_blocking, text
from tlogic.serving.page.display_text import counted, percent, spoken
from tlogic.serving.page.grounding_diagram import draw_grounding
from tlogic.serving.page.toggles import switch
from tlogic.serving.page.view_urls import AskUrl, EntityUrl

_GROUNDINGS, _SHOWN = 3, 30


async def show(service: Service, question: schemas.Question, here: AskUrl) -> None:
    """Show the explanation of the candidate in the address."""
    why = await run_blocking(service.explain, question, here.candidate, _GROUNDINGS)
    _show_heading(why, here)
    for place, reason in enumerate(why.reasons[:_SHOWN]):
        _show_reason(why, reason, here, is_open=place == 0)
    for place, contribution in enumerate(why.contributions[:_SHOWN]):
        _show_contribution(why, contribution, here, is_open=place == 0)
    if not (why.reasons or why.contributions):
        text(why.text, "p", "told", longest=4000)
    if len(why.reasons) > _SHOWN:
        hint(f"{counted(len(why.reasons) - _SHOWN, 'weaker rule leads', 'weaker rules lead')} to it, too.")
    ui.run_javascript("requestAnimationFrame(showExplanation)")


def _show_heading(why: schemas.Explanation, here: AskUrl) -> None:
    with box("h2").props("id=why tabindex=-1"):
        text("Why ", "span")
        name(why.candidate)
        text("?", "span")
    place = f"Rank {why.rank:,} of {why.candidates:,}" if why.rank is not None else f"Not among {why.candidates:,}"
    likely = "" if why.probability is None else f" · probability {percent(why.probability)}"
    with box("p", "hint"):
        text(f"{place} candidates · score {why.score:.4f}{likely} · {_told_reasons(why)} · ", "span")
        ui.link("all its events", str(EntityUrl(here.without, here.version, name=why.candidate)))


def _told_reasons(why: schemas.Explanation) -> str:
    if why.contributions:
        return "a sum of evidence"
    return f"{counted(len(why.reasons), 'rule leads', 'rules lead')} to it"


def _show_reason(why: schemas.Explanation, reason: schemas.Reason, here: AskUrl, is_open: bool) -> None:
    with box("article", "reason"):
        with box(style="reason-head"):
            text(reason.rule.words, "h3")
            switch(here, reason.rule.id, why.version, reason.rule.words)
        with box(style="parts"):
            parts = f"{reason.confidence_part:.4f} + {reason.recency_part:.4f}"
            whole = _part("Contribution", f"{reason.score:.4f}", parts)
            whole.props["title"] = "From its confidence, and from how recent it is"
            _part("Score without it", f"{reason.score_without:.4f}")
            _part(
                "Confidence",
                percent(reason.rule.confidence),
                f"{reason.rule.rule_support:,} of {reason.rule.body_support:,}",
            )
            _part("Began", f"{reason.age} before")
        bar(reason.score)
        if reason.groundings:
            strongest, *others = reason.groundings
            with _show_grounding(strongest, why, here, is_open):
                _show_others(others, here)


def _show_contribution(
    why: schemas.Explanation, contribution: schemas.Contribution, here: AskUrl, is_open: bool
) -> None:
    most = max(abs(each.weight) for each in why.contributions) or 1.0
    with box("article", "reason"):
        with box(style="reason-head"):
            text(contribution.sentence, "h3")
            switch(here, contribution.id, why.version, contribution.sentence)
        with box(style="parts"):
            _part("Contribution", f"{contribution.weight:+.4f}")
            _part("Kind of evidence", spoken(contribution.id))
            _part("Facts", f"{contribution.facts_in_all:,}")
        bar(abs(contribution.weight) / most, "against" if contribution.weight < 0 else "")
        if contribution.facts:
            _show_grounding(contribution.facts, why, here, is_open)


def _show_others(groundings: Sequence[Sequence[schemas.Fact]], here: AskUrl) -> None:
    if groundings:
        hint("It leads there from earlier facts, too:")
    for grounding in groundings:
        fact_list(grounding, here)


def _part(label: str, value: str, remark: str = "") -> ui.element:
    with box() as part:
        text(label, "span", "muted")
        text(value, "span", "number")
        if remark:
            text(remark, "span", "muted number")
    return part


def _show_grounding(facts: Sequence[schemas.Fact], why: schemas.Explanation, here: AskUrl, is_open: bool) -> ui.element:
    """The facts, and in a part that opens and closes their picture; the part can take more."""
    fact_list(facts, here)
    with box("details") as details:
        if is_open:
            details.props("open")
        text("Picture", "summary")
        picture(draw_grounding(facts, why.question, why.candidate))
    return details
