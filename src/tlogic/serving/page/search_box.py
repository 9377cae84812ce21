"""A field that finds names as one types, forgiving of spelling."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nicegui import ui

from tlogic.errors import TLogicError
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import box, name, problem, run_blocking, text
from tlogic.serving.page.display_text import counted, shorten, visible
from tlogic.serving.page.view_urls import ViewUrl

_PAUSE = 0.12
"""Seconds without a key after which it is looked for what was typed."""
_SHOWN = 8


class Found(NamedTuple):
    """A name, and the number of its events."""

    name: str
    events: int


Find = Callable[[str], Sequence[Found]]


def find_entities(service: Service) -> Find:
    """Finds entities."""
    return lambda typed: [Found(each.name, each.events) for each in service.entities(typed, _SHOWN).entities]


def find_relations(service: Service) -> Find:
    """Finds relations."""
    return lambda typed: [Found(each.name, each.events) for each in service.relations(typed, _SHOWN).relations]


class SearchBox:
    """The field, and below it what was found while the field or one of the results has the focus.

    What is found opens an address where one is made of it, and else fills the field; Enter in a field that is filled
    is passed on. Arrow keys are seen to by script.js.
    """

    def __init__(
        self,
        label: str,
        find: Find,
        *,
        open_: Callable[[str], ViewUrl] | None = None,
        value: str = "",
        on_enter: Callable[[], None] | None = None,
    ) -> None:
        self._find, self._open, self._on_enter = find, open_, on_enter
        self._typed = 0
        with box(style="search"):
            self._field = ui.input(value=value, placeholder=label).props("outlined dense clearable autocomplete=off")
            self._field.props["aria-label"] = label
            self._field.on_value_change(self._search_soon)
            self._field.on("keydown.enter", self._take_first)
            self._results = ui.element("ul").classes("results")
            self._results.props["aria-label"] = f"{label}: found"
            self._status = text("", style="unseen").props("role=status")

    @property
    def value(self) -> str:
        """What stands in the field."""
        return (self._field.value or "").strip()

    async def _search_soon(self) -> None:
        self._typed += 1
        this = self._typed
        await asyncio.sleep(_PAUSE)
        # What was typed meanwhile is looked for by the call that it made.
        if this == self._typed:
            await self._search()

    async def _search(self) -> Sequence[Found]:
        this, found, trouble = self._typed, [], ""
        try:
            found = list(await run_blocking(self._find, self.value)) if self.value else []
        except TLogicError as error:
            trouble = str(error)
        if this == self._typed:
            self._show(found, trouble)
        return found

    def _show(self, found: Sequence[Found], trouble: str = "") -> None:
        self._results.clear()
        self._status.text = counted(len(found), "result") if self.value else ""
        with self._results:
            for each in found:
                self._result(each)
            if trouble:
                problem(trouble)
            elif self.value and not found:
                text(f"Nothing is called {shorten(self.value, 40)}, or alike.", "li", "hint")

    def _result(self, found: Found) -> None:
        with box("li"):
            if self._open:
                button = ui.element("a")
                button.props["href"] = str(self._open(found.name))
            else:
                button = ui.element("button").props("type=button").on("click", lambda: self._fill(found.name))
            button.props["title"] = visible(found.name)
        with button:
            name(found.name)
            text(f"{found.events:,}", "span", "number").props["aria-label"] = counted(found.events, "event")

    async def _take_first(self) -> None:
        """Enter takes the best of what was found."""
        self._typed += 1
        found = await self._search()
        if found and self._open:
            ui.navigate.to(str(self._open(found[0].name)))
        elif found and found[0].name != self.value:
            self._fill(found[0].name)
        elif self._on_enter:
            self._on_enter()

    def _fill(self, chosen: str) -> None:
        self._field.value = chosen
        # Setting the value counts as typing; what is chosen is not searched again.
        self._typed += 1
        self._show([])
