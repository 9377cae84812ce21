"""The newest triples of large slots, for when the number of groundings is limited; cached until a newer fact appears.

A hub entity has slots with tens of thousands of triples, and many rules pass through them. Finding the newest triples
means scanning the slot; the cached list spares the scan.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.forecasting.grounding.visible_facts import TimeWindow, VisibleFacts
from tlogic.forecasting.settings import UNLIMITED_GROUNDINGS
from tlogic.graph.arrays import Ints, integer_dtype


class RecentTriples(NamedTuple):
    """One list of triples for each slot that has more than ``limit`` of them."""

    row: Ints
    """Per slot: the index of its list, or -1."""
    made: Ints
    """Per list: facts before this time are included."""
    triple: Ints
    """Per list: its triples, ascending."""
    n_triples: Ints
    n_lists: Ints
    """One number: how many lists there are."""
    rank: Ints
    """Per entity: the position of its name among the sorted names."""


def new_recent_triples(n_slots: int, n_triples: int, limit: int, rank: Ints) -> RecentTriples:
    """Room for the recent of all slots that can have more triples than the limit; memory pages that are never written
    to cost nothing."""
    n_lists = n_triples // (limit + 1)
    return RecentTriples(
        row=np.full(n_slots if n_lists else 0, -1, np.int32),
        made=np.zeros(n_lists, np.int64),
        triple=np.empty((n_lists, limit if n_lists else 0), integer_dtype(n_triples)),
        n_triples=np.zeros(n_lists, np.int64),
        n_lists=np.zeros(1, np.int64),
        rank=rank,
    )


@kernel
def clear_recent_triples(recent: RecentTriples) -> None:
    """Drop all lists."""
    if recent.n_lists[0] > 0:
        recent.row[:] = -1
        recent.n_lists[0] = 0


@helper
def update_recent(visible: VisibleFacts, recent: RecentTriples, slot: int, window: TimeWindow) -> int:
    """Update the list of a slot's newest triples; returns its index."""
    row = recent.row[slot]
    if row < 0:
        row = recent.n_lists[0]
        recent.n_lists[0] += 1
        recent.row[slot], recent.made[row] = row, -1
    if visible.slot_newest[slot] >= recent.made[row]:
        recent.n_triples[row] = _newest(visible, slot, window.limit, recent.rank, recent.triple[row])
        recent.made[row] = window.until
    return int(row)


@helper
def _newest(visible: VisibleFacts, slot: int, limit: int, rank: Ints, out: Ints) -> int:
    """Collect the ``limit`` newest visible triples of a slot, ties by the name of the target; returns their number."""
    newest, target = visible.newest, visible.target
    start, end = visible.triple_start[slot], visible.triple_end[slot]
    floor, quota = _floor_of(newest, start, end, visible.slot_newest[slot], limit)
    last_rank = _last_rank(visible, start, end, floor, quota, rank)
    n = 0
    for triple in range(start, end):
        t = newest[triple]
        if t > floor or (t == floor and rank[target[triple]] <= last_rank):
            out[n] = triple
            n += 1
    return n


@helper
def _last_rank(visible: VisibleFacts, start: int, end: int, time: int, quota: int, rank: Ints) -> int:
    """The rank of the last target to take of those whose newest time is ``time``: the first ``quota`` by name."""
    tied = np.empty(end - start, np.int32)
    n, ascending = 0, True
    for triple in range(start, end):
        if visible.newest[triple] == time:
            tied[n] = rank[visible.target[triple]]
            ascending = ascending and (n == 0 or tied[n] > tied[n - 1])
            n += 1
    if quota >= n:
        return len(rank)
    return tied[quota - 1] if ascending else _nth_smallest(tied, n, quota, len(rank))


@helper
def _nth_smallest(values: Ints, n: int, nth: int, end: int) -> int:
    """The n-th smallest of the first distinct values below ``end``, by bisection: sorting takes longer to compile."""
    low, high = 0, end - 1
    while low < high:
        middle, n_below = (low + high) // 2, 0
        for i in range(n):
            n_below += values[i] <= middle
        if n_below >= nth:
            high = middle
        else:
            low = middle + 1
    return low


@helper
def _floor_of(newest: Ints, start: int, end: int, latest: int, limit: int) -> tuple[int, int]:
    """The time of the oldest triple among the ``limit`` newest, and how many triples of exactly that time to take."""
    step = 1  # gallop back from the latest time, near which a hub has most triples, until ``limit`` are found
    while step <= latest and _count_since(newest, start, end, latest - step) < limit:
        step *= 2
    floor = max(latest - step, 0)
    if _count_since(newest, start, end, floor) <= limit:
        return floor, UNLIMITED_GROUNDINGS
    while step > 0:  # then bisect for the latest such time
        if _count_since(newest, start, end, floor + step) >= limit:
            floor += step
        step >>= 1
    return floor, limit - _count_since(newest, start, end, floor + 1)


@helper
def _count_since(newest: Ints, start: int, end: int, time: int) -> int:
    """The number of triples in a range whose newest time is at or after ``time``."""
    count = 0
    for i in range(start, end):
        count += newest[i] >= time
    return count
