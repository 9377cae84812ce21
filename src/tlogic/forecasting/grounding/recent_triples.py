"""The newest triples of large slots, where only so many are followed: remembered until the slot has a newer one.

A hub has slots with tens of thousands of triples, and rule after rule passes through them. To find the newest of them
takes a look at all; to follow them again does not.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.grounding.visible_facts import TimeWindow, VisibleFacts
from tlogic.forecasting.settings import UNLIMITED
from tlogic.graph.arrays import Ints, integer_dtype


class RecentTriples(NamedTuple):
    """Lists of triples, each of one slot that has more than may be followed."""

    row: Ints
    """Per slot: its list, or -1."""
    made: Ints
    """Per list: what happened before this time is included."""
    triple: Ints
    """Per list: the newest triples, ascending."""
    n_triples: Ints
    n_lists: Ints
    """A single number: how many recent there are."""


def new_recent_triples(n_slots: int, n_triples: int, limit: int) -> RecentTriples:
    """Room for the recent of all slots that can have more triples than the limit; memory pages that are never written
    to cost nothing."""
    n_lists = n_triples // (limit + 1)
    return RecentTriples(
        row=np.full(n_slots if n_lists else 0, -1, np.int32),
        made=np.zeros(n_lists, np.int64),
        triple=np.empty((n_lists, limit if n_lists else 0), integer_dtype(n_triples)),
        n_triples=np.zeros(n_lists, np.int64),
        n_lists=np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def clear_recent_triples(recent: RecentTriples) -> None:
    """Start over with none."""
    if recent.n_lists[0] > 0:
        recent.row[:] = -1
        recent.n_lists[0] = 0


@njit(cache=True, nogil=True)
def update_recent(visible: VisibleFacts, recent: RecentTriples, slot: int, window: TimeWindow) -> int:
    """The list of the newest triples of a slot, brought up to date."""
    row = recent.row[slot]
    if row < 0:
        row = recent.n_lists[0]
        recent.n_lists[0] += 1
        recent.row[slot], recent.made[row] = row, -1
    if visible.slot_newest[slot] >= recent.made[row]:
        recent.n_triples[row] = _newest(visible, slot, window.limit, recent.triple[row])
        recent.made[row] = window.until
    return int(row)


@njit(cache=True, nogil=True)
def _newest(visible: VisibleFacts, slot: int, limit: int, out: Ints) -> int:
    """Collect the newest visible triples of a slot, of those equally old the first; how many there are."""
    newest, start, end = visible.newest, visible.triple_start[slot], visible.triple_end[slot]
    floor, quota = _floor_of(newest, start, end, visible.slot_newest[slot], limit)
    n = 0
    for triple in range(start, end):
        t = newest[triple]
        if t > floor or (t == floor and quota > 0):
            quota -= t == floor
            out[n] = triple
            n += 1
    return n


@njit(cache=True, nogil=True)
def _floor_of(newest: Ints, start: int, end: int, latest: int, limit: int) -> tuple[int, int]:
    """From which time on triples are followed, and how many of exactly that time, so that they are the newest ones."""
    step = 1  # gallop back from the latest time, where those of a hub are, until ``limit`` triples are left
    while step <= latest and _count_since(newest, start, end, latest - step) < limit:
        step *= 2
    floor = max(latest - step, 0)
    if _count_since(newest, start, end, floor) <= limit:
        return floor, UNLIMITED
    while step > 0:  # then halve, to the latest such time
        if _count_since(newest, start, end, floor + step) >= limit:
            floor += step
        step >>= 1
    return floor, limit - _count_since(newest, start, end, floor + 1)


@njit(cache=True, nogil=True)
def _count_since(newest: Ints, start: int, end: int, time: int) -> int:
    count = 0
    for i in range(start, end):
        count += newest[i] >= time
    return count
