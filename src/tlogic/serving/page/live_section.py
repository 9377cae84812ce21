"""Sections that show a shared result and follow it as events arrive."""

from asyncio import wrap_future
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Generic, TypeVar

from nicegui import ui

from tlogic.errors import TLogicError
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.shared_result import SharedResult
from tlogic.serving.page.components import box, hint, text
from tlogic.serving.page.display_text import pluralize
from tlogic.serving.page.view_urls import ViewUrl

Result = TypeVar("Result")

REFRESH_SECONDS = 2.0


class News:
    """Tells which items of a section are new since it was shown for the first time."""

    def __init__(self) -> None:
        self._first_items: set[Hashable] = set()
        self._first_total: int | None = None
        self._is_first = True

    def mark(self, item: Hashable) -> None:
        """Show a mark in the current element if the item is new."""
        if self._is_first:
            self._first_items.add(item)
        elif item not in self._first_items:
            text("new", "span", "fresh").props["title"] = "New since you opened this page"

    def count(self, total: int, noun: str) -> None:
        """Show how many items there are more than at first."""
        if self._first_total is None:
            self._first_total = total
        elif total > self._first_total:
            more = pluralize(total - self._first_total, f"new {noun}")
            text(f"{more} since you opened this page", "p", "fresh").props("role=status")

    def finish(self) -> None:
        """End the first showing: what it did not show is new later."""
        self._is_first = False


class LiveSection(Generic[Result]):
    """A section that shows a shared result.

    Args:
        body: The element that holds what is shown, and nothing else.
        result: The result to show.
        show: Shows the result in the current element, and marks what is new.
    """

    def __init__(self, body: ui.element, result: SharedResult[Result], show: Callable[[Result, News], None]) -> None:
        self._body, self._result, self._show = body, result, show
        self._news = News()
        self._shown: Future[Result] | None = None

    async def update(self) -> None:
        """Show the latest result, unless it is shown already. After an error, an open view waits for the pause."""
        if self._shown is not None and self._result.has_just_failed:
            return
        latest = self._result.latest()
        if latest is self._shown:
            return
        self._shown = latest
        try:
            result = await wrap_future(latest)
        except TLogicError as error:
            self._replace(partial(hint, str(error)))
        else:
            self._replace(partial(self._show, result, self._news))
            self._news.finish()

    def _replace(self, show: Callable[[], None]) -> None:
        self._body.clear()
        with self._body:
            show()


def card(title: str, link_text: str = "", url: ViewUrl | None = None) -> ui.element:
    """A section with a heading and a link to the view with more of it; returns the element for its content."""
    with box("section", "card", title):
        with box(style="card-head"):
            text(title, "h2")
            if url is not None:
                ui.link(link_text, str(url))
        return box(style="card-body awaited")


def follow(sections: Sequence[LiveSection[Any]]) -> None:
    """Update sections while the page is open.

    Nothing is computed or sent unless events or a version arrived, or a result is missing after an error.
    """
    for section in sections:
        ui.timer(REFRESH_SECONDS, section.update, immediate=False)


def announce_new_events(service: Service, current: ViewUrl, main: ui.element) -> None:
    """Show a link that updates the view once events have arrived, at the top of its main part."""
    n_at_first = n_shown = service.live_store.n_events
    announcement: ui.element | None = None

    def update() -> None:
        nonlocal n_shown, announcement
        n_events = service.live_store.n_events
        if n_events == n_shown:
            return
        n_shown = n_events
        if announcement is None:
            with main:
                announcement = box(style="arrived").props("role=status")
                announcement.move(target_index=0)
        announcement.clear()
        with announcement:
            text(f"{pluralize(n_events - n_at_first, 'new event')} since this view was computed", "span")
            ui.link("Update", str(current))

    ui.timer(REFRESH_SECONDS, update, immediate=False)
