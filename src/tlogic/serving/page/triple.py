"""The triple view: one event, how often it happened, how probable it is by horizon, and why."""

from dataclasses import replace

from nicegui import ui

from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page import explanation, occurrence_explanation
from tlogic.serving.page.components import box, event_phrase, fact_list, hint, run_blocking, text
from tlogic.serving.page.display_text import pluralize, relation_text, shorten
from tlogic.serving.page.view_tools import show_tools
from tlogic.serving.page.view_urls import AskUrl, PairUrl, TripleUrl

_HOW_TO_READ = (
    "The curve is the probability that the event has happened at least once by the end of a date, from the next "
    "time step on. The reasons multiply the odds that the model starts from: a factor above 1 makes it more likely, "
    "one below 1 less likely. With rules there is no probability: the reasons rank this object among all candidates. "
    "Files contain the dates on which the event happened."
)
_MAX_SEARCHED_EVENTS, _MAX_SHOWN_EVENTS = 10_000, 20


def title_of(current: TripleUrl) -> str:
    """The title of the view."""
    return f"{shorten(current.subject, 30)} — {relation_text(current.relation, 30)} → {shorten(current.object, 30)}"


async def show(service: Service, current: TripleUrl) -> None:
    """Show the view."""
    current, events = await run_blocking(_events, service, current)
    with box(style="title"):
        with box("h1"):
            event_phrase(current.subject, current.relation, current.object, current)
        text(_how_often(events), "span", "muted number")
    _show_links(current)
    if service.monitor.has_occurrence:
        with box("section", "awaited", "Why"):
            await occurrence_explanation.show(service, (current.subject, current.relation, current.object), current)
    else:
        with box("section", "awaited", "Why"):
            await _show_rules(service, current)
    with box("section", label="Past events"):
        text("When it happened", "h2")
        fact_list(events[:_MAX_SHOWN_EVENTS], current)
        if len(events) > _MAX_SHOWN_EVENTS:
            hint(f"{len(events) - _MAX_SHOWN_EVENTS:,} earlier ones are not shown.")
        elif not events:
            hint("Never, so far.")
    show_tools("event", _HOW_TO_READ, lambda: [event.model_dump() for event in events])


def _events(service: Service, current: TripleUrl) -> tuple[TripleUrl, list[schemas.Fact]]:
    """The URL with names as spelled in the data, and the events of the triple, newest first."""
    with service.live_store.reading() as graph:
        entity, relation = graph.entities, graph.relations
        subject, object_ = (entity.name_of(entity.id_of(name)) for name in (current.subject, current.object))
        spelled = relation.name_of(relation.id_of(current.relation))
    current = replace(current, subject=subject, relation=spelled, object=object_)
    between = service.events(subject, object_, 0, _MAX_SEARCHED_EVENTS).events
    triple = subject, spelled, object_
    return current, [event for event in between if (event.subject, event.relation, event.object) == triple]


def _how_often(events: list[schemas.Fact]) -> str:
    return f"happened {pluralize(len(events), 'time')}, last on {events[0].time}" if events else "never happened before"


def _show_links(current: TripleUrl) -> None:
    state = current.without, current.version
    pair = PairUrl(*state, entity=current.subject, other=current.object)
    objects = AskUrl(*state, subject=current.subject, relation=current.relation)
    subjects = AskUrl(*state, relation=current.relation, object=current.object)
    with box("p", "links"):
        ui.link("All events of the two", str(pair))
        ui.link("Other objects", str(objects))
        ui.link("Other subjects", str(subjects))


async def _show_rules(service: Service, current: TripleUrl) -> None:
    """Show how rules rank the object, given the subject and the relation."""
    hint("Rules rank candidates; they give no probability of an event.")
    url = AskUrl(current.without, current.version, subject=current.subject, relation=current.relation, at=current.at)
    query = schemas.Query(
        subject=current.subject, relation=current.relation, at=current.at or None, without=list(current.without)
    )
    await explanation.show(service, query, current.object, url)
