"""Sorted runs that grow: the arrays of a triple index, made so that an edge can come in without sorting all again.

The slots of an entity are a run, so are the triples of a slot and the times of a triple. A run stands in one piece and
in order, and has some room behind it. Where the room is used up, the run moves behind all others, with twice the room.
So an edge touches three runs and nothing else, and kernels that read runs by their start and end see no difference.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Bools, Ints
from tlogic.graph.binary_search import first_at_least
from tlogic.graph.triples import TripleIndex

NEVER = -1
SLOTS, TRIPLES, TIMES = 0, 1, 2
_SPARE = 1024
_NO_ROOM, _KNOWN, _ADDED = -1, 0, 1


class GrowingIndex(NamedTuple):
    """The edges of a graph by source, relation, target and time, with room for more."""

    slot_start: Ints
    slot_end: Ints
    slot_room: Ints
    """Per entity: its slots, and the end of the room for them."""
    slot_relation: Ints
    slot_newest: Ints
    triple_start: Ints
    triple_end: Ints
    triple_room: Ints
    """Per slot: its triples, and the end of the room for them."""
    target: Ints
    newest: Ints
    time_start: Ints
    n_times: Ints
    time_room: Ints
    """Per triple: its times, and the end of the room for them."""
    time: Ints
    used: Ints
    """Three numbers: how many slots, triples and times are in use, or were before their runs moved away."""


def build_growing_index(triples: TripleIndex) -> GrowingIndex:
    """The runs of a triple index, close together, and spare room behind them."""
    slot_end, triple_end = triples.slot_start[1:], triples.triple_start[1:]
    time_end = triples.time_start[1:]
    newest = triples.time[time_end - 1]
    slot_newest = np.maximum.reduceat(newest, triples.triple_start[:-1]) if len(newest) else newest
    return GrowingIndex(
        slot_start=_roomy(triples.slot_start[:-1]),
        slot_end=_roomy(slot_end),
        slot_room=_roomy(slot_end),
        slot_relation=_roomy(triples.slot_relation),
        slot_newest=_roomy(slot_newest),
        triple_start=_roomy(triples.triple_start[:-1]),
        triple_end=_roomy(triple_end),
        triple_room=_roomy(triple_end),
        target=_roomy(triples.target),
        newest=_roomy(newest),
        time_start=_roomy(triples.time_start[:-1]),
        n_times=_roomy(np.diff(triples.time_start).astype(np.int32)),
        time_room=_roomy(time_end),
        time=_roomy(triples.time),
        used=np.array([len(triples.slot_relation), len(triples.target), len(triples.time)], np.int64),
    )


def with_spare_capacity(index: GrowingIndex) -> GrowingIndex:
    """The same runs, with spare room behind them again."""
    columns = {name: _roomy(column) for name, column in index._asdict().items() if name != "used"}
    return index._replace(**columns)


def _roomy(column: Ints) -> Ints:
    return np.concatenate([column, np.zeros(len(column) // 4 + _SPARE, column.dtype)])


@njit(cache=True, nogil=True)
def insert_facts(
    index: GrowingIndex, subject: Ints, relation: Ints, object_: Ints, time: Ints, half: int, first: int, new: Bools
) -> int:
    """Take in facts and their inverses from the place ``first`` on, and note which are new.

    The place behind the last one that was taken in: the end, or an earlier one where more room is needed.
    """
    for i in range(first, len(subject)):
        there = _add_edge(index, subject[i], relation[i], object_[i], time[i])
        back = _add_edge(index, object_[i], relation[i] + half, subject[i], time[i]) if there != _NO_ROOM else _NO_ROOM
        if back == _NO_ROOM:
            return i  # what is half done is known next time, and then only the rest is added
        new[i] = back == _ADDED
    return len(subject)


@njit(cache=True, nogil=True)
def visible_at(index: GrowingIndex, now: int) -> tuple[Ints, Ints, Ints]:
    """How many times of each triple lie before now, the newest of them, and that of each slot."""
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


@njit(cache=True, nogil=True)
def _add_edge(index: GrowingIndex, source: int, relation: int, target: int, time: int) -> int:
    """Put an edge in its place; whether it was added, known before, or found no room."""
    slot = _slot_of(index, source, relation)
    triple = _triple_of(index, slot, target) if slot >= 0 else -1
    if triple < 0:
        return _NO_ROOM
    added = _add_time(index, triple, time)
    if added == _ADDED:
        index.newest[triple] = max(index.newest[triple], time)
        index.slot_newest[slot] = max(index.slot_newest[slot], time)
    return added


@njit(cache=True, nogil=True)
def _slot_of(index: GrowingIndex, entity: int, relation: int) -> int:
    """The slot of an entity and a relation, a new one where there was none; -1 where there is no room for it."""
    start, end = index.slot_start[entity], index.slot_end[entity]
    at = first_at_least(index.slot_relation, start, end, relation)
    if at < end and index.slot_relation[at] == relation:
        return at
    place = _place_for_one_more(start, end, index.slot_room, entity, index.used, SLOTS, len(index.slot_relation))
    if place < 0:
        return -1
    n, hole = end - start, at - start
    for column in (index.slot_relation, index.slot_newest):
        _open_up(column, start, place, n, hole)
    for bounds in (index.triple_start, index.triple_end, index.triple_room):
        _open_up(bounds, start, place, n, hole)
    at = place + hole
    index.slot_relation[at], index.slot_newest[at] = relation, NEVER
    index.triple_start[at], index.triple_end[at], index.triple_room[at] = 0, 0, 0
    index.slot_start[entity], index.slot_end[entity] = place, place + n + 1
    return at


@njit(cache=True, nogil=True)
def _triple_of(index: GrowingIndex, slot: int, target: int) -> int:
    """The triple of a slot and a target, a new one where there was none; -1 where there is no room for it."""
    start, end = index.triple_start[slot], index.triple_end[slot]
    at = first_at_least(index.target, start, end, target)
    if at < end and index.target[at] == target:
        return at
    place = _place_for_one_more(start, end, index.triple_room, slot, index.used, TRIPLES, len(index.target))
    if place < 0:
        return -1
    n, hole = end - start, at - start
    for column in (index.target, index.newest, index.n_times):
        _open_up(column, start, place, n, hole)
    for bounds in (index.time_start, index.time_room):
        _open_up(bounds, start, place, n, hole)
    at = place + hole
    index.target[at], index.newest[at], index.n_times[at] = target, NEVER, 0
    index.time_start[at], index.time_room[at] = 0, 0
    index.triple_start[slot], index.triple_end[slot] = place, place + n + 1
    return at


@njit(cache=True, nogil=True)
def _add_time(index: GrowingIndex, triple: int, time: int) -> int:
    """Put a time in its place; whether it was added, known before, or found no room."""
    start, n = index.time_start[triple], index.n_times[triple]
    at = first_at_least(index.time, start, start + n, time)
    if at < start + n and index.time[at] == time:
        return _KNOWN
    place = _place_for_one_more(start, start + n, index.time_room, triple, index.used, TIMES, len(index.time))
    if place < 0:
        return _NO_ROOM
    _open_up(index.time, start, place, n, at - start)
    index.time[place + at - start] = time
    index.time_start[triple], index.n_times[triple] = place, n + 1
    return _ADDED


@njit(cache=True, nogil=True)
def _place_for_one_more(start: int, end: int, room: Ints, run: int, used: Ints, level: int, size: int) -> int:
    """Where a run stands once it has room for one more: where it is, or behind all others; -1 if that is too far."""
    if end < room[run]:
        return start
    wanted = 2 * (end - start) + 2
    place = used[level]
    if place + wanted > size:
        return -1
    used[level] += wanted
    room[run] = place + wanted
    return place


@njit(cache=True, nogil=True)
def _open_up(column: Ints, old: int, new: int, n: int, hole: int) -> None:
    """Move the n entries of a run to its new place, which may be the old one, with a hole among them."""
    for k in range(n - 1, hole - 1, -1):
        column[new + k + 1] = column[old + k]
    if new != old:
        for k in range(hole):
            column[new + k] = column[old + k]
