"""Rules with constants: whoever was lately with d did r to c. How often did that come true?

Counted whenever it could have been said: at every query (s, r, ?, t) a rule fires for each of s's strongest partners
d, and hits for each answer. What a query teaches counts for later times only.
"""

from typing import Any

import numpy as np
from numba import njit, types
from numba.typed import Dict

from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries, answers_of, end_of_step
from tlogic.evidence.partners import strongest_partners
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Floats

COLUMNS = ("largest", "sum")
_N_PARTNERS = 15
_PRIOR = 5.0


def new_state(n_relations: int) -> Any:  # noqa: ARG001 (as all counted families)
    """How often partners came before queries, and together with answers, by key; nothing yet."""
    return Dict.empty(types.int64, types.float64)


@njit(cache=True, nogil=True)
def advance(histories: Histories, state: Any, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Go through queries in order of time: fill the rows of those scored, then learn from all of the same time."""
    n_entities = len(histories.slot_start) - 1
    partners = np.full((len(queries.time), _N_PARTNERS), -1, np.int64)
    first, scored = 0, 0
    while first < len(queries.time):
        end = end_of_step(queries, first)
        for q in range(first, end):
            near = strongest_partners(histories, queries.subject[q], queries.time[q], _N_PARTNERS)
            partners[q] = near.entity
            if queries.scored[q]:
                rows = slice(pairs.start[scored], pairs.start[scored + 1])
                _tell(state, near.entity, pairs.candidate[rows], n_entities, out[rows])
                scored += 1
        for q in range(first, end):
            true = answers_of(queries, q)
            if len(true):
                _learn(state, partners[q], true, n_entities)
        first = end


@njit(cache=True, nogil=True)
def _tell(state: Any, partners: np.ndarray, candidates: np.ndarray, n_entities: int, out: Floats) -> None:
    out[:] = 0.0
    for d in partners:
        if d < 0 or _fires(d, n_entities) not in state:
            continue
        fires = state[_fires(d, n_entities)]
        for p in range(len(candidates)):
            key = _hits(d, candidates[p], n_entities)
            if key in state:
                smoothed_rate = state[key] / (fires + _PRIOR)
                out[p, 0] = max(out[p, 0], smoothed_rate)
                out[p, 1] += smoothed_rate


@njit(cache=True, nogil=True)
def _learn(state: Any, partners: np.ndarray, answers: np.ndarray, n_entities: int) -> None:
    for d in partners:
        if d >= 0:
            _count(state, _fires(d, n_entities))
            for c in answers:
                _count(state, _hits(d, c, n_entities))


@njit(cache=True, nogil=True)
def _count(state: Any, key: int) -> None:
    state[key] = state.get(key, 0.0) + 1.0


@njit(cache=True, nogil=True)
def _hits(d: int, c: int, n_entities: int) -> int:
    return int(d) * (n_entities + 1) + int(c)


@njit(cache=True, nogil=True)
def _fires(d: int, n_entities: int) -> int:
    return int(d) * (n_entities + 1) + n_entities


def describe(case: Case) -> Statement:
    """What this family says of a candidate: its best rule."""
    n_entities = len(case.graph.entities)
    partners = strongest_partners(case.histories, case.query.subject, case.query.time, _N_PARTNERS).entity
    chances = {
        int(d): case.state[_hits(d, case.entity, n_entities)] / (case.state[_fires(d, n_entities)] + _PRIOR)
        for d in partners
        if d >= 0 and _hits(d, case.entity, n_entities) in case.state
    }
    if not chances:
        return Statement(
            f"no partner of {case.subject} was one of those that had {case.relation} with {case.candidate}"
        )
    best = max(chances, key=lambda d: chances[d])
    return Statement(
        f"{case.subject} lately had to do with {case.graph.entities.name_of(best)}; for those who had, "
        f"{case.candidate} was the answer to {chances[best]:.1%} of all {case.relation}",
        (*case.edges(case.query.subject, None, best)[:1], *case.answers()),
    )
