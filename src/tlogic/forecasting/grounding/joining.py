"""Bodies of three steps: the first one is followed, the other two are remembered joins."""

from numba import njit

from tlogic.forecasting.grounding.joins import (
    BACK_SLOT,
    EMPTY,
    END,
    KEY,
    LATEST,
    MADE,
    SLOT,
    START,
    Joins,
    close,
    find_row,
    make_open,
    remember_closed,
)
from tlogic.forecasting.grounding.known import NEVER, Horizon, Known, latest_until
from tlogic.forecasting.grounding.plans import JoinTable
from tlogic.forecasting.grounding.reached import Reached
from tlogic.graph.search import first_at_least


@njit(cache=True, nogil=True)
def ground_open(
    known: Known,
    table: JoinTable,
    joins: Joins,
    join: int,
    slot: int,
    horizon: Horizon,
    inner: Reached,
    reached: Reached,
) -> int:
    """Follow the first step through ``slot`` to each x, and from there an open join."""
    target, newest, triple_start, triple_end = known.target, known.newest, known.triple_start, known.triple_end
    time_start, time, n_times = known.time_start, known.time, known.n_times
    row, join_entity, join_time = joins.row, joins.entity, joins.time
    second, third = table.second[join], table.third[join]
    best, found = reached
    visible_until, since = horizon.until, horizon.since
    n_found = 0
    for triple in range(triple_start[slot], triple_end[slot]):
        ceiling = newest[triple]
        if ceiling < since:
            continue
        place = find_row(row, join, target[triple])
        if row[place, KEY] == EMPTY or row[place, MADE] < visible_until:
            place = make_open(known, joins, second, third, join, target[triple], horizon, inner)
        times, times_end = time_start[triple], time_start[triple] + n_times[triple]
        oldest = max(time[times], since)
        for i in range(row[place, START], row[place, END]):
            c, t = join_entity[i], join_time[i]
            if t < oldest or best[c] >= min(t, ceiling):
                continue
            if t < ceiling:
                t = time[first_at_least(time, times, times_end, t + 1) - 1]
                if t < since or t <= best[c]:
                    continue
            else:
                t = ceiling
            if best[c] == NEVER:
                found[n_found] = c
                n_found += 1
            best[c] = t
    return n_found


@njit(cache=True, nogil=True)
def ground_closed(
    known: Known,
    table: JoinTable,
    joins: Joins,
    join: int,
    slot: int,
    horizon: Horizon,
    reached: Reached,
) -> int:
    """Follow the first step through ``slot`` to each x, and from there a closed join back to x, the candidate."""
    target, newest, slot_newest = known.target, known.newest, known.slot_newest
    triple_start, triple_end = known.triple_start, known.triple_end
    time_start, time, n_times = known.time_start, known.time, known.n_times
    row = joins.row
    second, back = table.second[join], table.third[join]
    best, found = reached
    visible_until, since = horizon.until, horizon.since
    n_found = 0
    for triple in range(triple_start[slot], triple_end[slot]):
        if newest[triple] < since:
            continue
        x = target[triple]
        place = find_row(row, join, x)
        if row[place, KEY] == EMPTY:
            place = remember_closed(known, joins, second, back, join, x)
        away_slot, back_slot = row[place, SLOT], row[place, BACK_SLOT]
        if away_slot < 0 or back_slot < 0:
            continue
        if max(slot_newest[away_slot], slot_newest[back_slot]) >= row[place, MADE]:
            row[place, LATEST] = close(known, away_slot, back_slot)
            row[place, MADE] = visible_until
        t = row[place, LATEST]
        if t >= since:
            t = latest_until(time_start, time, n_times, triple, t)
        if t >= since:
            best[x] = t
            found[n_found] = x
            n_found += 1
    return n_found
