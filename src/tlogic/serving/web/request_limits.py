"""Limits of a single request: body size, response time, and how many requests run at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event
from time import monotonic

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlogic.serving.engine.time_limit import TimeLimit
from tlogic.serving.logs import log
from tlogic.serving.web.problems import ProblemError, send_problem
from tlogic.serving.web.settings import ROLE, Role

LIMIT = "tlogic.limit"
"""The key of a request's scope that holds its `TimeLimit`."""
MAX_PAGE_BODY = 1_000_000
"""The largest body that the page sends, in bytes. Its library never answers a larger one."""
MAX_STRANGER_BODY = 10_000
"""The largest body without a token, in bytes: a token in the login form."""
STRANGER_BODY_SECONDS = 10.0
"""The time that it may take."""
MAX_BODIES = 8
"""How many bodies of the largest size may be in memory at once."""

# The page polls for messages with GET requests that take long.
_MAX_DIGITS = 20
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
        self._bytes_in_memory = 0
        self._abandoned: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request within the limits."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        body = bytearray()
        try:
            problem = await self._problem_of_body(scope, receive, body)
            if problem is not None:
                await send_problem(problem, scope, receive, send)
            elif scope["path"].startswith(_TIMED_PATHS) or scope["method"] not in ("GET", "HEAD"):
                await self._run_with_timeout(scope, _Replay(bytes(body), receive), send)
            else:
                await self._app(scope, _Replay(bytes(body), receive), send)
        finally:
            self._bytes_in_memory -= len(body)

    async def _problem_of_body(self, scope: Scope, receive: Receive, body: bytearray) -> ProblemError | None:
        """Read the body; returns why it is refused, if it is."""
        is_stranger = scope[ROLE] is Role.stranger
        timeout = min(self._timeout, STRANGER_BODY_SECONDS) if is_stranger else self._timeout
        try:
            await asyncio.wait_for(self._read(scope, receive, body), timeout)
        except TimeoutError:
            return ProblemError(408, "The request body was not received in time.", Connection="close")
        except ProblemError as problem:
            return problem
        return None

    async def _read(self, scope: Scope, receive: Receive, body: bytearray) -> None:
        max_body = self._max_body_of(scope)
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or len(announced) > _MAX_DIGITS or int(announced) > max_body:
            raise _too_large(max_body)
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise ProblemError(400, "The connection was closed before the request was complete.")
            part = message.get("body", b"")
            body += part
            self._bytes_in_memory += len(part)
            if len(body) > max_body:
                raise _too_large(max_body)
            if self._bytes_in_memory > MAX_BODIES * self._max_body:
                raise ProblemError(503, "The service is busy with large requests; try again.", Retry_After="2")
            more = message.get("more_body", False)

    def _max_body_of(self, scope: Scope) -> int:
        if scope[ROLE] is Role.stranger:
            return min(self._max_body, MAX_STRANGER_BODY)
        return self._max_body if scope["path"].startswith("/api/") else min(self._max_body, MAX_PAGE_BODY)

    async def _run_with_timeout(self, scope: Scope, receive: "_Replay", send: Send) -> None:
        response, has_left = _Response(send), Event()
        scope[LIMIT] = TimeLimit(monotonic() + self._timeout, has_left)
        task: asyncio.Task[None] = asyncio.ensure_future(self._app(scope, receive, response.send))
        watch = asyncio.ensure_future(_watch_client(receive, has_left))
        try:
            done, _ = await asyncio.wait({task}, timeout=self._timeout)
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            watch.cancel()
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


async def _watch_client(receive: "_Replay", has_left: Event) -> None:
    """Note that the client has left, so that work for it can stop."""
    await receive.disconnect()
    has_left.set()


def _too_large(max_body: int) -> ProblemError:
    message = f"The request body is larger than {max_body:,} bytes; split it into smaller requests."
    return ProblemError(413, message, Connection="close")


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


class _Replay:
    """A receive function that returns a body that was already read, then waits until the client leaves."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self.disconnect()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def disconnect(self) -> Message:
        """Wait until the client leaves. Several tasks may wait."""
        while (message := await self._receive())["type"] != "http.disconnect":
            pass
        return message
