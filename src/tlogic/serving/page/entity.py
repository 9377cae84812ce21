"""The entity view: past events, and the most likely next events."""

from dataclasses import replace
from typing import NamedTuple

from nicegui import ui

from tlogic.errors import InputError, TLogicError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import (
    bar,
    box,
    drawing,
    entity_tiles,
    fact_list,
    hint,
    link,
    name,
    pager,
    problem,
    run_blocking,
    text,
)
from tlogic.serving.page.display_text import percent, pluralize, relation_text
from tlogic.serving.page.timeline_chart import draw_timeline
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_urls import AskUrl, EntityUrl

_EVENTS_PER_PAGE, _MAX_CHART_EVENTS, _MAX_EXPECTED_EVENTS, _MAX_SUGGESTIONS = 20, 200, 10, 6


class _History(NamedTuple):
    name: str
    """As spelled in the data."""
    page: schemas.EventPage
    chart_events: list[schemas.Fact]
    chart_steps: list[int]


def title_of(current: EntityUrl) -> str:
    """The title of the view."""
    return current.name or "Entity"


async def show(service: Service, current: EntityUrl) -> None:
    """Show the view."""
    try:
        history = await run_blocking(_history, service, current)
    except InputError as error:
        problem(str(error))
        await _suggest(service, current)
        return
    with box(style="title"):
        name(history.name, "h1")
        text(pluralize(history.page.total, "event"), "span", "muted number")
        ask = AskUrl(current.without, current.version, subject=history.name)
        ui.link("Ask about this entity", str(ask)).classes("action")
    show_switched_off(service, current, "The likely next events below are computed with all of them switched on.")
    with box(style="columns"):
        with box("section", "awaited", "Likely next events") as expected:
            text("Likely next events", "h2")
        with box("section", label="Past events"):
            _show_events(history, current)
    with expected:
        await _show_outlook(service, history.name, current)


async def _suggest(service: Service, current: EntityUrl) -> None:
    """Suggest entities with a name similar to an unknown one."""
    similar = await run_blocking(service.entities, current.name, _MAX_SUGGESTIONS)
    if similar.entities:
        with box("section", label="Similar names"):
            text("Entities with a similar name", "h2")
            entity_tiles(similar.entities, current)


def _history(service: Service, current: EntityUrl) -> _History:
    with service.live_store.reading() as graph:
        entity = graph.entities.name_of(graph.entities.id_of(current.name))
        step_of = graph.timeline.step_of
    page = service.events(entity, None, (current.page - 1) * _EVENTS_PER_PAGE, _EVENTS_PER_PAGE)
    chart_events = service.events(entity, None, 0, _MAX_CHART_EVENTS).events
    return _History(entity, page, chart_events, [step_of(event.time) for event in chart_events])


def _show_events(history: _History, current: EntityUrl) -> None:
    text("Past events", "h2")
    if history.chart_events:
        drawing(draw_timeline(history.name, history.chart_events, history.chart_steps))
        hint("● as subject   ○ as object")
    fact_list(history.page.events, replace(current, name=history.name))
    pager(current, len(history.page.events), _EVENTS_PER_PAGE, history.page.total)


async def _show_outlook(service: Service, entity: str, current: EntityUrl) -> None:
    try:
        outlook = await run_blocking(service.expected_events, entity, None, _MAX_EXPECTED_EVENTS)
    except TLogicError as error:
        problem(str(error))
        return
    if not outlook.expected:
        hint("No event is expected.")
        return
    hint(f"On {outlook.at}, over all relations")
    with box("ol", "expected"):
        for each in outlook.expected:
            _show_expected(each, current)


def _show_expected(expected: schemas.ExpectedEvent, current: EntityUrl) -> None:
    query = expected.question
    explanation = AskUrl(
        current.without,
        current.version,
        subject=query.subject or "",
        relation=query.relation,
        object=query.object or "",
        candidate=expected.candidate,
    )
    with box("li"):
        with box("span", "phrase"):
            if query.object is None:
                text(f"this entity — {relation_text(query.relation)} →", "span", "relation")
            link(expected.candidate, explanation)
            if query.object is not None:
                text(f"— {relation_text(query.relation)} → this entity", "span", "relation")
        bar(expected.likelihood)
        text(percent(expected.likelihood), "span", "number").props["title"] = (
            f"{percent(expected.rate)} of time steps have this relation; the candidate has score {expected.score:.4f}"
        )
