"""PastForecaster: answers about the past over a copy of the live graph, without blocking new events."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import TIMEOUT_MAX, Lock
from typing import Generic, TypeVar

from tlogic.serving.engine.time_limit import TimeLimit, TimeLimitError

ForecasterT = TypeVar("ForecasterT")


class PastForecaster(Generic[ForecasterT]):
    """A forecaster for time steps before the newest one.

    The memory of the live graph has all events. This forecaster has a memory that goes forward in time from request to
    request, and starts again if a request is about an earlier time. Only one request uses it at a time: two would move
    it back and forth.

    Args:
        make: Makes the forecaster, over a copy of the live graph, when it is used for the first time.
    """

    def __init__(self, make: Callable[[], ForecasterT]) -> None:
        self._make = make
        self._forecaster: ForecasterT | None = None
        self._lock = Lock()

    @contextmanager
    def forecaster(self, limit: TimeLimit) -> Iterator[ForecasterT]:
        """The forecaster, once no other request uses it."""
        if not self._lock.acquire(timeout=min(limit.remaining, TIMEOUT_MAX)):
            raise TimeLimitError
        try:
            limit.check()
            if self._forecaster is None:
                self._forecaster = self._make()
            yield self._forecaster
        finally:
            self._lock.release()
