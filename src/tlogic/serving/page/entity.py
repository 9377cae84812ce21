"""The entity view: past events, and the most likely next events."""

from dataclasses import replace

from nicegui import ui

from tlogic.errors import TLogicError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import (
    bar,
    box,
    hint,
    link,
    name,
    problem,
    run_blocking,
    text,
)
from tlogic.serving.page.display_text import percent, pluralize, relation_text
from tlogic.serving.page.event_history import event_rows, load_history, show_history
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_tools import show_tools
from tlogic.serving.page.view_urls import AskUrl, EntityUrl, OutlookUrl, ViewUrl

_MAX_EXPECTED_EVENTS = 10
_HOW_TO_READ = (
    "Likely next events are about the next time step. With a model, the percentage is the probability that the event "
    "happens at least once then; with rules, it only ranks events. The timeline shows the last events, one row per "
    "relation: a filled dot if this entity is the subject, a hollow one if it is the object. Click on a name for its "
    "view, and on a relation for the view of that event. Files contain the past events, the newest first."
)


def title_of(current: EntityUrl) -> str:
    """The title of the view."""
    return current.name or "Entity"


async def show(service: Service, current: EntityUrl) -> None:
    """Show the view."""
    history = await run_blocking(load_history, service, current.name, None, current.page)
    with box(style="title"):
        name(history.entity, "h1")
        text(pluralize(history.page.total, "event"), "span", "muted number")
        ask = AskUrl(current.without, current.version, subject=history.entity)
        ui.link("Ask about this entity", str(ask)).classes("action")
    show_switched_off(service, current, "The likely next events below are computed with all of them switched on.")
    with box(style="columns"):
        with box("section", "awaited", "Likely next events") as expected:
            text("Likely next events", "h2")
        with box("section", label="Past events"):
            show_history(history, replace(current, name=history.entity))
    with expected:
        await _show_next_events(service, history.entity, current)
    show_tools("events", _HOW_TO_READ, lambda: event_rows(service, history.entity, None))


async def _show_next_events(service: Service, entity: str, current: EntityUrl) -> None:
    """Show likely next events with probabilities or, if rules are in use, ranked by rules."""
    try:
        if service.monitor.has_occurrence:
            outlook = await run_blocking(service.monitor.outlook, entity, top=_MAX_EXPECTED_EVENTS)
            _show_outlook(outlook, entity, current)
        else:
            expected = await run_blocking(service.expected_events, entity, None, _MAX_EXPECTED_EVENTS)
            _show_ranking(expected, current)
    except TLogicError as error:
        problem(str(error))


def _show_outlook(outlook: schemas.Outlook, entity: str, current: EntityUrl) -> None:
    with box("p", "hint"):
        text(f"On {outlook.since}, over all relations · ", "span")
        ui.link("other periods", str(OutlookUrl(current.without, current.version, entity=entity, horizon="1")))
    with box("ol", "expected"):
        for each in outlook.events:
            url = OutlookUrl(
                current.without,
                current.version,
                entity=entity,
                why_subject=each.subject,
                why_relation=each.relation,
                why_object=each.object,
            )
            is_subject = each.subject == entity
            other = each.object if is_subject else each.subject
            _show_expected(other, each.relation, is_subject, url, each.probability)


def _show_ranking(expected: schemas.ExpectedEvents, current: EntityUrl) -> None:
    if not expected.expected:
        hint("No event is expected.")
        return
    hint(f"On {expected.at}, over all relations. Rules rank events; the shares are no probabilities.")
    with box("ol", "expected"):
        for each in expected.expected:
            query = each.question
            url = AskUrl(
                current.without,
                current.version,
                subject=query.subject or "",
                relation=query.relation,
                object=query.object or "",
                candidate=each.candidate,
            )
            _show_expected(each.candidate, query.relation, query.object is None, url, each.likelihood)


def _show_expected(other: str, relation: str, is_subject: bool, why: ViewUrl, share: float) -> None:
    with box("li"):
        with box("span", "phrase"):
            if is_subject:
                text(f"this entity — {relation_text(relation)} →", "span", "relation")
            link(other, why)
            if not is_subject:
                text(f"— {relation_text(relation)} → this entity", "span", "relation")
        bar(share)
        text(percent(share), "span", "number")
