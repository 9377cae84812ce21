"""What is known so far: each triple's newest time before now, kept up to date as time goes on.

Queries are answered in order of time. So "before the query" costs one array look-up, and nothing that comes later is
in reach. Where an earlier query comes, what happened since is unlearned.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints
from tlogic.graph.search import first_at_least
from tlogic.graph.triples import TripleIndex

NEVER = -1
_UNSURE = -2


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


class Horizon(NamedTuple):
    """Which of the known facts a query follows."""

    until: int
    """Facts before this time are known."""
    since: int
    """Facts at or after this time are followed."""
    limit: int
    """Of each slot only so many triples are followed, the newest."""


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
def know_until(known: Known, triples: TripleIndex, now: int) -> None:
    """Know all edges that happened before ``now``, and no others."""
    n = 2 * first_at_least(triples.fact_time, 0, len(triples.fact_time), now)
    n_arrived = known.n_arrived[0]
    if n < n_arrived:
        _go_back(known, triples, n)
    elif n - n_arrived > n_arrived:
        _begin_at(known, triples, now)
    else:
        _go_on(known, triples, n)
    known.n_arrived[0], known.until[0] = n, now


@njit(cache=True, nogil=True)
def _go_on(known: Known, triples: TripleIndex, end: int) -> None:
    """Take in the edges up to a place in the order of their arrival."""
    slot, arrival, time = triples.slot, triples.arrival, triples.fact_time
    n_times, newest, slot_newest = known.n_times, known.newest, known.slot_newest
    for i in range(known.n_arrived[0], end):
        triple = arrival[i]
        n_times[triple] += 1
        newest[triple] = time[i >> 1]
        slot_newest[slot[triple]] = time[i >> 1]


@njit(cache=True, nogil=True)
def _go_back(known: Known, triples: TripleIndex, end: int) -> None:
    """Unlearn the edges from a place on in the order of their arrival."""
    slot, arrival = triples.slot, triples.arrival
    n_times, newest, slot_newest = known.n_times, known.newest, known.slot_newest
    for i in range(end, known.n_arrived[0]):
        triple = arrival[i]
        n_times[triple] -= 1
        last = known.time_start[triple] + n_times[triple] - 1
        newest[triple] = known.time[last] if n_times[triple] > 0 else NEVER
        slot_newest[slot[triple]] = _UNSURE
    for i in range(end, known.n_arrived[0]):
        at = slot[arrival[i]]
        if slot_newest[at] == _UNSURE:
            slot_newest[at] = _newest_of(known, at)


@njit(cache=True, nogil=True)
def _begin_at(known: Known, triples: TripleIndex, now: int) -> None:
    """Look at each triple once, in order, which is faster than at each edge."""
    for triple in range(len(triples.target)):
        start = known.time_start[triple]
        end = first_at_least(known.time, start, known.time_start[triple + 1], now)
        known.n_times[triple] = end - start
        known.newest[triple] = known.time[end - 1] if end > start else NEVER
    for slot in range(len(known.slot_newest)):
        known.slot_newest[slot] = _newest_of(known, slot)


@njit(cache=True, nogil=True)
def _newest_of(known: Known, slot: int) -> int:
    newest = NEVER
    for triple in range(known.triple_start[slot], known.triple_end[slot]):
        newest = max(newest, known.newest[triple])
    return newest


@njit(cache=True, nogil=True)
def latest_until(time_start: Ints, time: Ints, n_times: Ints, triple: int, bound: int) -> int:
    """The newest known time of a triple that is not later than ``bound``, or NEVER."""
    start = time_start[triple]
    found = first_at_least(time, start, start + n_times[triple], bound + 1)
    return time[found - 1] if found > start else NEVER
