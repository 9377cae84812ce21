"""Rules of length 2, counted: the subject did b1 to x, x did b2 to the candidate, and now r. How often was that true?

Rules fire along the last events of the subject and of each x, and are counted by the ages of both. As with rules of
length 1, they are counted at every query, and what a query teaches counts for later times only.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries, answers_of, end_of_step
from tlogic.evidence.rates import Tally, bucket_of, count, insert_largest, new_tally, smoothed_rate
from tlogic.evidence.statements import Case, Edge, Statement
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.binary_search import first_at_least

AGES = (3, 14)
N_AGES = len(AGES) + 1
COLUMNS = ("largest", "second", "sum", "sum of best", "rank")
_LARGEST, _SUM, _OF_BEST, _RANK = 0, 2, 3, 4
PRIOR = 30.0
_N_EVENTS = 30
_MOST_RELATIONS = 4096  # beyond, there would be more rules than can be told apart
_MOST_RULES = 1 << 17


class ChainState(NamedTuple):
    """What is known of the rules of one head relation so far."""

    number: Ints
    """Per pair of body relations: the row of its rule, or -1."""
    n_rules: Ints
    tally: Tally


class Fired(NamedTuple):
    """The paths from a subject: the relations of their steps, their bucket of ages, and where they end."""

    first: Ints
    second: Ints
    bucket: Ints
    candidate: Ints


def new_state(n_relations: int) -> ChainState:
    """No rules yet."""
    size = n_relations if n_relations <= _MOST_RELATIONS else 0
    rules = new_tally(min(size * size, _MOST_RULES), N_AGES * N_AGES)
    return ChainState(np.full((size, size), -1, np.int32), np.zeros(1, np.int64), rules)


@njit(cache=True, nogil=True)
def advance(
    histories: Histories, state: ChainState, queries: HistoryQueries, pairs: CandidatePairs, out: Floats
) -> None:
    """Go through queries in order of time: fill the rows of those scored, then learn from all of the same time."""
    n_entities = len(histories.slot_start) - 1
    place = np.full(n_entities, -1, np.int64)  # per entity: its row for this query
    answers = np.zeros(n_entities, np.bool_)
    room = _N_EVENTS * _N_EVENTS
    fired = Fired(
        np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    )
    out[:] = 0.0
    first, scored = 0, 0
    while first < len(queries.time) and len(state.number):
        end = end_of_step(queries, first)
        for q in range(first, end):
            if queries.scored[q]:
                n = _fire(histories, queries.subject[q], queries.time[q], fired)
                rows = slice(pairs.start[scored], pairs.start[scored + 1])
                _tell(state, fired, n, pairs.candidate[rows], place, out[rows])
                scored += 1
        for q in range(first, end):
            true = answers_of(queries, q)
            if len(true):
                _learn(state, fired, _fire(histories, queries.subject[q], queries.time[q], fired), true, answers)
        first = end


@njit(cache=True, nogil=True)
def _fire(histories: Histories, subject: int, now: int, fired: Fired) -> int:
    """Note the paths over the last events of the subject and of those it dealt with; how many there are."""
    start, relation, target, time = histories.entity_edges
    first, second, bucket, candidate = fired
    n = 0
    end = first_at_least(time, start[subject], start[subject + 1], now)
    for i in range(max(start[subject], end - _N_EVENTS), end):
        x = target[i]
        end_of_x = first_at_least(time, start[x], start[x + 1], now)
        for j in range(max(start[x], end_of_x - _N_EVENTS), end_of_x):
            if target[j] != subject:
                first[n], second[n], candidate[n] = relation[i], relation[j], target[j]
                bucket[n] = bucket_of(now - time[i], AGES) * N_AGES + bucket_of(now - time[j], AGES)
                n += 1
    return n


@njit(cache=True, nogil=True)
def _tell(state: ChainState, fired: Fired, n: int, candidates: Ints, place: Ints, out: Floats) -> None:
    """Fill the rows of one query."""
    for row in range(len(candidates)):
        place[candidates[row]] = row
    for i in range(n):
        row, rule = place[fired.candidate[i]], state.number[fired.first[i], fired.second[i]]
        if row >= 0 and rule >= 0:
            right = smoothed_rate(state.tally, rule, fired.bucket[i], PRIOR)
            insert_largest(out[row], _LARGEST, _SUM, right)
            out[row, _SUM] -= np.log(1.0 - right)
    best = max(out[:, _SUM].max(), 1e-9) if len(out) else 1.0
    for row in range(len(candidates)):
        place[candidates[row]] = -1
        out[row, _OF_BEST] = out[row, _SUM] / best
        out[row, _RANK] = (out[:, _SUM] > out[row, _SUM]).sum()


@njit(cache=True, nogil=True)
def _learn(state: ChainState, fired: Fired, n: int, true: Ints, answers: Bools) -> None:
    """Count which rules fired for a query, and which were right."""
    number, n_rules, tally = state
    answers[true] = True
    for i in range(n):
        rule = number[fired.first[i], fired.second[i]]
        if rule < 0:
            if n_rules[0] == len(tally.fires) - 1:
                continue
            rule = n_rules[0]
            number[fired.first[i], fired.second[i]] = rule
            n_rules[0] += 1
        count(tally, rule, fired.bucket[i], answers[fired.candidate[i]])
    answers[true] = False


def describe(case: Case) -> Statement:
    """What this family says of a candidate: its best rule."""
    now = case.query.time
    best: tuple[float, tuple[Edge, ...]] = (0.0, ())
    for first in case.edges(case.query.subject, None, None)[:_N_EVENTS]:
        for second in case.edges(first.target, None, None)[:_N_EVENTS]:
            rule = case.state.number[first.relation, second.relation] if len(case.state.number) else -1
            if case.query.subject != second.target == case.entity and rule >= 0:
                bucket = bucket_of(now - first.time, AGES) * N_AGES + bucket_of(now - second.time, AGES)
                best = max(best, (smoothed_rate(case.state.tally, rule, bucket, PRIOR), (first, second)))
    if not best[1]:
        return Statement(f"no rule of length 2 leads to {case.candidate}")
    steps = " and ".join(f"{case.said(*edge[:3])} {case.span(now - edge.time)} before" for edge in best[1])
    return Statement(
        f"rules of length 2 lead to {case.candidate}: {steps}; {case.relation} followed in {best[0]:.1%} of such cases",
        best[1],
    )
