"""Links to the queries about an entity: one per relation that it has events of."""

from dataclasses import replace

from nicegui import ui

from tlogic.errors import TLogicError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import box, run_blocking, text
from tlogic.serving.page.display_text import pluralize, relation_text, shorten
from tlogic.serving.page.view_urls import AskUrl

_N_OPEN_RELATIONS, _MAX_RELATIONS = 8, 50


class RelationPicker:
    """Shows the relations of the entity in a query, the most frequent first. A click asks the query with the relation.

    Args:
        service: The service.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._part = box("section", "picker", "Relations of the entity")
        self._entity: tuple[str, str] | None = None

    async def update(self, query: AskUrl) -> None:
        """Show the relations of the entity in a query, unless it has none or two, or its name is unknown."""
        entity = query.subject, query.object
        if entity == self._entity:
            return
        self._entity = entity
        relations: list[schemas.Relation] = []
        if bool(query.subject) != bool(query.object):
            try:
                as_subject, as_object = await run_blocking(self._service.relations_of, query.subject or query.object)
                relations = as_subject if query.subject else as_object
            except TLogicError:
                pass  # the name is incomplete or unknown
        self._part.clear()
        with self._part:
            self._show(relations, query)

    def _show(self, relations: list[schemas.Relation], query: AskUrl) -> None:
        if not relations:
            return
        role = "subject" if query.subject else "object"
        text(f"Relations with {shorten(query.subject or query.object, 40)} as {role}:", "span", "muted")
        for relation in relations[:_N_OPEN_RELATIONS]:
            _show_chip(relation, query)
        others = relations[_N_OPEN_RELATIONS:_MAX_RELATIONS]
        if others:
            with box("details"):
                text(f"{len(others)} more", "summary")
                with box(style="chips"):
                    for relation in others:
                        _show_chip(relation, query)


def _show_chip(relation: schemas.Relation, query: AskUrl) -> None:
    url = replace(query, relation=relation.name, candidate="", top=AskUrl.top)
    with ui.link(target=str(url)).classes("chip") as chip:
        text(relation_text(relation.name), "span")
        text(f"{relation.events:,}", "span", "number")
    chip.props["aria-label"] = f"{relation_text(relation.name)}, {pluralize(relation.events, 'event')}"
    if relation.name == query.relation:
        chip.props("aria-current=true")
