"""TimeLimit: stops long work of a request between two of its parts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from threading import Event
from time import monotonic
from typing import TypeVar

from tlogic.errors import TLogicError
from tlogic.execution import Execution

Item = TypeVar("Item")


class TimeLimitError(TLogicError):
    """A request took too long, or its client left, and it was stopped."""

    def __init__(self) -> None:
        super().__init__("The request takes too long; give a shorter period, fewer queries, or an entity or relation.")


@dataclass(frozen=True)
class TimeLimit:
    """The time until which a request may work, on the monotonic clock, unless its client leaves before.

    >>> NO_LIMIT.check()
    >>> TimeLimit(until=0.0).check()
    Traceback (most recent call last):
    tlogic.serving.engine.time_limit.TimeLimitError: The request takes too long; give a shorter period, fewer ...
    """

    until: float = inf
    has_left: Event = field(default_factory=Event, compare=False)
    """Set when nobody waits for the response any more."""

    @classmethod
    def seconds(cls, seconds: float) -> "TimeLimit":
        """A limit that many seconds from now."""
        return cls(monotonic() + seconds)

    @property
    def remaining(self) -> float:
        """The number of seconds left; 0 if there are none."""
        return max(self.until - monotonic(), 0.0)

    @property
    def execution(self) -> Execution:
        """One thread, stopped at the limit: requests share the cores."""
        return Execution(threads=1, progress=self._follow)

    def check(self) -> None:
        """Raise an error if the time is over or the client has left."""
        if monotonic() > self.until or self.has_left.is_set():
            raise TimeLimitError

    def _follow(self, items: Iterable[Item], *, total: int, description: str) -> Iterator[Item]:  # noqa: ARG002
        for item in items:
            self.check()
            yield item


NO_LIMIT = TimeLimit()
