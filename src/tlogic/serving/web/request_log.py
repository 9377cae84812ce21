"""Watching requests: each has an id, a line in the log and its place in the metrics, and none ends in a traceback."""

from secrets import token_hex
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlogic.serving.logs import log
from tlogic.serving.web.metrics import Metrics
from tlogic.serving.web.problems import ProblemError, send_problem

_SERVER_ERROR = 500


class RequestLogMiddleware:
    """The outermost middleware, which sees what becomes of every request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered, come what may."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        number, status, began = token_hex(8), 0, perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", []), (b"x-request-id", number.encode())]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:
            log.exception("unexpected error", extra={"fields": {"request": number, "path": scope["path"]}})
            if not status:
                problem = f"Something unexpected happened; the log of the service tells more under {number}."
                await send_problem(ProblemError(_SERVER_ERROR, problem), scope, receive, watched)
        finally:
            self._note(scope, number, status or _SERVER_ERROR, perf_counter() - began)

    def _note(self, scope: Scope, number: str, status: int, seconds: float) -> None:
        self._metrics.observe(_route_of(scope), scope["method"], status, seconds)
        fields = {
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "milliseconds": round(1000 * seconds, 3),
            "client": (scope.get("client") or ["unknown"])[0],
            "request": number,
        }
        log.info("request", extra={"fields": fields})


def _route_of(scope: Scope) -> str:
    """The route that answers, of which there are few, unlike paths, which anybody may make up."""
    path = getattr(scope.get("route"), "path", None)
    if path and "rest" not in scope.get("path_params", {}):
        return str(path)
    return "unknown" if scope["path"].startswith("/api") else "page"
