"""Search along bodies of three atoms: follows the first atom and takes the other two from cached joins."""

from tlogic.compilation import helper
from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.grounding.join_cache import (
    BACK_SLOT,
    EMPTY,
    END,
    KEY,
    LATEST,
    MADE,
    SLOT,
    START,
    JoinCache,
    add_closed_join,
    closed_join_time,
    find_row,
    update_open_join,
)
from tlogic.forecasting.grounding.rule_plans import JoinTable
from tlogic.forecasting.grounding.visible_facts import NEVER, TimeWindow, VisibleFacts, latest_until
from tlogic.graph.binary_search import first_at_least


@helper
def ground_open(
    visible: VisibleFacts,
    table: JoinTable,
    cache: JoinCache,
    join: int,
    slot: int,
    window: TimeWindow,
    inner: Frontier,
    frontier: Frontier,
) -> int:
    """Ground r_1(s, x), r_2(x, y), r_3(y, c): follow r_1 through ``slot`` to each x, then an open join to each c.

    Fills the frontier with each candidate's latest t_1; returns their number.
    """
    target, newest, triple_start, triple_end = visible.target, visible.newest, visible.triple_start, visible.triple_end
    time_start, time, n_times = visible.time_start, visible.time, visible.n_times
    row, join_entity, join_time = cache.row, cache.entity, cache.time
    second, third = table.second[join], table.third[join]
    best, found = frontier
    until, since = window.until, window.since
    n_found = 0
    for triple in range(triple_start[slot], triple_end[slot]):
        ceiling = newest[triple]
        if ceiling < since:
            continue
        index = find_row(row, join, target[triple])
        if row[index, KEY] == EMPTY or row[index, MADE] < until:
            index = update_open_join(visible, cache, second, third, join, target[triple], window, inner)
        times, times_end = time_start[triple], time_start[triple] + n_times[triple]
        oldest = max(time[times], since)
        for i in range(row[index, START], row[index, END]):
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


@helper
def ground_closed(
    visible: VisibleFacts,
    table: JoinTable,
    cache: JoinCache,
    join: int,
    slot: int,
    window: TimeWindow,
    frontier: Frontier,
) -> int:
    """Ground r_1(s, x), r_2(x, y), r_3(y, x): follow r_1 through ``slot`` to each candidate x, then a closed join.

    Fills the frontier with each candidate's latest t_1; returns their number.
    """
    target, newest, slot_newest = visible.target, visible.newest, visible.slot_newest
    triple_start, triple_end = visible.triple_start, visible.triple_end
    time_start, time, n_times = visible.time_start, visible.time, visible.n_times
    row = cache.row
    second, back = table.second[join], table.third[join]
    best, found = frontier
    until, since = window.until, window.since
    n_found = 0
    for triple in range(triple_start[slot], triple_end[slot]):
        if newest[triple] < since:
            continue
        x = target[triple]
        index = find_row(row, join, x)
        if row[index, KEY] == EMPTY:
            index = add_closed_join(visible, cache, second, back, join, x)
        away_slot, back_slot = row[index, SLOT], row[index, BACK_SLOT]
        if away_slot < 0 or back_slot < 0:
            continue
        if max(slot_newest[away_slot], slot_newest[back_slot]) >= row[index, MADE]:
            row[index, LATEST] = closed_join_time(visible, away_slot, back_slot)
            row[index, MADE] = until
        t = row[index, LATEST]
        if t >= since:
            t = latest_until(time_start, time, n_times, triple, t)
        if t >= since:
            best[x] = t
            found[n_found] = x
            n_found += 1
    return n_found
