"""What is known so far: each triple's newest time before now, kept up to date as time goes on.

Queries are answered in order of time. So "before the query" costs one array look-up, and nothing that comes later is
in reach.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints
from tlogic.graph.search import first_at_least
from tlogic.graph.triples import TripleIndex

NEVER = -1


class Known(NamedTuple):
    """The part of a graph that happened before now; the arrays of its triple index are shared, not copied."""

    slot_start: Ints
    slot_end: Ints
    """Per entity: its slots. Runs of a graph that grows do not stand in order, so each has an end of its own."""
    slot_relation: Ints
    triple_start: Ints
    triple_end: Ints
    target: Ints
    time_start: Ints
    time: Ints
    n_times: Ints
    """Per triple: how many of its times are known."""
    newest: Ints
    """Per triple: the newest known time, or NEVER."""
    slot_newest: Ints
    """Per slot: the newest known time of its triples, or NEVER."""
    n_arrived: Ints
    """A single number: how many edges are known."""
    until: Ints
    """A single number: the edges before this time are known."""


def nothing_known(triples: TripleIndex) -> Known:
    """The beginning of time."""
    return Known(
        slot_start=triples.slot_start[:-1],
        slot_end=triples.slot_start[1:],
        slot_relation=triples.slot_relation,
        triple_start=triples.triple_start[:-1],
        triple_end=triples.triple_start[1:],
        target=triples.target,
        time_start=triples.time_start,
        time=triples.time,
        n_times=np.zeros(len(triples.target), np.int32),
        newest=np.full(len(triples.target), NEVER, np.int32),
        slot_newest=np.full(len(triples.slot_relation), NEVER, np.int32),
        n_arrived=np.zeros(1, np.int64),
        until=np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def forget_facts(known: Known) -> None:
    """Go back to the beginning of time."""
    known.n_times[:] = 0
    known.newest[:] = NEVER
    known.slot_newest[:] = NEVER
    known.n_arrived[0] = 0
    known.until[0] = 0


@njit(cache=True, nogil=True)
def learn_until(known: Known, triples: TripleIndex, now: int) -> None:
    """Take in all edges that happened before ``now``."""
    slot, arrival, time = triples.slot, triples.arrival, triples.fact_time
    n_times, newest, slot_newest = known.n_times, known.newest, known.slot_newest
    i = known.n_arrived[0]
    while i < len(arrival) and time[i >> 1] < now:
        triple = arrival[i]
        n_times[triple] += 1
        newest[triple] = time[i >> 1]
        slot_newest[slot[triple]] = time[i >> 1]
        i += 1
    known.n_arrived[0] = i
    known.until[0] = now


@njit(cache=True, nogil=True)
def latest_until(time_start: Ints, time: Ints, n_times: Ints, triple: int, bound: int) -> int:
    """The newest known time of a triple that is not later than ``bound``, or NEVER."""
    start = time_start[triple]
    found = first_at_least(time, start, start + n_times[triple], bound + 1)
    return time[found - 1] if found > start else NEVER
