"""Mounts the page with its views into a web application."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import nicegui
from fastapi import FastAPI, Request
from nicegui import ui
from starlette.types import ASGIApp, Receive, Scope, Send

from tlogic.errors import TLogicError, UnknownNameError
from tlogic.serving.engine.service import Service
from tlogic.serving.page import ask, backtest, entity, home, outlook, pair, rules, surprises, triple
from tlogic.serving.page.components import problem
from tlogic.serving.page.layout import frame
from tlogic.serving.page.live_section import announce_new_events
from tlogic.serving.page.suggestions import show_suggestions
from tlogic.serving.page.view_urls import (
    AskUrl,
    BacktestUrl,
    EntityUrl,
    HomeUrl,
    OutlookUrl,
    PairUrl,
    RulesUrl,
    SurprisesUrl,
    TripleUrl,
    ViewUrl,
)

_SERVICE = "tlogic.service"
_log = logging.getLogger(__name__)


class _View(NamedTuple):
    url: type[ViewUrl]
    title_of: Callable[[Any], str]
    show: Callable[[Service, Any], Awaitable[None]]


_VIEWS = (
    _View(HomeUrl, home.title_of, home.show),
    _View(EntityUrl, entity.title_of, entity.show),
    _View(PairUrl, pair.title_of, pair.show),
    _View(TripleUrl, triple.title_of, triple.show),
    _View(AskUrl, ask.title_of, ask.show),
    _View(OutlookUrl, outlook.title_of, outlook.show),
    _View(SurprisesUrl, surprises.title_of, surprises.show),
    _View(BacktestUrl, backtest.title_of, backtest.show),
    _View(RulesUrl, rules.title_of, rules.show),
)


def mount_page(app: FastAPI, service: Service) -> None:
    """Add the page at ``/`` to an application that already has all its other routes.

    NiceGUI has one application per process. It can be mounted into several web applications one after the other.
    """
    _reset_nicegui()
    for view in _VIEWS:
        ui.page(view.url.path)(_page_of(view))
    app.add_middleware(_ServiceMiddleware, service=service)
    ui.run_with(
        app, root=_unknown_path, title="tlogic", dark=None, tailwind=False, favicon="⏳", show_welcome_message=False
    )


class _ServiceMiddleware:
    """Adds the service to the scope of each request."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_SERVICE] = self._service
        await self._app(scope, receive, send)


def _reset_nicegui() -> None:
    """NiceGUI accepts no middleware after its first response; `ui.run_with` adds all of it again."""
    nicegui.app.middleware_stack = None
    nicegui.app.user_middleware.clear()


def _page_of(view: _View) -> Callable[[Request], Awaitable[None]]:
    async def page(request: Request) -> None:
        service: Service = request.scope[_SERVICE]
        try:
            current = view.url.parse(request.query_params)
        except TLogicError as error:
            with frame(service, view.url(), "Error"):
                problem(str(error))
            return
        with frame(service, current, view.title_of(current)) as main:
            main.classes("awaited")
        # Send the frame first, so that the window is not empty while a slow result is computed.
        client = ui.context.client
        await client.connected()
        if client.is_deleted:
            return  # no browser came for the view
        if view.url is not HomeUrl:
            announce_new_events(service, current, main)
        with main:
            await _show(view, service, current)

    return page


async def _show(view: _View, service: Service, current: ViewUrl) -> None:
    try:
        await view.show(service, current)
    except UnknownNameError as error:
        problem(f"{error.problem}.")  # without its suggestions: links follow
        await show_suggestions(service, current)
    except TLogicError as error:
        problem(str(error))
    except Exception:
        _log.exception("The view %s failed", current)
        problem("Unexpected error in this view; see the log of the service.")


def _unknown_path(request: Request) -> None:
    """Show an error for an unknown path."""
    ui.context.client.status_code = 404
    with frame(request.scope[_SERVICE], HomeUrl(), "Page not found"):
        problem(f"There is no page at {request.url.path}.")
