"""Periods of interest: what they need, and the time before that they are compared with."""

from typing import NamedTuple

from tlogic.errors import InputError
from tlogic.graph.graph_protocol import Graph

_TIMES_BEFORE = 4
"""The period before is up to so many times as long as the period of interest."""


class ComparedPeriods(NamedTuple):
    """A period of interest and the one before, as time steps."""

    start: int
    """The first time step of the period before."""
    since: int
    """The first time step of the period of interest."""
    until: int
    """The time step after the last one."""

    @classmethod
    def of(cls, since: int, until: int) -> "ComparedPeriods":
        """A period of interest, and the longest period before that it is compared with.

        >>> ComparedPeriods.of(90, 100).start, ComparedPeriods.of(10, 100).start
        (50, 0)
        """
        return cls(max(since - _TIMES_BEFORE * (until - since), 0), since, until)

    @property
    def lengths(self) -> tuple[int, int]:
        """The number of time steps of the period before, and of the period of interest."""
        return self.since - self.start, self.until - self.since


def check_period(graph: Graph, first: int, end: int) -> None:
    """Report a period without facts, or without facts before it.

    Args:
        graph: The graph.
        first: The first time step of the period.
        end: The time step after its last one.

    Raises:
        InputError: If there are no facts before the period, or none in it.
    """
    if not 0 < first < end:
        label = graph.timeline.label_of
        raise InputError(
            f"There must be facts before and in the period; the facts are of {label(0)} to {label(end - 1)}."
        )
