"""Request log: each request gets an id, a log line and an entry in the metrics."""

from secrets import token_hex
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlogic.serving.logs import log
from tlogic.serving.web.metrics import Metrics
from tlogic.serving.web.problems import ProblemError, send_problem

_SERVER_ERROR = 500


class RequestLogMiddleware:
    """The outermost middleware. It logs every request and turns unexpected exceptions into status 500."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, and log it whatever happens."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        request_id, status, started = token_hex(8), 0, perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", []), (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception:
            log.exception("unexpected error", extra={"fields": {"request": request_id, "path": scope["path"]}})
            if not status:
                problem = f"Unexpected error; see request {request_id} in the log of the service."
                await send_problem(ProblemError(_SERVER_ERROR, problem), scope, receive, send_with_id)
        finally:
            self._record(scope, request_id, status or _SERVER_ERROR, perf_counter() - started)

    def _record(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        self._metrics.observe(_route_of(scope), scope["method"], status, seconds)
        fields = {
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "milliseconds": round(1000 * seconds, 3),
            "client": (scope.get("client") or ["unknown"])[0],
            "request": request_id,
        }
        log.info("request", extra={"fields": fields})


def _route_of(scope: Scope) -> str:
    """The route of a request. Unlike paths, which clients can invent, routes are few and safe as metric labels."""
    path = getattr(scope.get("route"), "path", None)
    if path and "rest" not in scope.get("path_params", {}):
        return str(path)
    return "unknown" if scope["path"].startswith("/api") else "page"
