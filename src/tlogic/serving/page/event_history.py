"""Past events of an entity, or between two entities: a timeline, and a list in pages."""

from typing import NamedTuple

from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import drawing, fact_list, hint, pager, text
from tlogic.serving.page.timeline_chart import draw_timeline
from tlogic.serving.page.view_tools import MAX_ROWS, Row
from tlogic.serving.page.view_urls import EntityUrl, PairUrl

_EVENTS_PER_PAGE, _MAX_CHART_EVENTS = 20, 200


class EventHistory(NamedTuple):
    """One page of the events of an entity, or of a pair, and those that its timeline shows."""

    entity: str
    other: str | None
    """The names as spelled in the data."""
    page: schemas.EventPage
    chart_events: list[schemas.Fact]
    chart_steps: list[int]


def load_history(service: Service, entity: str, other: str | None, page: int) -> EventHistory:
    """Read a page of events. Raises `UnknownNameError` if a name is unknown."""
    with service.live_store.reading() as graph:
        spelled = graph.entities.name_of(graph.entities.id_of(entity))
        other = None if other is None else graph.entities.name_of(graph.entities.id_of(other))
        step_of = graph.timeline.step_of
    events = service.events(spelled, other, (page - 1) * _EVENTS_PER_PAGE, _EVENTS_PER_PAGE)
    chart_events = service.events(spelled, other, 0, _MAX_CHART_EVENTS).events
    return EventHistory(spelled, other, events, chart_events, [step_of(event.time) for event in chart_events])


def event_rows(service: Service, entity: str, other: str | None) -> list[Row]:
    """The events for a file, newest first."""
    return [event.model_dump() for event in service.events(entity, other, 0, MAX_ROWS).events]


def show_history(history: EventHistory, url: EntityUrl | PairUrl) -> None:
    """Show the events in the current element."""
    text("Past events", "h2")
    if not history.page.total:
        hint("There are none.")
        return
    drawing(draw_timeline(history.entity, history.chart_events, history.chart_steps))
    by = ("as subject", "as object") if history.other is None else (f"by {history.entity}", f"by {history.other}")
    hint(f"● {by[0]}   ○ {by[1]}")
    fact_list(history.page.events, url)
    pager(url, len(history.page.events), _EVENTS_PER_PAGE, history.page.total)
