"""The explanation of a candidate: rules with their facts and diagrams, or the evidence of a model."""

from collections.abc import Sequence

from nicegui import ui

from tlogic.explaining.combinations import COMBINATIONS
from tlogic.explaining.model_explanation import signed
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import (
    bar,
    box,
    drawing,
    fact_list,
    hint,
    labelled,
    name,
    run_blocking,
    strongest_first,
    text,
)
from tlogic.serving.page.display_text import percent, pluralize, relation_text
from tlogic.serving.page.grounding_diagram import draw_grounding
from tlogic.serving.page.toggles import toggle_link
from tlogic.serving.page.view_urls import AskUrl, EntityUrl

_MAX_GROUNDINGS, _MAX_REASONS = 3, 30


async def show(service: Service, query: schemas.Query, candidate: str, current: AskUrl) -> None:
    """Show the explanation of a candidate. If it is the one in the URL, it gets the focus."""
    explanation = await run_blocking(service.explain, query, candidate, _MAX_GROUNDINGS)
    _show_heading(explanation, current)
    _show_reasons(explanation, current)
    _show_contributions(explanation, current)
    _show_other_weights([each.weight for each in explanation.contributions if not each.has_evidence])
    if not (explanation.reasons or explanation.contributions):
        text(explanation.text, "p", "explanation-text", max_length=4000)
    n_more = len(explanation.reasons) - _MAX_REASONS
    if n_more > 0:
        hint(f"{pluralize(n_more, 'weaker rule also predicts', 'weaker rules also predict')} it.")
    if current.candidate:
        ui.run_javascript("requestAnimationFrame(showExplanation)")


def _show_reasons(explanation: schemas.Explanation, current: AskUrl) -> None:
    strongest_first(
        explanation.reasons[:_MAX_REASONS],
        lambda index, reason: _show_reason(explanation, reason, current, is_open=index == 0),
        "rule",
    )


def _show_contributions(explanation: schemas.Explanation, current: AskUrl) -> None:
    """Show the contributions of kinds of evidence, each fact with the strongest one that has it."""
    cited: list[schemas.Fact] = []

    def show_one(index: int, contribution: schemas.Contribution) -> None:
        new = [fact for fact in contribution.facts if fact not in cited]
        _show_contribution(explanation, contribution, new, current, is_open=index == 0)
        cited.extend(new)

    shown = [each for each in explanation.contributions if each.has_evidence][:_MAX_REASONS]
    strongest_first(shown, show_one, "reason")


def _show_heading(explanation: schemas.Explanation, current: AskUrl) -> None:
    with box("h2").props("id=why tabindex=-1"):
        text("Why ", "span")
        name(explanation.candidate)
        text("?", "span")
    n_candidates = f"{explanation.candidates:,}"
    rank = f"Not among {n_candidates}" if explanation.rank is None else f"Rank {explanation.rank:,} of {n_candidates}"
    probability = "" if explanation.probability is None else f" · probability {percent(explanation.probability)}"
    with box("p", "hint"):
        text(f"{rank} candidates · score {explanation.score:.4f}{probability} · {_summary(explanation)} · ", "span")
        ui.link("all events", str(EntityUrl(current.without, current.version, name=explanation.candidate)))


def _summary(explanation: schemas.Explanation) -> str:
    if explanation.contributions:
        return "sum of the evidence below"
    rules = pluralize(len(explanation.reasons), "rule predicts", "rules predict")
    return f"{rules} it · the score ranks candidates and is not a probability"


def _show_reason(explanation: schemas.Explanation, reason: schemas.Reason, current: AskUrl, is_open: bool) -> None:
    with box("article", "reason"):
        with box(style="reason-head"):
            text(reason.rule.words, "h3")
            toggle_link(current, reason.rule.id, explanation.version, reason.rule.words)
        with box(style="parts"):
            parts = f"{reason.confidence_part:.4f} + {reason.recency_part:.4f}"
            score = labelled("Score of the rule", f"{reason.score:.4f}", parts)
            score.props["title"] = "Confidence part + recency part"
            labelled("Score without it", f"{reason.score_without:.4f}")
            support = f"{reason.rule.rule_support:,} of {reason.rule.body_support:,}"
            labelled("Confidence", percent(reason.rule.confidence), support)
            labelled("First fact", f"{reason.age} before")
        bar(reason.score)
        if reason.groundings:
            strongest, *others = reason.groundings
            with _show_grounding(strongest, explanation, current, is_open):
                _show_other_groundings(others, current)


def _show_contribution(
    explanation: schemas.Explanation,
    contribution: schemas.Contribution,
    facts: Sequence[schemas.Fact],
    current: AskUrl,
    is_open: bool,
) -> None:
    largest = max(abs(each.weight) for each in explanation.contributions) or 1.0
    with box("article", "reason"):
        with box(style="reason-head"):
            text(contribution.sentence, "h3")
            if contribution.id != COMBINATIONS:
                toggle_link(current, contribution.id, explanation.version, contribution.sentence)
        with box(style="parts"):
            labelled("Contribution", signed(contribution.weight))
            labelled("Kind of evidence", relation_text(contribution.id))
            labelled("Facts", f"{contribution.facts_in_all:,}")
        bar(abs(contribution.weight) / largest, "against" if contribution.weight < 0 else "")
        if facts:
            _show_grounding(facts, explanation, current, is_open)


def _show_other_weights(weights: Sequence[float]) -> None:
    if weights:
        kinds = pluralize(len(weights), "other kind of evidence adds", "other kinds of evidence add")
        hint(f"{kinds} {signed(sum(weights))} to the score without facts about this candidate.")


def _show_other_groundings(groundings: Sequence[Sequence[schemas.Fact]], current: AskUrl) -> None:
    if groundings:
        hint("Earlier facts that match the rule as well:")
    for grounding in groundings:
        fact_list(grounding, current)


def _show_grounding(
    facts: Sequence[schemas.Fact], explanation: schemas.Explanation, current: AskUrl, is_open: bool
) -> ui.element:
    """Show facts and their diagram in a section that opens and closes; the caller can add to the section."""
    fact_list(facts, current)
    with box("details") as details:
        if is_open:
            details.props("open")
        text("Diagram", "summary")
        drawing(draw_grounding(facts, explanation.question, explanation.candidate))
    return details
