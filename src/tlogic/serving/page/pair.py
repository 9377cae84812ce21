"""The pair view: past events between two entities, and the most likely next ones."""

from dataclasses import replace

from nicegui import ui

from tlogic.serving import schemas
from tlogic.serving.engine.board import LikelyTriple
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.time_limit import TimeLimit
from tlogic.serving.page.components import box, entity_link, hint, likely_rows, run_blocking, text
from tlogic.serving.page.display_text import pluralize, shorten
from tlogic.serving.page.event_history import event_rows, load_history, show_history
from tlogic.serving.page.occurrence_explanation import MAX_SECONDS
from tlogic.serving.page.view_tools import show_tools
from tlogic.serving.page.view_urls import OutlookUrl, PairUrl

_MAX_LIKELY_EVENTS = 10
_HOW_TO_READ = (
    "Events between the two entities, in both directions. The percentage of a likely event is the probability that it "
    "happens at least once in the next time step; rules only rank events. Click on a relation for the view of that "
    "event. Files contain the past events, the newest first."
)


def title_of(current: PairUrl) -> str:
    """The title of the view."""
    return f"{shorten(current.entity, 40)} and {shorten(current.other, 40)}"


async def show(service: Service, current: PairUrl) -> None:
    """Show the view."""
    history = await run_blocking(load_history, service, current.entity, current.other, current.page)
    current = replace(current, entity=history.entity, other=history.other or "")
    with box(style="title"):
        with box("h1", "pair-names"):
            entity_link(current.entity, current)
            text("and", "span", "relation")
            entity_link(current.other, current)
        text(pluralize(history.page.total, "event"), "span", "muted number")
    with box(style="columns"):
        with box("section", "awaited", "Likely next events") as likely:
            text("Likely next events", "h2")
        with box("section", label="Past events"):
            show_history(history, current)
    with likely:
        if service.monitor.has_occurrence:
            await _show_outlook(service, current)
        else:
            await _show_ranking(service, current)
    show_tools("events", _HOW_TO_READ, lambda: event_rows(service, current.entity, current.other))


async def _show_outlook(service: Service, current: PairUrl) -> None:
    limit = TimeLimit.seconds(MAX_SECONDS)
    outlook = await run_blocking(
        service.monitor.outlook, current.entity, current.other, top=_MAX_LIKELY_EVENTS, limit=limit
    )
    with box("p", "hint"):
        text(f"On {outlook.since} · ", "span")
        url = OutlookUrl(current.without, current.version, entity=current.entity, other=current.other, horizon="7")
        ui.link("other periods", str(url))
    triples = [LikelyTriple(each.subject, each.relation, each.object, each.probability) for each in outlook.events]
    likely_rows(triples, current, has_probabilities=True)


async def _show_ranking(service: Service, current: PairUrl) -> None:
    expected = await run_blocking(service.expected_events, current.entity, None, schemas.MAX_CANDIDATES)
    hint(f"On {expected.at}, ranked by rules: no probabilities")
    between = [event for event in expected.expected if event.candidate == current.other][:_MAX_LIKELY_EVENTS]
    likely_rows([LikelyTriple.of(event) for event in between], current, has_probabilities=False)
