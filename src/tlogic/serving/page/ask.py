"""The ask view: a query form, its candidates, the true answers, and the explanation of one candidate."""

from dataclasses import replace

from nicegui import ui
from pydantic import ValidationError

from tlogic.errors import InputError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page import explanation
from tlogic.serving.page.components import bar, box, hint, link, name, run_blocking, table, text
from tlogic.serving.page.display_text import percent, relation_text, shorten
from tlogic.serving.page.relation_picker import RelationPicker
from tlogic.serving.page.search_box import SearchBox, find_entities, find_relations
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_tools import show_tools
from tlogic.serving.page.view_urls import AskUrl

_HOW_TO_READ = (
    "A query names a relation and one entity, and asks for the other one. With a model, the probability is that "
    "of the candidate being an answer on that date, given that there is one; several candidates can be answers. "
    "With rules, the score only ranks candidates. The reasons for the chosen candidate follow, the strongest "
    "first, each with the facts it relies on. Switch a reason off to see the forecast without it. Files contain "
    "the candidates."
)
_N_EXAMPLE_EVENTS = 6
_MORE_FACTOR = 5
"""The link "Show more" multiplies the number of candidates by this."""


def title_of(current: AskUrl) -> str:
    """The title of the view."""
    if not current.relation:
        return "Ask"
    subject, object_ = (shorten(entity, 30) or "?" for entity in (current.subject, current.object))
    query = f"{subject} — {relation_text(current.relation, 30)} → {object_}"
    return f"Why {shorten(current.candidate, 30)}? {query}" if current.candidate else query


async def show(service: Service, current: AskUrl) -> None:
    """Show the view."""
    text("Ask", "h1", "unseen" if current.relation else "")
    await _show_form(service, current)
    show_switched_off(service, current)
    if current.relation:
        await _show_answer(service, current)
    elif not (current.subject or current.object):
        await _show_examples(service, current)
        show_tools("ask", _HOW_TO_READ)


async def _show_answer(service: Service, current: AskUrl) -> None:
    """Show the candidates, and the explanation of the chosen one or else of the first."""
    query = _query_of(current)
    with box(style="columns awaited") as columns:
        forecast = await run_blocking(service.forecast, query, current.top)
        explained = current.candidate or next((each.name for each in forecast.candidates), "")
        with box("section", "stays", "Candidates").props("id=candidates"):
            _show_forecast(forecast, explained, current)
    if explained:
        with columns, box("section", "awaited", "Why"):
            await explanation.show(service, query, explained, current)
            ui.link("Back to the candidates", "#candidates").classes("on-phones")
    show_tools("candidates", _HOW_TO_READ, lambda: [each.model_dump() for each in forecast.candidates])


async def _show_examples(service: Service, current: AskUrl) -> None:
    """Show queries that ask for the object, or for the subject, of the latest events."""
    latest = await run_blocking(service.latest_events, _N_EXAMPLE_EVENTS)
    with box("section", label="Examples"):
        text("Examples", "h2")
        with box("ul", "examples"):
            for index, event in enumerate({(each.subject, each.relation): each for each in latest.events}.values()):
                asks_for_object = index % 2 == 0
                url = AskUrl(
                    current.without,
                    current.version,
                    subject=event.subject if asks_for_object else "",
                    relation=event.relation,
                    object="" if asks_for_object else event.object,
                )
                with box("li"), ui.link(target=str(url)).classes("asked"):
                    _show_query_entity(url.subject or None)
                    text(f"— {relation_text(event.relation)} →", "span", "relation")
                    _show_query_entity(url.object or None)


def _query_of(current: AskUrl) -> schemas.Query:
    """The query in the URL."""
    try:
        return schemas.Query(
            subject=current.subject or None,
            relation=current.relation,
            object=current.object or None,
            at=current.at or None,
            without=list(current.without),
        )
    except ValidationError as error:
        raise InputError("; ".join(f"{each['loc'][0]}: {each['msg']}" for each in error.errors())) from None


async def _show_form(service: Service, current: AskUrl) -> None:
    with box("form", "question", "Query").on("submit", js_handler="(event) => event.preventDefault()"):

        def given() -> AskUrl:
            return AskUrl(
                current.without,
                current.version,
                subject=subject.value,
                relation=relation.value,
                object=object_.value,
                at=(date.value or "").strip(),
            )

        def ask() -> None:
            ui.navigate.to(str(given()))

        async def pick() -> None:
            await picker.update(given())

        entities, relations = find_entities(service), find_relations(service)
        subject = SearchBox("Subject, or empty", entities, value=current.subject, on_enter=ask, on_change=pick)
        relation = SearchBox("Relation", relations, value=current.relation, on_enter=ask)
        object_ = SearchBox("Object, or empty", entities, value=current.object, on_enter=ask, on_change=pick)
        date = ui.input(value=current.at, placeholder="Date, or next").props(
            "outlined dense clearable autocomplete=off"
        )
        date.props["aria-label"] = "Date; empty for the next time step"
        date.on("keydown.enter", ask)
        ui.button("Ask", on_click=ask).props("unelevated no-caps")
    hint(
        "Leave the subject or the object empty to rank the candidates for it. "
        "Without a date, the query is about the next time step."
    )
    picker = RelationPicker(service)
    await picker.update(current)


def _show_forecast(forecast: schemas.Forecast, explained: str, current: AskUrl) -> None:
    _show_query(forecast.question)
    for warning in forecast.warnings:
        hint(f"Warning: {warning}")
    if forecast.by == "fallback":
        hint("No rule predicts an answer; candidates are ranked by how often they were the answer.")
    if forecast.happened:
        _show_true_answers(forecast.happened, current)
    if not forecast.candidates:
        hint("There are no candidates.")
        return
    _show_candidates(forecast.candidates, explained, current)
    if forecast.note is not None:
        hint(forecast.note)
    if len(forecast.candidates) == current.top:
        top = min(current.top * _MORE_FACTOR, schemas.MAX_CANDIDATES)
        ui.link("Show more", str(replace(current, top=top)))


def _show_query(query: schemas.ResolvedQuery) -> None:
    with box("h2", "asked"):
        _show_query_entity(query.subject)
        text(f"— {relation_text(query.relation)} →", "span", "relation")
        _show_query_entity(query.object)
        text(query.at, "span", "muted number")


def _show_query_entity(entity: str | None) -> None:
    if entity is None:
        text("?", "span", "wanted")
    else:
        name(entity)


def _show_true_answers(names: list[str], current: AskUrl) -> None:
    with box("p", "happened"):
        text("What happened:", "span", "muted")
        for each in names:
            link(each, replace(current, candidate=each))


def _show_candidates(candidates: list[schemas.Candidate], explained: str, current: AskUrl) -> None:
    measure = "Score" if candidates[0].probability is None else "Probability"
    with table(["#Rank", "Candidate", "", f"#{measure}"], "Candidates, best first"):
        for each in candidates:
            _show_candidate(each, explained, current)


def _show_candidate(candidate: schemas.Candidate, explained: str, current: AskUrl) -> None:
    """A row with the probability or, if rules ranked the candidate, its score."""
    is_chosen = candidate.name == explained
    share = candidate.score if candidate.probability is None else candidate.probability
    with box("tr", "chosen" if is_chosen else ""):
        text(f"{candidate.rank:,}", "td", "number")
        with box("td", "cell-name"), box(style="candidate"):
            candidate_link = link(candidate.name, replace(current, candidate=candidate.name))
            if is_chosen:
                candidate_link.props("aria-current=true")
            if candidate.came_true:
                text("✓ came true", "span", "came-true")
        with box("td", "cell-bar"):
            bar(share)
        shown = f"{candidate.score:.4f}" if candidate.probability is None else percent(candidate.probability)
        text(shown, "td", "number")
