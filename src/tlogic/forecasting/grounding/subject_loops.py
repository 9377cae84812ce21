"""Bodies that begin with a loop: away from the query's subject and back, and on from there."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.grounding.visible_facts import NEVER, TimeWindow, VisibleFacts, latest_until
from tlogic.graph.arrays import Ints


class SubjectLoops(NamedTuple):
    """Pairs of triples that lead away from an entity and back, with the latest t_1 of each."""

    away: Ints
    back: Ints
    bound: Ints


def new_subject_loops(n_entities: int) -> SubjectLoops:
    """Room for a loop over every entity."""
    return SubjectLoops(*(np.empty(n_entities, np.int64) for _ in SubjectLoops._fields))


@njit(cache=True, nogil=True)
def ground_loop(
    visible: VisibleFacts,
    loops: SubjectLoops,
    slot: int,
    back_slot: int,
    window: TimeWindow,
    inner: Frontier,
    n_inner: int,
    frontier: Frontier,
) -> int:
    """Go through ``slot`` and back, before a rest that frontier ``inner``, which is emptied.

    A candidate's t_1 depends on its rest only through the time at which the rest begins.
    """
    n_loops = _find_loops(visible, loops, slot, back_slot, window.since) if n_inner > 0 else 0
    order = np.argsort(-loops.bound[:n_loops], kind="mergesort")
    n_found = 0
    for i in range(n_inner):
        c = inner.entity[i]
        t = _latest_through(visible, loops, order, inner.best[c], window.since)
        inner.best[c] = NEVER
        if t >= window.since:
            frontier.best[c], frontier.entity[n_found] = t, c
            n_found += 1
    return n_found


@njit(cache=True, nogil=True, inline="always")
def _latest_through(visible: VisibleFacts, loops: SubjectLoops, order: Ints, begins: int, since: int) -> int:
    """The latest t_1 of a loop that is over when the rest begins.

    Loops are tried in order of the latest t_1 they allow, and the first that allows no later one ends the search.
    """
    latest = NEVER
    for loop in order:
        if loops.bound[loop] <= latest:
            break
        away, back = loops.away[loop], loops.back[loop]
        if visible.newest[back] <= begins:
            latest = loops.bound[loop]
            break
        t = latest_until(visible.time_start, visible.time, visible.n_times, back, begins)
        if t >= since and t > latest:
            latest = max(latest, latest_until(visible.time_start, visible.time, visible.n_times, away, t))
    return latest


@njit(cache=True, nogil=True)
def _find_loops(visible: VisibleFacts, loops: SubjectLoops, slot: int, back_slot: int, since: int) -> int:
    """The triples of two slots of one source that share a target, by merging; how many allow a t_1 at or after
    ``since``."""
    target, newest, triple_start, triple_end = visible.target, visible.newest, visible.triple_start, visible.triple_end
    time_start, time, n_times = visible.time_start, visible.time, visible.n_times
    back, back_end = triple_start[back_slot], triple_end[back_slot]
    start, end = triple_start[slot], triple_end[slot]
    n = 0
    for away in range(start, end):
        if newest[away] < since:
            continue
        while back < back_end and target[back] < target[away]:
            back += 1
        if back == back_end:
            break
        if target[back] == target[away]:
            t = latest_until(time_start, time, n_times, away, newest[back])
            if t >= since:
                loops.away[n], loops.back[n], loops.bound[n] = away, back, t
                n += 1
    return n
