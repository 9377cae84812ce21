"""Limits of a single request: body size, response time, and how many requests run at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlogic.serving.logs import log
from tlogic.serving.web.problems import ProblemError, send_problem

DEADLINE = "tlogic.deadline"
"""The key of a request's scope that holds its deadline on the monotonic clock."""

_METHODS_WITH_BODY = ("POST", "PUT", "PATCH", "DELETE")
# The page keeps its connection open, so its paths have no time limit.
_TIMED_PATHS = ("/api/", "/health", "/metrics", "/login")


class ConcurrencyLimiter:
    """Limits how many requests run at once. A request that waits too long for a slot gets status 503."""

    def __init__(self, slots: int, queue_timeout: float) -> None:
        self._slots, self._queue_timeout = asyncio.Semaphore(slots), queue_timeout

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold a slot. Waiting happens on the event loop, so that it does not block a worker thread."""
        try:
            await asyncio.wait_for(self._slots.acquire(), self._queue_timeout)
        except TimeoutError:
            raise ProblemError(503, "The service is busy; try again in a moment.", Retry_After="2") from None
        try:
            yield
        finally:
            self._slots.release()


class RequestLimitsMiddleware:
    """Refuses large bodies, and responds with 504 if a request takes too long."""

    def __init__(self, app: ASGIApp, max_body: int, timeout: float) -> None:
        self._app, self._max_body, self._timeout = app, max_body, timeout
        self._abandoned: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request within the limits."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            if scope["method"] in _METHODS_WITH_BODY:
                body = await asyncio.wait_for(self._read(scope, receive), self._timeout)
                receive = _replay(body, receive)
        except TimeoutError:
            too_slow = ProblemError(408, "The request body was not received in time.")
            return await send_problem(too_slow, scope, receive, send)
        except ProblemError as problem:
            return await send_problem(problem, scope, receive, send)
        if scope["path"].startswith(_TIMED_PATHS):
            return await self._run_with_timeout(scope, receive, send)
        return await self._app(scope, receive, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > self._max_body:
            raise self._too_large()
        parts, size, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise ProblemError(400, "The connection was closed before the request was complete.")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._max_body:
                raise self._too_large()
            more = message.get("more_body", False)
        return b"".join(parts)

    def _too_large(self) -> ProblemError:
        return ProblemError(
            413, f"The request body is larger than {self._max_body:,} bytes; split it into smaller requests."
        )

    async def _run_with_timeout(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = _Response(send)
        scope[DEADLINE] = monotonic() + self._timeout
        task: asyncio.Task[None] = asyncio.ensure_future(self._app(scope, receive, response.send))
        try:
            done, _ = await asyncio.wait({task}, timeout=self._timeout)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if done or response.is_started:
            return await task
        # A thread cannot be cancelled: it runs on and keeps its slot, but its response is dropped.
        response.is_dropped = True
        self._abandoned.add(task)
        task.add_done_callback(self._finish_abandoned)
        return await send_problem(timeout_problem(), scope, receive, send)

    def _finish_abandoned(self, task: asyncio.Task[None]) -> None:
        self._abandoned.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("request failed after its timeout", exc_info=task.exception())


def timeout_problem() -> ProblemError:
    """The problem of a request that exceeds the time limit."""
    return ProblemError(
        504,
        "The request timed out; send a smaller request, or try again later. Events that were sent may still be added; "
        "sending them again is safe.",
    )


class _Response:
    """Sends a response to the client unless it has been dropped."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.is_started = self.is_dropped = False

    async def send(self, message: Message) -> None:
        if not self.is_dropped:
            self.is_started = True
            await self._send(message)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A receive function that returns a body that was already read, then further messages."""
    is_replayed = False

    async def receive_replayed() -> Message:
        nonlocal is_replayed
        if is_replayed:
            return await receive()
        is_replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_replayed
