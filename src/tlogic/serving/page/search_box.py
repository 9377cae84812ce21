"""A search field that shows matching names while the user types."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from nicegui import ui

from tlogic.errors import TLogicError
from tlogic.serving.engine.service import Service
from tlogic.serving.page.components import box, name, problem, run_blocking, text
from tlogic.serving.page.display_text import pluralize, shorten, visible
from tlogic.serving.page.view_urls import ViewUrl

_TYPING_PAUSE_SECONDS = 0.12
"""The search starts after so long without a key press."""
_MAX_RESULTS = 8


class Match(NamedTuple):
    """A name and its number of events."""

    name: str
    events: int


Find = Callable[[str], Sequence[Match]]


def find_entities(service: Service) -> Find:
    """A search for entities."""
    return lambda typed: [Match(each.name, each.events) for each in service.entities(typed, _MAX_RESULTS).entities]


def find_relations(service: Service) -> Find:
    """A search for relations."""
    return lambda typed: [Match(each.name, each.events) for each in service.relations(typed, _MAX_RESULTS).relations]


class SearchBox:
    """A text field with results below it, which are visible while the field or a result has the focus.

    A result opens a view if `open_` is given, otherwise it fills the field. Enter takes the first result, and in a
    filled field calls `on_enter`. `on_change` is called after each change. script.js handles the arrow keys.
    """

    def __init__(
        self,
        label: str,
        find: Find,
        *,
        open_: Callable[[str], ViewUrl] | None = None,
        value: str = "",
        on_enter: Callable[[], None] | None = None,
        on_change: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._find, self._open, self._on_enter, self._on_change = find, open_, on_enter, on_change
        self._n_changes = 0
        with box(style="search"):
            self._field = ui.input(value=value, placeholder=label).props("outlined dense clearable autocomplete=off")
            self._field.props["aria-label"] = label
            self._field.on_value_change(self._search_after_pause)
            self._field.on("keydown.enter", self._take_first)
            self._results = ui.element("ul").classes("results")
            self._results.props["aria-label"] = f"{label}: results"
            self._status = text("", style="unseen").props("role=status")

    @property
    def value(self) -> str:
        """The text in the field."""
        return (self._field.value or "").strip()

    async def _search_after_pause(self) -> None:
        self._n_changes += 1
        change = self._n_changes
        await asyncio.sleep(_TYPING_PAUSE_SECONDS)
        # A later change starts its own search.
        if change == self._n_changes:
            await self._search()
        if self._on_change:
            await self._on_change()

    async def _search(self) -> Sequence[Match]:
        change, matches, error_message = self._n_changes, [], ""
        try:
            matches = list(await run_blocking(self._find, self.value)) if self.value else []
        except TLogicError as error:
            error_message = str(error)
        if change == self._n_changes:
            self._show(matches, error_message)
        return matches

    def _show(self, matches: Sequence[Match], error_message: str = "") -> None:
        self._results.clear()
        self._status.text = pluralize(len(matches), "result") if self.value else ""
        with self._results:
            for each in matches:
                self._show_match(each)
            if error_message:
                problem(error_message)
            elif self.value and not matches:
                text(f"No match for {shorten(self.value, 40)}.", "li", "hint")

    def _show_match(self, match: Match) -> None:
        with box("li"):
            if self._open:
                button = ui.element("a")
                button.props["href"] = str(self._open(match.name))
            else:
                button = ui.element("button").props("type=button").on("click", lambda: self._fill(match.name))
            button.props["title"] = visible(match.name)
        with button:
            name(match.name)
            text(f"{match.events:,}", "span", "number").props["aria-label"] = pluralize(match.events, "event")

    async def _take_first(self) -> None:
        self._n_changes += 1
        matches = await self._search()
        if matches and self._open:
            ui.navigate.to(str(self._open(matches[0].name)))
        elif matches and matches[0].name != self.value:
            self._fill(matches[0].name)
        elif self._on_enter:
            self._on_enter()

    def _fill(self, chosen: str) -> None:
        self._field.value = chosen
        # Setting the value counts as typing; skip the search that it would start.
        self._n_changes += 1
        self._show([])
