"""The view of an entity: what happened, and what is likely next."""

from dataclasses import replace
from typing import NamedTuple

from nicegui import ui

from tlogic.errors import InputError, TLogicError
from tlogic.serving import messages as say
from tlogic.serving.answering.service import Service
from tlogic.serving.page.addresses import AskAddress, EntityAddress
from tlogic.serving.page.parts import (
    answer_of,
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
    text,
)
from tlogic.serving.page.switches import show_switched_off
from tlogic.serving.page.texts import counted, percent, spoken
from tlogic.serving.page.timeline import draw_timeline

_ON_PAGE, _ON_CHART, _LIKELY, _SUGGESTED = 20, 200, 10, 6


class _History(NamedTuple):
    name: str
    """As the data has it, however it was spelled."""
    page: say.EventPage
    charted: list[say.Fact]
    steps: list[int]


def title_of(here: EntityAddress) -> str:
    """What the view is called."""
    return here.name or "Entity"


async def show(service: Service, here: EntityAddress) -> None:
    """Show the view."""
    try:
        history = await answer_of(_history, service, here)
    except InputError as error:
        problem(str(error))
        await _suggest(service, here)
        return
    with box(style="title"):
        name(history.name, "h1")
        text(counted(history.page.total, "event"), "span", "muted number")
        ui.link("Ask about it", str(AskAddress(here.without, here.version, subject=history.name))).classes("action")
    show_switched_off(service, here, "What is likely next is told with all of them on.")
    with box(style="columns"):
        with box("section", "awaited", "What is likely next") as expected:
            text("What is likely next", "h2")
        with box("section", label="Events"):
            _show_events(history, here)
    with expected:
        await _show_outlook(service, history.name, here)


async def _suggest(service: Service, here: EntityAddress) -> None:
    """The entities that may be meant by a name that none has."""
    alike = await answer_of(service.entities, here.name, _SUGGESTED)
    if alike.entities:
        with box("section", label="Alike"):
            text("Entities with a name alike", "h2")
            entity_tiles(alike.entities, here)


def _history(service: Service, here: EntityAddress) -> _History:
    with service.world.reading() as graph:
        entity = graph.entities.name_of(graph.entities.id_of(here.name))
        step_of = graph.timeline.step_of
    page = service.events(entity, None, (here.page - 1) * _ON_PAGE, _ON_PAGE)
    charted = service.events(entity, None, 0, _ON_CHART).events
    return _History(entity, page, charted, [step_of(event.time) for event in charted])


def _show_events(history: _History, here: EntityAddress) -> None:
    text("What happened", "h2")
    if history.charted:
        picture(draw_timeline(history.name, history.charted, history.steps))
        hint("● it acts   ○ it is acted upon")
    fact_list(history.page.events, replace(here, name=history.name))
    pager(here, len(history.page.events), _ON_PAGE, history.page.total)


async def _show_outlook(service: Service, entity: str, here: EntityAddress) -> None:
    try:
        outlook = await answer_of(service.outlook, entity, None, _LIKELY)
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


def _show_expected(expected: say.Expected, here: EntityAddress) -> None:
    asked = expected.question
    why = AskAddress(
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
