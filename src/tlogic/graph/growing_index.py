"""A triple index that grows: an edge can be inserted without sorting all edges again.

The slots of an entity form a run, and so do the triples of a slot and the times of a triple. A run is contiguous and
sorted, with spare capacity at its end. A run that exceeds its capacity moves behind all other runs and gets twice the
capacity. Inserting an edge thus changes three runs only, and kernels that read runs by start and end work unchanged.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Bools, Ints
from tlogic.graph.binary_search import first_at_least
from tlogic.graph.triples import TripleIndex

NEVER = -1
SLOTS, TRIPLES, TIMES = 0, 1, 2
_MIN_SPARE_CAPACITY = 1024
_NO_CAPACITY, _DUPLICATE, _ADDED = -1, 0, 1


class GrowingIndex(NamedTuple):
    """The edges of a graph by source, relation, target and time, with spare capacity."""

    slot_start: Ints
    slot_end: Ints
    slot_capacity_end: Ints
    """Per entity: the range of its slots, and the end of its capacity."""
    slot_relation: Ints
    slot_newest: Ints
    triple_start: Ints
    triple_end: Ints
    triple_capacity_end: Ints
    """Per slot: the range of its triples, and the end of its capacity."""
    target: Ints
    newest: Ints
    time_start: Ints
    n_times: Ints
    time_capacity_end: Ints
    """Per triple: its times, and the end of its capacity."""
    time: Ints
    used: Ints
    """The numbers of allocated slots, triples and times, including those of runs that moved away."""


def build_growing_index(triples: TripleIndex) -> GrowingIndex:
    """Copy the runs of a triple index, without gaps, and add spare capacity at the end."""
    slot_end, triple_end = triples.slot_start[1:], triples.triple_start[1:]
    time_end = triples.time_start[1:]
    newest = triples.time[time_end - 1]
    slot_newest = np.maximum.reduceat(newest, triples.triple_start[:-1]) if len(newest) else newest
    return GrowingIndex(
        slot_start=_extended(triples.slot_start[:-1]),
        slot_end=_extended(slot_end),
        slot_capacity_end=_extended(slot_end),
        slot_relation=_extended(triples.slot_relation),
        slot_newest=_extended(slot_newest),
        triple_start=_extended(triples.triple_start[:-1]),
        triple_end=_extended(triple_end),
        triple_capacity_end=_extended(triple_end),
        target=_extended(triples.target),
        newest=_extended(newest),
        time_start=_extended(triples.time_start[:-1]),
        n_times=_extended(np.diff(triples.time_start).astype(np.int32)),
        time_capacity_end=_extended(time_end),
        time=_extended(triples.time),
        used=np.array([len(triples.slot_relation), len(triples.target), len(triples.time)], np.int64),
    )


def with_spare_capacity(index: GrowingIndex) -> GrowingIndex:
    """Copy the runs and add spare capacity at the end."""
    columns = {name: _extended(column) for name, column in index._asdict().items() if name != "used"}
    return index._replace(**columns)


def _extended(column: Ints) -> Ints:
    return np.concatenate([column, np.zeros(len(column) // 4 + _MIN_SPARE_CAPACITY, column.dtype)])


@kernel
def insert_facts(
    index: GrowingIndex, subject: Ints, relation: Ints, object_: Ints, time: Ints, half: int, first: int, new: Bools
) -> int:
    """Insert facts and their inverses from index ``first`` on, and mark the new ones.

    Returns the index after the last inserted fact: the number of facts, or less if more capacity is needed.
    """
    for i in range(first, len(subject)):
        forward = inverse = _add_edge(index, subject[i], relation[i], object_[i], time[i])
        if forward != _NO_CAPACITY:
            inverse = _add_edge(index, object_[i], relation[i] + half, subject[i], time[i])
        if inverse == _NO_CAPACITY:
            return i  # a forward edge inserted now is a duplicate next time, and only its inverse is added
        new[i] = inverse == _ADDED
    return len(subject)


@kernel
def visible_at(index: GrowingIndex, now: int) -> tuple[Ints, Ints, Ints]:
    """Per triple the number of times before ``now`` and the newest of them, and the newest time per slot."""
    n_slots, n_triples = index.used[SLOTS], index.used[TRIPLES]
    n_times, newest = np.zeros(n_triples, np.int32), np.full(n_triples, NEVER, np.int32)
    slot_newest = np.full(n_slots, NEVER, np.int32)
    for triple in range(n_triples):
        start = index.time_start[triple]
        end = first_at_least(index.time, start, start + index.n_times[triple], now)
        if end > start:
            n_times[triple], newest[triple] = end - start, index.time[end - 1]
    for slot in range(n_slots):
        for triple in range(index.triple_start[slot], index.triple_end[slot]):
            slot_newest[slot] = max(slot_newest[slot], newest[triple])
    return n_times, newest, slot_newest


@helper
def _add_edge(index: GrowingIndex, source: int, relation: int, target: int, time: int) -> int:
    """Insert an edge; return whether it was added, a duplicate, or exceeds the capacity."""
    slot = _slot_of(index, source, relation)
    triple = _triple_of(index, slot, target) if slot >= 0 else -1
    if triple < 0:
        return _NO_CAPACITY
    added = _add_time(index, triple, time)
    if added == _ADDED:
        index.newest[triple] = max(index.newest[triple], time)
        index.slot_newest[slot] = max(index.slot_newest[slot], time)
    return added


@helper
def _slot_of(index: GrowingIndex, entity: int, relation: int) -> int:
    """Find or create the slot of an entity and a relation; -1 if it exceeds the capacity."""
    start, end = index.slot_start[entity], index.slot_end[entity]
    at = first_at_least(index.slot_relation, start, end, relation)
    if at < end and index.slot_relation[at] == relation:
        return at
    new_start = _grown_start(start, end, index.slot_capacity_end, entity, index.used, SLOTS, len(index.slot_relation))
    if new_start < 0:
        return -1
    n, gap = end - start, at - start
    for column in (index.slot_relation, index.slot_newest):
        _insert_gap(column, start, new_start, n, gap)
    for bounds in (index.triple_start, index.triple_end, index.triple_capacity_end):
        _insert_gap(bounds, start, new_start, n, gap)
    at = new_start + gap
    index.slot_relation[at], index.slot_newest[at] = relation, NEVER
    index.triple_start[at], index.triple_end[at], index.triple_capacity_end[at] = 0, 0, 0
    index.slot_start[entity], index.slot_end[entity] = new_start, new_start + n + 1
    return at


@helper
def _triple_of(index: GrowingIndex, slot: int, target: int) -> int:
    """Find or create the triple of a slot and a target; -1 if it exceeds the capacity."""
    start, end = index.triple_start[slot], index.triple_end[slot]
    at = first_at_least(index.target, start, end, target)
    if at < end and index.target[at] == target:
        return at
    new_start = _grown_start(start, end, index.triple_capacity_end, slot, index.used, TRIPLES, len(index.target))
    if new_start < 0:
        return -1
    n, gap = end - start, at - start
    for column in (index.target, index.newest, index.n_times):
        _insert_gap(column, start, new_start, n, gap)
    for bounds in (index.time_start, index.time_capacity_end):
        _insert_gap(bounds, start, new_start, n, gap)
    at = new_start + gap
    index.target[at], index.newest[at], index.n_times[at] = target, NEVER, 0
    index.time_start[at], index.time_capacity_end[at] = 0, 0
    index.triple_start[slot], index.triple_end[slot] = new_start, new_start + n + 1
    return at


@helper
def _add_time(index: GrowingIndex, triple: int, time: int) -> int:
    """Insert a time; return whether it was added, a duplicate, or exceeds the capacity."""
    start, n = index.time_start[triple], index.n_times[triple]
    at = first_at_least(index.time, start, start + n, time)
    if at < start + n and index.time[at] == time:
        return _DUPLICATE
    new_start = _grown_start(start, start + n, index.time_capacity_end, triple, index.used, TIMES, len(index.time))
    if new_start < 0:
        return _NO_CAPACITY
    _insert_gap(index.time, start, new_start, n, at - start)
    index.time[new_start + at - start] = time
    index.time_start[triple], index.n_times[triple] = new_start, n + 1
    return _ADDED


@helper
def _grown_start(start: int, end: int, capacity_end: Ints, run: int, used: Ints, level: int, size: int) -> int:
    """The start of a run with capacity for one more entry: unchanged, or behind all runs; -1 if none is left."""
    if end < capacity_end[run]:
        return start
    capacity = 2 * (end - start) + 2
    new_start = used[level]
    if new_start + capacity > size:
        return -1
    used[level] += capacity
    capacity_end[run] = new_start + capacity
    return new_start


@helper
def _insert_gap(column: Ints, old: int, new: int, n: int, gap: int) -> None:
    """Move the n entries of a run from ``old`` to ``new`` (which may be equal) and leave a gap for one entry."""
    for k in range(n - 1, gap - 1, -1):
        column[new + k + 1] = column[old + k]
    if new != old:
        for k in range(gap):
            column[new + k] = column[old + k]
