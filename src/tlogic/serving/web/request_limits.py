"""Request limits: rate, body size, response time and concurrency."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlogic.serving.logs import log
from tlogic.serving.web.problems import ProblemError, send_problem

DEADLINE = "tlogic.deadline"
"""Where the scope of a request says until when somebody waits for the answer, by the monotonic clock."""

_MOST_ASKERS = 10_000
_WITH_BODY = ("POST", "PUT", "PATCH", "DELETE")
# A page stays connected for as long as it likes.
_TIMED = ("/api/", "/health", "/metrics", "/login")


class _Bucket(NamedTuple):
    tokens: float
    at: float


class RateLimiter:
    """A token bucket for each asker: so many requests at once, and so many a second from then on.

    >>> rates = RateLimiter(per_second=1.0, burst=2)
    >>> [rates.wait("Ann", now=0.0) for _ in range(3)], rates.wait("Ann", now=1.0)
    ([0.0, 0.0, 1.0], 0.0)
    """

    def __init__(self, per_second: float, burst: int) -> None:
        self._per_second, self._burst = per_second, burst
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def wait(self, asker: str, now: float | None = None) -> float:
        """Zero if the asker may ask now, or else in how many seconds."""
        now = monotonic() if now is None else now
        before = self._buckets.pop(asker, _Bucket(self._burst, now))
        tokens = min(float(self._burst), before.tokens + (now - before.at) * self._per_second)
        allowed = tokens >= 1.0
        self._buckets[asker] = _Bucket(tokens - allowed, now)
        if len(self._buckets) > _MOST_ASKERS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1.0 - tokens) / self._per_second


class ConcurrencyLimiter:
    """So many may work at once; who waits for too long is told to come again later."""

    def __init__(self, count: int, patience: float) -> None:
        self._free, self._patience = asyncio.Semaphore(count), patience

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Have a slot. One waits for it outside of the threads, so that others do not run out of these."""
        try:
            await asyncio.wait_for(self._free.acquire(), self._patience)
        except TimeoutError:
            raise ProblemError(503, "The service is busy; try again in a moment.", Retry_After="2") from None
        try:
            yield
        finally:
            self._free.release()


class RequestLimitsMiddleware:
    """Middleware that takes bodies up to a size, and gives up on an answer after a while."""

    def __init__(self, app: ASGIApp, max_body: int, timeout: float) -> None:
        self._app, self._max_body, self._timeout = app, max_body, timeout
        self._late: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request within the limits."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            if scope["method"] in _WITH_BODY:
                body = await asyncio.wait_for(self._read(scope, receive), self._timeout)
                receive = _replay(body, receive)
        except TimeoutError:
            return await send_problem(
                ProblemError(408, "The body of the request came too slowly."), scope, receive, send
            )
        except ProblemError as refusal:
            return await send_problem(refusal, scope, receive, send)
        if scope["path"].startswith(_TIMED):
            return await self._in_time(scope, receive, send)
        return await self._app(scope, receive, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > self._max_body:
            raise self._too_large()
        parts, size, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise ProblemError(400, "The connection was closed before the whole request came.")
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._max_body:
                raise self._too_large()
            more = message.get("more_body", False)
        return b"".join(parts)

    def _too_large(self) -> ProblemError:
        return ProblemError(413, f"The body of a request may have {self._max_body:,} bytes; send it in parts.")

    async def _in_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _Answer(send)
        scope[DEADLINE] = monotonic() + self._timeout
        task: asyncio.Task[None] = asyncio.ensure_future(self._app(scope, receive, answer.send))
        try:
            done, _ = await asyncio.wait({task}, timeout=self._timeout)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if done or answer.has_begun:
            return await task
        # Threads cannot be stopped: the work goes on, and keeps its slot, but nobody waits for it any more.
        answer.is_late = True
        self._late.add(task)
        task.add_done_callback(self._forget)
        return await send_problem(too_late(), scope, receive, send)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._late.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("late request failed", exc_info=task.exception())


def too_late() -> ProblemError:
    """What is told where an answer takes too long."""
    return ProblemError(
        504,
        "There was no answer in time; ask for less at once, or later. What was sent may still take effect; "
        "to send the same events again changes nothing.",
    )


class _Answer:
    """The way to the client, which is closed to an answer that comes too late."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = self.is_late = False

    async def send(self, message: Message) -> None:
        if not self.is_late:
            self.has_begun = True
            await self._send(message)


def _replay(body: bytes, receive: Receive) -> Receive:
    """What was read already, and then whatever comes."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
