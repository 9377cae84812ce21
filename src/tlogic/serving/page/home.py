"""The home view: search, and a board of what is likely next, what was surprising, what changed, and latest events."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui

from tlogic.evidence.statements import rare
from tlogic.serving import schemas
from tlogic.serving.engine.board import LikelyTriples, Overview
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import (
    box,
    change_factor,
    changed_names,
    entity_tiles,
    event_phrase,
    hint,
    likely_rows,
    run_blocking,
    text,
)
from tlogic.serving.page.layout import entity_search
from tlogic.serving.page.live_section import LiveSection, News, card, follow
from tlogic.serving.page.toggles import show_switched_off
from tlogic.serving.page.view_tools import Row, show_tools
from tlogic.serving.page.view_urls import HomeUrl, OutlookUrl, RulesUrl, SurprisesUrl

_MAX_ENTITIES, _MAX_CHANGES, _MAX_SURPRISES = 12, 8, 4
_HOW_TO_READ = (
    "Likely next: the probability that an event happens in the next time step, over all entities. Surprising: "
    "events of the last time steps that were improbable beforehand, or likely and missing. Changed: entities, "
    "pairs and relations with far more or fewer events than before. The board updates by itself; new marks what "
    "was not there when you opened it. Click on a name for its view, and on a relation for the view of that "
    "event. Files contain the likely, surprising and latest events."
)
_HOW_TO_GET_PROBABILITIES = (
    "Rules are in use: they rank events but give no probabilities, so surprises cannot be found. To get them, fit a "
    "model with `tlogic fit` and start the service with --model MODEL."
)


def title_of(_: HomeUrl) -> str:
    """The title of the view."""
    return "Explore events and forecasts"


async def show(service: Service, current: HomeUrl) -> None:
    """Show the view, and keep it up to date while it is open."""
    with box("section", "welcome", "Search"):
        text(title_of(current), "h1")
        entity_search(service, current)
        hint("Small spelling mistakes are fine. Press / to search, the arrow keys to select, and Enter to open.")
    frequent = await run_blocking(service.entities, "", _MAX_ENTITIES)
    show_switched_off(service, current, "The board below is computed with all of them switched on.")
    with box("section", label="Data"):
        numbers = box("dl", "numbers awaited")
    overview = LiveSection(numbers, service.board.overview, partial(_show_overview, current))
    with box(style="board"):
        sections = [overview, *_board(service, current)]
    with box("section", label="Entities with the most events"):
        text("Entities with the most events", "h2")
        entity_tiles(frequent.entities, current)
    show_tools("board", _HOW_TO_READ, lambda: _rows(service))
    follow(sections)
    await asyncio.gather(*(section.update() for section in sections))


def _rows(service: Service) -> list[Row]:
    """The events of the board for a file."""
    board = service.board
    likely, surprises, latest = (
        board.likely.latest().result(),
        board.surprises.latest().result(),
        board.latest.latest().result(),
    )
    rows: list[Row] = [{"kind": "likely", "date": likely.at, **event._asdict()} for event in likely.events]
    for kind, events in () if surprises is None else (("happened", surprises.events), ("missing", surprises.missing)):
        rows += [{"kind": kind, **event.model_dump(exclude={"explanation"})} for event in events]
    return rows + [
        {"kind": "latest", "date": event.time, **event.model_dump(exclude={"time"})} for event in latest.events
    ]


def _board(service: Service, current: HomeUrl) -> list[LiveSection[Any]]:
    """Add the cards of the board."""
    board = service.board
    outlook, surprises = (kind(current.without, current.version) for kind in (OutlookUrl, SurprisesUrl))
    likely = card("Likely next", "Outlook →", outlook)
    latest = card("Latest events")
    surprising = card("Surprising", "Surprises →", surprises)
    changed = card("Changed", "Changes →", surprises)
    return [
        LiveSection(likely, board.likely, partial(_show_likely, current)),
        LiveSection(latest, board.latest, partial(_show_latest, current)),
        LiveSection(changed, board.changes, partial(_show_changes, current)),
        LiveSection(surprising, board.surprises, partial(_show_surprises, current)),
    ]


def _show_overview(current: HomeUrl, overview: Overview, _: News) -> None:
    health = overview.health
    _show_number("Events", f"{health.events:,}")
    _show_number("Entities", f"{health.entities:,}")
    _show_number("Relations", f"{health.relations:,}")
    _show_number("Dates", f"{health.first} – {health.last}", "wide")
    label = "Rules in use" if health.kind == "rules" else "Rules in the model"
    _show_number(label, f"{overview.n_rules:,}", "wide", link=str(RulesUrl(current.without, current.version)))


def _show_number(label: str, value: str, style: str = "", link: str = "") -> None:
    with box(style=style):
        text(label, "dt")
        if link:
            with box("dd"):
                ui.link(value, link)
        else:
            text(value, "dd")


def _show_likely(current: HomeUrl, likely: LikelyTriples, news: News) -> None:
    hint(f"On {likely.at}" if likely.has_probabilities else f"On {likely.at}, ranked by rules: no probabilities")
    likely_rows(
        likely.events,
        current,
        has_probabilities=likely.has_probabilities,
        mark=lambda event: news.mark(event[:3]),
    )


def _show_latest(current: HomeUrl, latest: schemas.EventPage, news: News) -> None:
    news.count(latest.total, "event")
    with box("ol", "rows dated"):
        for event in latest.events:
            with box("li"):
                text(event.time, "span", "number date")
                with event_phrase(event.subject, event.relation, event.object, current):
                    news.mark((event.subject, event.relation, event.object, event.time))


def _show_surprises(current: HomeUrl, surprises: schemas.Surprises | None, news: News) -> None:
    if surprises is None:
        hint(_HOW_TO_GET_PROBABILITIES)
        return
    hint(f"{surprises.since} to {surprises.until}, with the probability that each event had beforehand")
    _show_judged("Improbable, but it happened", surprises.events, current, news)
    _show_judged("Likely, but it failed to happen", surprises.missing, current, news)


def _show_judged(heading: str, events: Sequence[schemas.JudgedEvent], current: HomeUrl, news: News) -> None:
    text(heading, "h3")
    with box("ol", "rows dated"):
        for event in events[:_MAX_SURPRISES]:
            with box("li"):
                text(event.date, "span", "number date")
                with event_phrase(event.subject, event.relation, event.object, current):
                    news.mark((event.date, event.subject, event.relation, event.object))
                text(rare(event.probability), "span", "number")


def _show_changes(current: HomeUrl, changes: schemas.Changes, news: News) -> None:
    before, after = changes.before, changes.after
    hint(f"Events per time step, {after.since} to {after.until}, compared to {before.since} to {before.until}")
    with box("ul", "rows changed"):
        for change in sorted(changes.changes, key=lambda change: -abs(change.significance))[:_MAX_CHANGES]:
            with box("li"):
                with changed_names(change, current):
                    news.mark((change.kind, change.name, change.other))
                text(f"{change.before:.2f} → {change.after:.2f}", "span", "number muted")
                change_factor(change, "span")
