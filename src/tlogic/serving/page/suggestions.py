"""Links to the same view with a similar name instead of an unknown one."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import box, link, run_blocking, text
from tlogic.serving.page.display_text import pluralize
from tlogic.serving.page.view_urls import ViewUrl

_MAX_SUGGESTIONS = 6
_ENTITY_FIELDS = ("name", "entity", "other", "subject", "object", "candidate", "why_subject", "why_object")
_RELATION_FIELDS = ("relation", "why_relation", "head")


class Suggestion(NamedTuple):
    """A name that may be meant, its number of events, and the view with it."""

    name: str
    events: int
    url: ViewUrl


async def show_suggestions(service: Service, current: ViewUrl) -> None:
    """Show links for the unknown names in the URL of a view, if there are similar ones."""
    found = await run_blocking(lambda: list(_suggestions(service, current)))
    if not found:
        return
    with box("section", label="Similar names"):
        text("Did you mean", "h2")
        with box("ul", "tiles"):
            for each in found:
                with box("li"):
                    link(each.name, each.url)
                    text(pluralize(each.events, "event"), "span", "muted number")


def _suggestions(service: Service, current: ViewUrl) -> Iterator[Suggestion]:
    given = {each.name: getattr(current, each.name) for each in fields(current)}
    with service.live_store.reading() as graph:
        is_unknown = {
            **{field: graph.entities.match(given[field]) is None for field in _ENTITY_FIELDS if given.get(field)},
            **{field: graph.relations.match(given[field]) is None for field in _RELATION_FIELDS if given.get(field)},
        }
    for field in (field for field, unknown in is_unknown.items() if unknown):
        for each in _similar(service, field, given[field]):
            chosen: dict[str, Any] = {field: each.name}
            yield Suggestion(each.name, each.events, replace(current, **chosen))


def _similar(service: Service, field: str, name: str) -> Sequence[schemas.Entity | schemas.Relation]:
    if field in _RELATION_FIELDS:
        return service.relations(name, _MAX_SUGGESTIONS).relations
    return service.entities(name, _MAX_SUGGESTIONS).entities
