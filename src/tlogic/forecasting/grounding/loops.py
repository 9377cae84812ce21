"""Bodies that begin with a loop: away from the query's subject and back, and on from there."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.grounding.known import NEVER, Horizon, Known, latest_until
from tlogic.forecasting.grounding.reached import Reached
from tlogic.graph.arrays import Ints


class Loops(NamedTuple):
    """Pairs of triples that lead away from an entity and back, with the latest t_1 of each."""

    away: Ints
    back: Ints
    bound: Ints


def new_loops(n_entities: int) -> Loops:
    """Room for a loop over every entity."""
    return Loops(*(np.empty(n_entities, np.int64) for _ in Loops._fields))


@njit(cache=True, nogil=True)
def ground_loop(
    known: Known,
    loops: Loops,
    slot: int,
    back_slot: int,
    horizon: Horizon,
    inner: Reached,
    n_inner: int,
    reached: Reached,
) -> int:
    """Go through ``slot`` and back, before a rest that reached ``inner``, which is emptied.

    A candidate's t_1 depends on its rest only through the time at which the rest begins.
    """
    n_loops = _find_loops(known, loops, slot, back_slot, horizon.since) if n_inner > 0 else 0
    order = np.argsort(-loops.bound[:n_loops], kind="mergesort")
    n_found = 0
    for i in range(n_inner):
        c = inner.entity[i]
        t = _latest_through(known, loops, order, inner.best[c], horizon.since)
        inner.best[c] = NEVER
        if t >= horizon.since:
            reached.best[c], reached.entity[n_found] = t, c
            n_found += 1
    return n_found


@njit(cache=True, nogil=True, inline="always")
def _latest_through(known: Known, loops: Loops, order: Ints, begins: int, since: int) -> int:
    """The latest t_1 of a loop that is over when the rest begins.

    Loops are tried in order of the latest t_1 they allow, and the first that allows no later one ends the search.
    """
    latest = NEVER
    for loop in order:
        if loops.bound[loop] <= latest:
            break
        away, back = loops.away[loop], loops.back[loop]
        if known.newest[back] <= begins:
            latest = loops.bound[loop]
            break
        t = latest_until(known.time_start, known.time, known.n_times, back, begins)
        if t >= since and t > latest:
            latest = max(latest, latest_until(known.time_start, known.time, known.n_times, away, t))
    return latest


@njit(cache=True, nogil=True)
def _find_loops(known: Known, loops: Loops, slot: int, back_slot: int, since: int) -> int:
    """The triples of two slots of one source that share a target, by merging; how many allow a t_1 at or after
    ``since``."""
    target, newest, triple_start, triple_end = known.target, known.newest, known.triple_start, known.triple_end
    time_start, time, n_times = known.time_start, known.time, known.n_times
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
