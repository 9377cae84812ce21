"""The view of a question: its candidates, what really happened, and why one of them."""

from dataclasses import replace

from nicegui import ui
from pydantic import ValidationError

from tlogic.errors import InputError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page import explanation
from tlogic.serving.page.components import bar, box, hint, link, name, run_blocking, table, text
from tlogic.serving.page.display_text import percent, shorten, spoken
from tlogic.serving.page.search_box import SearchBox, find_entities, find_relations
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_urls import AskUrl

_MORE = 5
"""How many times as many candidates are shown by who asks for more."""


def title_of(here: AskUrl) -> str:
    """What the view is called."""
    if not here.relation:
        return "Ask"
    ends = [shorten(end, 30) or "?" for end in (here.subject, here.object)]
    question = f"{ends[0]} — {spoken(here.relation, 30)} → {ends[1]}"
    return f"Why {shorten(here.candidate, 30)}? {question}" if here.candidate else question


async def show(service: Service, here: AskUrl) -> None:
    """Show the view."""
    text("Ask", "h1", "unseen" if here.relation else "")
    _show_form(service, here)
    show_switched_off(service, here)
    if not (here.subject or here.relation or here.object):
        return
    question = _question_of(here)
    with box(style="columns awaited") as answers:
        forecast = await run_blocking(service.forecast, question, here.top)
        with box("section", label="Candidates"):
            _show_forecast(forecast, here)
    if here.candidate:
        with answers, box("section", "awaited", "Why"):
            await explanation.show(service, question, here)


def _question_of(here: AskUrl) -> schemas.Question:
    """What the address asks."""
    if not here.relation:
        raise InputError("A question names a relation.")
    try:
        return schemas.Question(
            subject=here.subject or None,
            relation=here.relation,
            object=here.object or None,
            at=here.at or None,
            without=list(here.without),
        )
    except ValidationError as error:
        raise InputError("; ".join(f"{each['loc'][0]}: {each['msg']}" for each in error.errors())) from None


def _show_form(service: Service, here: AskUrl) -> None:
    with box("form", "question", "Question").on("submit", js_handler="(event) => event.preventDefault()"):

        def ask() -> None:
            asked = AskUrl(
                here.without,
                here.version,
                subject=subject.value,
                relation=relation.value,
                object=object_.value,
                at=(date.value or "").strip(),
            )
            ui.navigate.to(str(asked))

        entities, relations = find_entities(service), find_relations(service)
        subject = SearchBox("Subject, or empty", entities, value=here.subject, on_enter=ask)
        relation = SearchBox("Relation", relations, value=here.relation, on_enter=ask)
        object_ = SearchBox("Object, or empty", entities, value=here.object, on_enter=ask)
        date = ui.input(value=here.at, placeholder="Date, or next").props("outlined dense clearable autocomplete=off")
        date.props["aria-label"] = "Date; empty for the next step"
        date.on("keydown.enter", ask)
        ui.button("Ask", on_click=ask).props("unelevated no-caps")
    hint("Who comes in the empty place? Leave the subject or the object empty; without a date, the next step is meant.")


def _show_forecast(forecast: schemas.Forecast, here: AskUrl) -> None:
    _show_question(forecast.question)
    if forecast.by == "fallback":
        hint("No rule leads to an answer; candidates are ranked by how often they were one.")
    if forecast.happened:
        _show_happened(forecast.happened, here)
    if not forecast.candidates:
        hint("There are no candidates.")
        return
    _show_candidates(forecast.candidates, here)
    if len(forecast.candidates) == here.top:
        ui.link("Show more", str(replace(here, top=min(here.top * _MORE, 1000))))


def _show_question(asked: schemas.Asked) -> None:
    with box("h2", "asked"):
        _show_asked_end(asked.subject)
        text(f"— {spoken(asked.relation)} →", "span", "relation")
        _show_asked_end(asked.object)
        text(asked.at, "span", "muted number")


def _show_asked_end(end: str | None) -> None:
    if end is None:
        text("?", "span", "wanted")
    else:
        name(end)


def _show_happened(happened: list[str], here: AskUrl) -> None:
    with box("p", "happened"):
        text("What happened:", "span", "muted")
        for each in happened:
            link(each, replace(here, candidate=each))


def _show_candidates(candidates: list[schemas.Candidate], here: AskUrl) -> None:
    by_model = candidates[0].probability is not None
    best = max(abs(each.score) for each in candidates) or 1.0
    headings = ["#Rank", "Candidate", "", "#Score", *(["#Probability"] if by_model else [])]
    with table(headings, "Candidates, best first"):
        for each in candidates:
            _show_candidate(each, here, each.score / best if each.probability is None else each.probability)


def _show_candidate(candidate: schemas.Candidate, here: AskUrl, share: float) -> None:
    chosen = candidate.name == here.candidate
    with box("tr", "chosen" if chosen else ""):
        text(f"{candidate.rank:,}", "td", "number")
        with box("td", "cell-name"), box(style="candidate"):
            way = link(candidate.name, replace(here, candidate=candidate.name))
            if chosen:
                way.props("aria-current=true")
            if candidate.came_true:
                text("✓ came true", "span", "came-true")
        with box("td", "cell-bar"):
            bar(share)
        text(f"{candidate.score:.4f}", "td", "number")
        if candidate.probability is not None:
            text(percent(candidate.probability), "td", "number")
