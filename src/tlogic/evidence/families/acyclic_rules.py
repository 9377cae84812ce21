"""Acyclic rules: the candidate did or suffered b a few steps ago, with anyone, and now someone does r to it.

Rules of the kind r(X, c, T) <- b(c, Y, T - a) for ages a of a few steps. They fire for every fact of the last steps at
every step at which r is queries for, whoever asks, and hit where c was an answer. What a step teaches counts for later
ones only.
"""

import numpy as np
from numba import njit

from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries, end_of_step
from tlogic.evidence.rates import Tally, count, new_tally, smoothed_rate
from tlogic.evidence.statements import Case, Edge, Statement
from tlogic.graph.arrays import Floats, Ints

N_AGES = 7
COLUMNS = ("largest", "sum", "sum of best")
PRIOR = 20.0


def new_state(n_relations: int) -> Tally:
    """How often the rules of one head relation fired and hit, per body relation and age; nothing yet."""
    return new_tally(n_relations, N_AGES)


@njit(cache=True, nogil=True)
def advance(histories: Histories, state: Tally, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Go through steps in order: fill the rows of the scored queries, then learn from all of that step."""
    n_entities = len(histories.slot_start) - 1
    largest, total = np.zeros((2, n_entities))
    answers = np.zeros(n_entities, np.bool_)
    first, scored = 0, 0
    while first < len(queries.time):
        end = end_of_step(queries, first)
        now = queries.time[first]
        recent = range(histories.step_start[max(now - N_AGES, 0)], histories.step_start[now])
        if queries.scored[first:end].any():
            _weigh(histories, state, now, recent, largest, total)
        for q in range(first, end):
            if queries.scored[q]:
                rows = slice(pairs.start[scored], pairs.start[scored + 1])
                _tell(largest, total, pairs.candidate[rows], out[rows])
                scored += 1
        true = queries.answer[queries.answer_start[first] : queries.answer_start[end]]
        if len(true):
            answers[true] = True
            for i in recent:
                age = now - histories.edges.time[i]
                count(state, histories.edges.relation[i], age - 1, answers[histories.edges.source[i]])
            answers[true] = False
        first = end


@njit(cache=True, nogil=True)
def _weigh(histories: Histories, state: Tally, now: int, recent: range, largest: Floats, total: Floats) -> None:
    """What the rules say of each entity now: the largest smoothed_rate, and all together."""
    largest[:] = 0.0
    total[:] = 0.0
    for i in recent:
        c = histories.edges.source[i]
        right = smoothed_rate(state, histories.edges.relation[i], now - histories.edges.time[i] - 1, PRIOR)
        largest[c] = max(largest[c], right)
        total[c] -= np.log(1.0 - right)


@njit(cache=True, nogil=True)
def _tell(largest: Floats, total: Floats, candidates: Ints, out: Floats) -> None:
    """Fill the rows of one query."""
    best = 1e-9
    for c in candidates:
        best = max(best, total[c])
    for row in range(len(candidates)):
        c = candidates[row]
        out[row, 0], out[row, 1], out[row, 2] = largest[c], total[c], total[c] / best


def describe(case: Case) -> Statement:
    """What this family says of a candidate: its best rule."""
    now = case.query.time
    recent = [edge for edge in case.edges(case.entity, None, None) if now - edge.time <= N_AGES]
    if not recent:
        return Statement(f"nothing happened to {case.candidate} in the last {case.span(N_AGES)}")

    def right(edge: Edge) -> float:
        return smoothed_rate(case.state, edge.relation, now - edge.time - 1, PRIOR)

    edges = sorted(recent, key=right, reverse=True)
    return Statement(
        f"{case.said(*edges[0][:3])} {case.span(now - edges[0].time)} before; of those to whom the like happened "
        f"{right(edges[0]):.1%} were the answer to some {case.relation}",
        tuple(edges),
    )
