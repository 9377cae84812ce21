"""Search along bodies that begin with a loop at the query's subject: r_1(s, x), r_2(x, s), then the rest from s.

Loop and rest share no variable but s, so they constrain each other only in time: t_2 <= t_3. They are searched
separately, which avoids a search for every pair of them.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel_part
from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.grounding.visible_facts import NEVER, TimeWindow, VisibleFacts, latest_until
from tlogic.graph.arrays import Ints


class SubjectLoops(NamedTuple):
    """Pairs of triples that lead away from the subject and back, each with its latest t_1."""

    away: Ints
    back: Ints
    bound: Ints


def new_subject_loops(n_entities: int) -> SubjectLoops:
    """Scratch memory for a loop over every entity."""
    return SubjectLoops(*(np.empty(n_entities, np.int64) for _ in SubjectLoops._fields))


@helper
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
    """Ground a loop through ``slot`` and back, and a rest whose candidates are in ``inner``, each with its latest t_3.

    Fills the frontier with each candidate's latest t_1, resets ``inner``, and returns the number of candidates.
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


@kernel_part
def _latest_through(visible: VisibleFacts, loops: SubjectLoops, order: Ints, begins: int, since: int) -> int:
    """The latest t_1 of a loop with t_2 <= t_3, where t_3 = ``begins`` is the start of the rest.

    Loops come in decreasing order of their latest t_1, so the search ends at the first that cannot improve the result.
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


@helper
def _find_loops(visible: VisibleFacts, loops: SubjectLoops, slot: int, back_slot: int, since: int) -> int:
    """Merge the slots of r_1 and of the inverse of r_2; returns the number of loops with t_1 at or after ``since``."""
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
