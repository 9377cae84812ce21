"""The facts before a time t: each triple's number of visible times and its newest one, updated as t advances.

Queries are answered in order of time. "Before the query" is then a single array look-up, and later facts cannot leak
into a forecast. For an earlier query, later facts are removed again.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper
from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import first_at_least
from tlogic.graph.triples import TripleIndex

NEVER = -1
"""The time of something that has not happened."""
_STALE = -2  # marks slots whose newest time must be computed again


class VisibleFacts(NamedTuple):
    """The edges of a graph before a time; shares the arrays of the graph's triple index."""

    slot_start: Ints
    slot_end: Ints
    """Per entity: its slots. The arrays of a growing graph have gaps, so starts and ends are stored separately."""
    slot_relation: Ints
    triple_start: Ints
    triple_end: Ints
    target: Ints
    time_start: Ints
    time: Ints
    n_times: Ints
    """Per triple: the number of its visible times."""
    newest: Ints
    """Per triple: its newest visible time, or NEVER."""
    slot_newest: Ints
    """Per slot: the newest visible time of its triples, or NEVER."""
    n_visible: Ints
    """One number: how many edges are visible."""
    until: Ints
    """One number: edges before this time are visible."""


class TimeWindow(NamedTuple):
    """The visible facts that groundings of a query may use."""

    until: int
    """Facts before this time are visible."""
    since: int
    """Facts at or after this time are followed, t_q - window."""
    limit: int
    """At most this many triples of a slot are followed, the newest ones."""


def no_visible_facts(triples: TripleIndex) -> VisibleFacts:
    """The state before the first fact: nothing is visible."""
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


@helper
def advance_to(visible: VisibleFacts, triples: TripleIndex, now: int) -> None:
    """Make exactly the edges before ``now`` visible."""
    n = 2 * first_at_least(triples.fact_time, 0, len(triples.fact_time), now)
    n_visible = visible.n_visible[0]
    if n < n_visible:
        _rewind(visible, triples, n)
    elif n - n_visible > n_visible:
        _rebuild(visible, triples, now)
    else:
        _advance(visible, triples, n)
    visible.n_visible[0], visible.until[0] = n, now


@helper
def _advance(visible: VisibleFacts, triples: TripleIndex, end: int) -> None:
    """Add the edges up to index ``end`` in order of time."""
    slot, arrival, time = triples.slot, triples.arrival, triples.fact_time
    n_times, newest, slot_newest = visible.n_times, visible.newest, visible.slot_newest
    for i in range(visible.n_visible[0], end):
        triple = arrival[i]
        n_times[triple] += 1
        newest[triple] = time[i >> 1]
        slot_newest[slot[triple]] = time[i >> 1]


@helper
def _rewind(visible: VisibleFacts, triples: TripleIndex, end: int) -> None:
    """Remove the edges from index ``end`` on in order of time."""
    slot, arrival = triples.slot, triples.arrival
    n_times, newest, slot_newest = visible.n_times, visible.newest, visible.slot_newest
    for i in range(end, visible.n_visible[0]):
        triple = arrival[i]
        n_times[triple] -= 1
        last = visible.time_start[triple] + n_times[triple] - 1
        newest[triple] = visible.time[last] if n_times[triple] > 0 else NEVER
        slot_newest[slot[triple]] = _STALE
    for i in range(end, visible.n_visible[0]):
        changed = slot[arrival[i]]
        if slot_newest[changed] == _STALE:
            slot_newest[changed] = _newest_of(visible, changed)


@helper
def _rebuild(visible: VisibleFacts, triples: TripleIndex, now: int) -> None:
    """Compute everything again, triple by triple: faster than edge by edge when most edges are new."""
    for triple in range(len(triples.target)):
        start = visible.time_start[triple]
        end = first_at_least(visible.time, start, visible.time_start[triple + 1], now)
        visible.n_times[triple] = end - start
        visible.newest[triple] = visible.time[end - 1] if end > start else NEVER
    for slot in range(len(visible.slot_newest)):
        visible.slot_newest[slot] = _newest_of(visible, slot)


@helper
def _newest_of(visible: VisibleFacts, slot: int) -> int:
    """The newest visible time of a slot."""
    newest = NEVER
    for triple in range(visible.triple_start[slot], visible.triple_end[slot]):
        newest = max(newest, visible.newest[triple])
    return newest


@helper
def latest_until(time_start: Ints, time: Ints, n_times: Ints, triple: int, bound: int) -> int:
    """The newest visible time of a triple that is at most ``bound``, or NEVER."""
    start = time_start[triple]
    found = first_at_least(time, start, start + n_times[triple], bound + 1)
    return time[found - 1] if found > start else NEVER
