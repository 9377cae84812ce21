"""What is visible so far: each triple's newest time before now, kept up to date as time goes on.

Queries are answered in order of time. So "before the query" costs one array look-up, and nothing that comes later is
in reach. Where an earlier query comes, what happened since is unlearned.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import first_at_least
from tlogic.graph.triples import TripleIndex

NEVER = -1
_STALE = -2


class VisibleFacts(NamedTuple):
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
    """Per triple: how many of its times are visible."""
    newest: Ints
    """Per triple: the newest visible time, or NEVER."""
    slot_newest: Ints
    """Per slot: the newest visible time of its triples, or NEVER."""
    n_visible: Ints
    """A single number: how many edges are visible."""
    until: Ints
    """A single number: the edges before this time are visible."""


class TimeWindow(NamedTuple):
    """Which of the visible facts a query follows."""

    until: int
    """Facts before this time are visible."""
    since: int
    """Facts at or after this time are followed."""
    limit: int
    """Of each slot only so many triples are followed, the newest."""


def no_visible_facts(triples: TripleIndex) -> VisibleFacts:
    """The beginning of time."""
    return VisibleFacts(
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
        n_visible=np.zeros(1, np.int64),
        until=np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def advance_to(visible: VisibleFacts, triples: TripleIndex, now: int) -> None:
    """Know all edges that happened before ``now``, and no others."""
    n = 2 * first_at_least(triples.fact_time, 0, len(triples.fact_time), now)
    n_visible = visible.n_visible[0]
    if n < n_visible:
        _rewind(visible, triples, n)
    elif n - n_visible > n_visible:
        _rebuild(visible, triples, now)
    else:
        _advance(visible, triples, n)
    visible.n_visible[0], visible.until[0] = n, now


@njit(cache=True, nogil=True)
def _advance(visible: VisibleFacts, triples: TripleIndex, end: int) -> None:
    """Take in the edges up to a place in the order of their arrival."""
    slot, arrival, time = triples.slot, triples.arrival, triples.fact_time
    n_times, newest, slot_newest = visible.n_times, visible.newest, visible.slot_newest
    for i in range(visible.n_visible[0], end):
        triple = arrival[i]
        n_times[triple] += 1
        newest[triple] = time[i >> 1]
        slot_newest[slot[triple]] = time[i >> 1]


@njit(cache=True, nogil=True)
def _rewind(visible: VisibleFacts, triples: TripleIndex, end: int) -> None:
    """Unlearn the edges from a place on in the order of their arrival."""
    slot, arrival = triples.slot, triples.arrival
    n_times, newest, slot_newest = visible.n_times, visible.newest, visible.slot_newest
    for i in range(end, visible.n_visible[0]):
        triple = arrival[i]
        n_times[triple] -= 1
        last = visible.time_start[triple] + n_times[triple] - 1
        newest[triple] = visible.time[last] if n_times[triple] > 0 else NEVER
        slot_newest[slot[triple]] = _STALE
    for i in range(end, visible.n_visible[0]):
        at = slot[arrival[i]]
        if slot_newest[at] == _STALE:
            slot_newest[at] = _newest_of(visible, at)


@njit(cache=True, nogil=True)
def _rebuild(visible: VisibleFacts, triples: TripleIndex, now: int) -> None:
    """Look at each triple once, in order, which is faster than at each edge."""
    for triple in range(len(triples.target)):
        start = visible.time_start[triple]
        end = first_at_least(visible.time, start, visible.time_start[triple + 1], now)
        visible.n_times[triple] = end - start
        visible.newest[triple] = visible.time[end - 1] if end > start else NEVER
    for slot in range(len(visible.slot_newest)):
        visible.slot_newest[slot] = _newest_of(visible, slot)


@njit(cache=True, nogil=True)
def _newest_of(visible: VisibleFacts, slot: int) -> int:
    newest = NEVER
    for triple in range(visible.triple_start[slot], visible.triple_end[slot]):
        newest = max(newest, visible.newest[triple])
    return newest


@njit(cache=True, nogil=True)
def latest_until(time_start: Ints, time: Ints, n_times: Ints, triple: int, bound: int) -> int:
    """The newest visible time of a triple that is not later than ``bound``, or NEVER."""
    start = time_start[triple]
    found = first_at_least(time, start, start + n_times[triple], bound + 1)
    return time[found - 1] if found > start else NEVER
