"""The view of an entity: what happened, and what is likely next."""

from dataclasses import replace
from typing import NamedTuple

from nicegui import ui

from tlogic.errors import InputError, TLogicError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import (
    bar,
    box,
    entity_tiles,
    fact_list,
    hint,
    link,
    name,
    pager,
    picture,
    problem,
    run_blocking,
    text,
)
from tlogic.serving.page.display_text import counted, percent, spoken
from tlogic.serving.page.timeline_chart import draw_timeline
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_urls import AskUrl, EntityUrl

_ON_PAGE, _ON_CHART, _LIKELY, _SUGGESTED = 20, 200, 10, 6


class _History(NamedTuple):
    name: str
    """As the data has it, however it was spelled."""
    page: schemas.EventPage
    charted: list[schemas.Fact]
    steps: list[int]


def title_of(here: EntityUrl) -> str:
    """What the view is called."""
    return here.name or "Entity"


async def show(service: Service, here: EntityUrl) -> None:
    """Show the view."""
    try:
        history = await run_blocking(_history, service, here)
    except InputError as error:
        problem(str(error))
        await _suggest(service, here)
        return
    with box(style="title"):
        name(history.name, "h1")
        text(counted(history.page.total, "event"), "span", "muted number")
        ui.link("Ask about it", str(AskUrl(here.without, here.version, subject=history.name))).classes("action")
    show_switched_off(service, here, "What is likely next is told with all of them on.")
    with box(style="columns"):
        with box("section", "awaited", "What is likely next") as expected:
            text("What is likely next", "h2")
        with box("section", label="Events"):
            _show_events(history, here)
    with expected:
        await _show_outlook(service, history.name, here)


async def _suggest(service: Service, here: EntityUrl) -> None:
    """The entities that may be meant by a name that none has."""
    alike = await run_blocking(service.entities, here.name, _SUGGESTED)
    if alike.entities:
        with box("section", label="Alike"):
            text("Entities with a name alike", "h2")
            entity_tiles(alike.entities, here)


def _history(service: Service, here: EntityUrl) -> _History:
    with service.live_store.reading() as graph:
        entity = graph.entities.name_of(graph.entities.id_of(here.name))
        step_of = graph.timeline.step_of
    page = service.events(entity, None, (here.page - 1) * _ON_PAGE, _ON_PAGE)
    charted = service.events(entity, None, 0, _ON_CHART).events
    return _History(entity, page, charted, [step_of(event.time) for event in charted])


def _show_events(history: _History, here: EntityUrl) -> None:
    text("What happened", "h2")
    if history.charted:
        picture(draw_timeline(history.name, history.charted, history.steps))
        hint("● it acts   ○ it is acted upon")
    fact_list(history.page.events, replace(here, name=history.name))
    pager(here, len(history.page.events), _ON_PAGE, history.page.total)


async def _show_outlook(service: Service, entity: str, here: EntityUrl) -> None:
    try:
        outlook = await run_blocking(service.outlook, entity, None, _LIKELY)
    except TLogicError as error:
        problem(str(error))
        return
    if not outlook.expected:
        hint("Nothing is known that would lead on from here.")
        return
    hint(f"On {outlook.at}, over all relations")
    with box("ol", "expected"):
        for each in outlook.expected:
            _show_expected(each, here)


def _show_expected(expected: schemas.Expected, here: EntityUrl) -> None:
    asked = expected.question
    why = AskUrl(
        here.without,
        here.version,
        subject=asked.subject or "",
        relation=asked.relation,
        object=asked.object or "",
        candidate=expected.candidate,
    )
    with box("li"):
        with box("span", "phrase"):
            if asked.object is None:
                text(f"it — {spoken(asked.relation)} →", "span", "relation")
            link(expected.candidate, why)
            if asked.object is not None:
                text(f"— {spoken(asked.relation)} → it", "span", "relation")
        bar(expected.likelihood)
        text(percent(expected.likelihood), "span", "number").props["title"] = (
            f"{percent(expected.rate)} of steps have this relation; the candidate scores {expected.score:.4f}"
        )
