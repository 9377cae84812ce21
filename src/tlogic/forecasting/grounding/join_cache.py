"""Cached joins of the second and third atom of a body, from an entity x; updated as time advances.

An *open join* maps each entity c with r_2(x, y), r_3(y, c) to the latest time of the first of the two facts, over all
y. A *closed join* is the same for c = x alone: one time. Both depend on x and two relations, but not on the query. New
facts can only make these times later, so an update reads only the facts since the last one.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel, kernel_part
from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.grounding.visible_facts import NEVER, TimeWindow, VisibleFacts, latest_until
from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import find_within, first_at_least
from tlogic.graph.hashing import splitmix64

# The columns of a row: eight numbers of eight bytes, one line of the processor's cache.
KEY, MADE, SLOT, BACK_SLOT, LATEST, START, END, ROOM = 0, 1, 2, 3, 4, 5, 6, 7
NEXT = BACK_SLOT
EMPTY = 0
_MAX_ROWS = 1 << 18
_MIN_ENTRIES = 1 << 22


class JoinCache(NamedTuple):
    """A hash table with one row per join; rows own ranges of the other arrays."""

    row: Ints
    """Columns of every row:

    - KEY: the join's id and x as one number, or EMPTY
    - MADE: facts before this time are included
    - SLOT: the slot of r_2

    Columns of closed joins:

    - BACK_SLOT: the slot of the inverse of r_3
    - LATEST: the time

    Columns of open joins:

    - NEXT: the index in ``next_slots`` of its slots of r_3, one for each triple of the slot of r_2
    - START, END: its entries in ``entity`` and ``time``
    - ROOM: the end of the range that is reserved for entries
    """
    entity: Ints
    time: Ints
    next_slots: Ints
    used: Ints
    """Three numbers: how many rows, entries and next slots are in use."""


def new_join_cache(n_entities: int, n_triples: int, max_rows: int = _MAX_ROWS) -> JoinCache:
    """An empty cache of at most ``max_rows`` rows, a power of 2; untouched memory pages cost nothing."""
    n_rows = min(max(1 << 12, 1 << n_triples.bit_length()), max_rows)
    n_entries = max(_MIN_ENTRIES, 4 * n_entities)
    return JoinCache(
        row=np.zeros((n_rows, 8), np.int64),
        entity=np.empty(n_entries, np.int32),
        time=np.empty(n_entries, np.int32),
        next_slots=np.empty(max(_MIN_ENTRIES, n_triples), np.int32),
        used=np.zeros(3, np.int64),
    )


@kernel
def clear_join_cache(cache: JoinCache) -> None:
    """Drop all joins."""
    if cache.used[0] > 0:
        cache.row[:, KEY] = EMPTY
        cache.used[:] = 0


@helper
def find_row(row: Ints, join: int, x: int) -> int:
    """The row of a join from x, or the empty row that it would take."""
    key = _key(join, x)
    mask = len(row) - 1
    index = int(np.int64(splitmix64(np.uint64(key))) & mask)
    while row[index, KEY] != key and row[index, KEY] != EMPTY:
        index = (index + 1) & mask
    return index


@helper
def _key(join: int, x: int) -> int:
    """A join and its x as one number, never EMPTY."""
    return int((np.int64(join + 1) << 32) | np.int64(x))


@helper
def add_closed_join(visible: VisibleFacts, cache: JoinCache, second: int, back: int, join: int, x: int) -> int:
    """Add a row for a closed join, still without its time; ``back`` is the inverse of r_3."""
    if 2 * cache.used[0] >= len(cache.row):
        clear_join_cache(cache)
    index = find_row(cache.row, join, x)
    row = cache.row[index]
    cache.used[0] += 1
    row[KEY], row[MADE], row[LATEST] = _key(join, x), 0, NEVER
    row[SLOT] = find_within(visible.slot_relation, visible.slot_start[x], visible.slot_end[x], second)
    row[BACK_SLOT] = find_within(visible.slot_relation, visible.slot_start[x], visible.slot_end[x], back)
    return index


@helper
def closed_join_time(visible: VisibleFacts, slot: int, back_slot: int) -> int:
    """The latest t_2 with r_2(x, y, t_2), r_3(y, x, t_3), t_2 <= t_3, over all y.

    Merges the slots of r_2 and of the inverse of r_3, which are sorted by y.
    """
    target, newest, triple_start, triple_end = visible.target, visible.newest, visible.triple_start, visible.triple_end
    time_start, time, n_times = visible.time_start, visible.time, visible.n_times
    back, back_end = triple_start[back_slot], triple_end[back_slot]
    latest = NEVER
    for triple in range(triple_start[slot], triple_end[slot]):
        while back < back_end and target[back] < target[triple]:
            back += 1
        if back == back_end:
            break
        if target[back] == target[triple] and min(newest[triple], newest[back]) > latest:
            latest = max(latest, latest_until(time_start, time, n_times, triple, newest[back]))
    return latest


@helper
def update_open_join(
    visible: VisibleFacts,
    cache: JoinCache,
    second: int,
    third: int,
    join: int,
    x: int,
    window: TimeWindow,
    scratch: Frontier,
) -> int:
    """Add an open join or update it; returns its row.

    Entries before the window may be missing: the window only moves forward.
    """
    if cache.used[1] + 2 * len(scratch.best) > len(cache.entity):
        clear_join_cache(cache)
    index = find_row(cache.row, join, x)
    if cache.row[index, KEY] == EMPTY:
        index = _add_open_join(visible, cache, second, third, join, x)
    row = cache.row[index]
    if row[SLOT] >= 0:
        n = _update(visible, cache, row, window.since, scratch)
        if n >= 0:
            _store(cache, row, n, window.since, scratch)
    row[MADE] = window.until
    return index


@kernel_part
def _add_open_join(visible: VisibleFacts, cache: JoinCache, second: int, third: int, join: int, x: int) -> int:
    """Add an empty row for an open join, with the slot of r_3 for each y."""
    triple_start, triple_end, target = visible.triple_start, visible.triple_end, visible.target
    slot_start, slot_end, slot_relation = visible.slot_start, visible.slot_end, visible.slot_relation
    next_slots = cache.next_slots
    slot = find_within(slot_relation, slot_start[x], slot_end[x], second)
    n_next = triple_end[slot] - triple_start[slot] if slot >= 0 else 0
    if 2 * cache.used[0] >= len(cache.row) or cache.used[2] + n_next > len(next_slots):
        clear_join_cache(cache)
    index = find_row(cache.row, join, x)
    row = cache.row[index]
    row[:] = 0
    row[KEY], row[SLOT], row[NEXT] = _key(join, x), slot, cache.used[2]
    for i in range(n_next):
        y = target[triple_start[slot] + i]
        next_slots[row[NEXT] + i] = find_within(slot_relation, slot_start[y], slot_end[y], third)
    cache.used[0] += 1
    cache.used[2] += n_next
    return index


@kernel_part
def _update(visible: VisibleFacts, cache: JoinCache, row: Ints, since: int, scratch: Frontier) -> int:
    """Load a join's entries into scratch and update them; returns their number, or -1 if nothing changed."""
    target, newest, slot_newest = visible.target, visible.newest, visible.slot_newest
    triple_start, triple_end = visible.triple_start, visible.triple_end
    time_start, time, n_times, next_slots = visible.time_start, visible.time, visible.n_times, cache.next_slots
    best, found = scratch
    made, next_start = row[MADE], row[NEXT]
    first, end = triple_start[row[SLOT]], triple_end[row[SLOT]]
    n = -1
    for triple in range(first, end):
        ceiling = newest[triple]
        next_slot = next_slots[next_start + triple - first]
        # a new fact of r_2 alone changes nothing: the facts of r_3 are older, so they do not follow it
        if ceiling < since or next_slot < 0 or slot_newest[next_slot] < made:
            continue
        if n < 0:
            n = _load(cache, row, scratch)
        times, times_end = time_start[triple], time_start[triple] + n_times[triple]
        changed_since = max(time[times], since, made)
        for last in range(triple_start[next_slot], triple_end[next_slot]):
            t = newest[last]
            c = target[last]
            if t < changed_since or best[c] >= min(t, ceiling):
                continue
            if t < ceiling:
                t = time[first_at_least(time, times, times_end, t + 1) - 1]
                if t <= best[c]:
                    continue
            else:
                t = ceiling
            if best[c] == NEVER:
                found[n] = c
                n += 1
            best[c] = t
    return n


@kernel_part
def _load(cache: JoinCache, row: Ints, scratch: Frontier) -> int:
    """Load a join's entries into scratch; returns their number."""
    start, end = row[START], row[END]
    for i in range(start, end):
        scratch.entity[i - start] = cache.entity[i]
        scratch.best[cache.entity[i]] = cache.time[i]
    return end - start


@kernel_part
def _store(cache: JoinCache, row: Ints, n: int, since: int, scratch: Frontier) -> None:
    """Move scratch into a join's entries, reallocated if there are too many, and reset scratch."""
    best, found = scratch
    entity, time = cache.entity, cache.time
    if row[START] + n > row[ROOM]:
        row[START] = cache.used[1]
        row[ROOM] = row[START] + n + n // 2
        cache.used[1] = row[ROOM]
    end = row[START]
    for i in range(n):
        c = found[i]
        if best[c] >= since:
            entity[end], time[end] = c, best[c]
            end += 1
        best[c] = NEVER
    row[END] = end
