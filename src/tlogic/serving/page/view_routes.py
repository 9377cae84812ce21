"""The page as a part of a web app."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import nicegui
from fastapi import FastAPI, Request
from nicegui import ui
from starlette.types import ASGIApp, Receive, Scope, Send

from tlogic.errors import TLogicError
from tlogic.serving.engine.service import Service
from tlogic.serving.page import ask, entity, home, rules
from tlogic.serving.page.components import problem
from tlogic.serving.page.layout import frame
from tlogic.serving.page.view_urls import AskUrl, EntityUrl, HomeUrl, RulesUrl, ViewUrl

_SERVICE = "tlogic.service"
_log = logging.getLogger(__name__)


class _View(NamedTuple):
    address: type[ViewUrl]
    title_of: Callable[[Any], str]
    show: Callable[[Service, Any], Awaitable[None]]


_VIEWS = (
    _View(HomeUrl, home.title_of, home.show),
    _View(EntityUrl, entity.title_of, entity.show),
    _View(AskUrl, ask.title_of, ask.show),
    _View(RulesUrl, rules.title_of, rules.show),
)


def mount_page(app: FastAPI, service: Service) -> None:
    """Add the page at ``/`` to an app that has all its other routes by now.

    NiceGUI has one app in a process. It can be a part of several, each with its own service, one after the other.
    """
    _forget_former_app()
    for view in _VIEWS:
        ui.page(view.address.path)(_page_of(view))
    app.add_middleware(_WithService, service=service)
    ui.run_with(app, root=_nowhere, title="tlogic", dark=None, tailwind=False, favicon="⏳", show_welcome_message=False)


class _WithService:
    """Tells the page which service it is of."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_SERVICE] = self._service
        await self._app(scope, receive, send)


def _forget_former_app() -> None:
    """NiceGUI takes no middleware once it has answered; `ui.run_with` brings all of it again."""
    nicegui.app.middleware_stack = None
    nicegui.app.user_middleware.clear()


def _page_of(view: _View) -> Callable[[Request], Awaitable[None]]:
    async def page(request: Request) -> None:
        service: Service = request.scope[_SERVICE]
        try:
            here = view.address.read(request.query_params)
        except TLogicError as error:
            with frame(service, view.address(), "Error"):
                problem(str(error))
            return
        with frame(service, here, view.title_of(here)) as main:
            main.classes("awaited")
        # An answer may take its time, for which no browser waits with an empty window.
        await ui.context.client.connected()
        with main:
            await _show(view, service, here)

    return page


async def _show(view: _View, service: Service, here: ViewUrl) -> None:
    try:
        await view.show(service, here)
    except TLogicError as error:
        problem(str(error))
    except Exception:
        _log.exception("The view %s failed", here)
        problem("This view failed with an unexpected error; the log of the service tells more.")


def _nowhere(request: Request) -> None:
    """What is shown at an address that there is not."""
    ui.context.client.status_code = 404
    with frame(request.scope[_SERVICE], HomeUrl(), "No such page"):
        problem(f"There is no page {request.url.path}.")
