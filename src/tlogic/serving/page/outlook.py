"""The outlook view: likely events of an entity, a pair, a relation or anywhere, and why."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from nicegui import ui

from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.time_limit import TimeLimit
from tlogic.serving.page import occurrence_explanation
from tlogic.serving.page.components import bar, box, cell, event_phrase, hint, run_blocking, table, text
from tlogic.serving.page.display_text import percent, relation_text, shorten
from tlogic.serving.page.search_box import SearchBox, find_entities, find_relations
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_tools import Row, show_tools
from tlogic.serving.page.view_urls import OutlookUrl

_MORE_FACTOR = 5
"""The link "Show more" multiplies the number of events by this."""
_HOW_TO_READ = (
    "The probability that each event happens at least once within the period. So far: how often it happened before. "
    "Median wait: the time within which it is as likely as not. Why? shows what multiplies its odds, and its "
    "probability by date. Files contain the listed events."
)
_NEW = {"known pair": "never", "new pair": "new pair"}


class _Found(NamedTuple):
    outlook: schemas.Outlook
    waits: list[str]
    """The median waiting time of each event, as text."""


def title_of(current: OutlookUrl) -> str:
    """The title of the view."""
    event = current.event_to_explain
    if event is not None:
        return f"Why {shorten(event[0], 30)} — {relation_text(event[1], 30)} → {shorten(event[2], 30)}?"
    entities = " and ".join(shorten(each, 30) for each in (current.entity, current.other) if each)
    parts = [each for each in (entities, relation_text(current.relation, 30)) if each]
    return ": ".join(["Outlook", *(["; ".join(parts)] if parts else [])])


async def show(service: Service, current: OutlookUrl) -> None:
    """Show the view."""
    text("Outlook", "h1")
    _show_form(service, current)
    show_switched_off(service, current, "The probabilities below are computed with all of them switched on.")
    with box(style="awaited") as waiting:
        found = await run_blocking(_find, service, current)
    waiting.delete()
    if current.event_to_explain is not None:
        with box("section", "awaited", "Why"):
            await occurrence_explanation.show(service, current.event_to_explain, current)
    with box("section", label="Likely events"):
        _show_events(found, current)
    show_tools("outlook", _HOW_TO_READ, lambda: [_row(event) for event in found.outlook.events])


def _show_form(service: Service, current: OutlookUrl) -> None:
    with box("form", "question outlook-form", "Events").on("submit", js_handler="(event) => event.preventDefault()"):

        def apply() -> None:
            url = OutlookUrl(
                current.without,
                current.version,
                entity=entity.value,
                other=other.value,
                relation=relation.value,
                at=(date.value or "").strip(),
                horizon=(horizon.value or "").strip() or OutlookUrl.horizon,
                new=int(new.value),
            )
            ui.navigate.to(str(url))

        entities = find_entities(service)
        entity = SearchBox("Entity, or any", entities, value=current.entity, on_enter=apply)
        other = SearchBox("With, or any", entities, value=current.other, on_enter=apply)
        relation = SearchBox("Relation, or any", find_relations(service), value=current.relation, on_enter=apply)
        date = ui.input(value=current.at, placeholder="Date, or next")
        horizon = ui.input(value=current.horizon, placeholder="Horizon")
        labels = "First date; empty for the next time step", "Horizon: a number of time steps, or a period such as 7d"
        for field, label in zip((date, horizon), labels, strict=True):
            field.props("outlined dense autocomplete=off").props["aria-label"] = label
            field.on("keydown.enter", apply)
        horizon.props("prefix=within")
        new = ui.checkbox("Only new", value=bool(current.new)).props("dense")
        ui.button("Show", on_click=apply).props("unelevated no-caps")
    hint(
        "The probability that an event happens at least once within the horizon: a number of time steps, or a period "
        "such as 7d. With an entity, another one and a relation, the event is exactly that."
    )


def _find(service: Service, current: OutlookUrl) -> _Found:
    outlook = service.monitor.outlook(
        current.entity or None,
        current.other or None,
        current.relation or None,
        current.at or None,
        horizon=current.horizon,
        top=current.top,
        new=bool(current.new),
        limit=TimeLimit.seconds(occurrence_explanation.MAX_SECONDS),
    )
    with service.live_store.reading() as graph:
        span = graph.timeline.span_of
        waits = ["longer" if each.median_wait is None else span(each.median_wait) for each in outlook.events]
    return _Found(outlook, waits)


def _show_events(found: _Found, current: OutlookUrl) -> None:
    outlook = found.outlook
    with box("h2", "asked"):
        text("Likely events", "span")
        period = outlook.since if outlook.horizon == 1 else f"{outlook.since} to {outlook.until}"
        text(period, "span", "muted number")
    for warning in outlook.warnings:
        hint(f"Warning: {warning}")
    if not outlook.events:
        hint("No event fits.")
        return
    headings = ["#Probability", "", "Event", "#So far", "#Last", "#Median wait", ""]
    with table(headings, "Likely events, the most probable first", "likely"):
        _show_rows(outlook.events, found.waits, current)
    if len(outlook.events) == current.top < schemas.MAX_OUTLOOK_EVENTS:
        top = min(current.top * _MORE_FACTOR, schemas.MAX_OUTLOOK_EVENTS)
        ui.link("Show more", str(replace(current, top=top)))


def _show_rows(events: Sequence[schemas.LikelyEvent], waits: Sequence[str], current: OutlookUrl) -> None:
    for event, wait in zip(events, waits, strict=True):
        triple = event.subject, event.relation, event.object
        is_chosen = triple == current.event_to_explain
        with box("tr", "chosen" if is_chosen else ""):
            cell(percent(event.probability))
            with box("td", "cell-bar"):
                bar(event.probability)
            with box("td", "cell-name"):
                event_phrase(*triple, current)
            cell(f"{event.events:,}", "So far")
            cell(event.last or _NEW[event.novelty], "Last")
            cell(wait, "Median wait")
            with box("td"):
                url = replace(current, why_subject=triple[0], why_relation=triple[1], why_object=triple[2])
                _why_link(url, " ".join(triple), is_chosen)


def _row(event: schemas.LikelyEvent) -> Row:
    return event.model_dump(exclude={"curve", "explanation"})


def _why_link(url: OutlookUrl, event: str, is_chosen: bool) -> None:
    element = ui.link("Why?", str(url))
    element.props["aria-label"] = f"Why? {shorten(event, 200)}"
    if is_chosen:
        element.props("aria-current=true")
