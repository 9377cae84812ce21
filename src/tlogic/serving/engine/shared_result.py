"""SharedResult: a slow computation over the events of a service, made once for all who ask for it."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock, Thread
from time import monotonic
from typing import Generic, TypeVar

Result = TypeVar("Result")

MIN_PAUSE_SECONDS = 2.0
PAUSE_FACTOR = 10.0
"""The pause after a computation is so many times as long as the computation took, so that it never fills a core."""


class SharedResult(Generic[Result]):
    """The result of a computation, which runs in a thread of its own.

    It is computed when it is requested for the first time, and again when it is requested after the state has changed
    and a pause is over. Meanwhile the former result stays. An error goes to all who wait for the computation, and is
    not kept: the next request computes again, without a pause.

    Args:
        compute: The computation.
        state: What the result depends on, such as the version of the events.

    Example:
        >>> total = SharedResult(compute=lambda: 2 + 2, state=lambda: 1)
        >>> total.latest().result()
        4
        >>> total.latest() is total.latest()
        True
    """

    def __init__(self, compute: Callable[[], Result], state: Callable[[], Hashable]) -> None:
        self._compute, self._state = compute, state
        self._lock = Lock()
        self._finished: Future[Result] | None = None
        self._running: Future[Result] | None = None
        self._state_of_newest: Hashable = None
        self._next_start = 0.0

    def latest(self) -> Future[Result]:
        """The latest result or, if there is none, the one that is being computed."""
        with self._lock:
            if self._running is None and self._is_due():
                self._running = Future()
                self._running.set_running_or_notify_cancel()  # who waits for it cannot cancel it for the others
                self._state_of_newest = self._state()
                Thread(target=self._run, args=(self._running,), name="shared result", daemon=True).start()
            latest = self._finished or self._running
        assert latest is not None
        return latest

    @property
    def has_just_failed(self) -> bool:
        """Whether the last computation failed and the pause after it is not over."""
        with self._lock:
            return self._finished is None and self._running is None and monotonic() < self._next_start

    def _is_due(self) -> bool:
        if self._finished is None:
            return True
        return self._state() != self._state_of_newest and monotonic() >= self._next_start

    def _run(self, future: Future[Result]) -> None:
        started = monotonic()
        try:
            result = self._compute()
        except Exception as error:  # whoever waits for the result gets it
            self._finish(None, started)  # before that, so that whoever got the error can try again
            future.set_exception(error)
        else:
            future.set_result(result)
            self._finish(future, started)

    def _finish(self, finished: Future[Result] | None, started: float) -> None:
        with self._lock:
            now = monotonic()
            self._next_start = now + max(MIN_PAUSE_SECONDS, PAUSE_FACTOR * (now - started))
            self._finished, self._running = finished, None
