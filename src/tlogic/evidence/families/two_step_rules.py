"""Counted rules of length 2: the subject did b1 to x, x did b2 to the candidate, and now r. How often was that true?

Rules fire along the last events of the subject and of each x, and are counted by the ages of both events, at every
query. The two events may come in any order.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.rates import Tally, bucket_of, count, insert_largest, new_tally, smoothed_rate
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind, age_spans
from tlogic.evidence.statements import Case, Edge, Statement, percent
from tlogic.evidence.stepping import register_hooks, step_through
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.binary_search import first_at_least

AGES = (3, 14)
"""The edges of the buckets of age, in time steps."""
N_AGES = len(AGES) + 1
PRIOR = 30.0
"""The number of firings that the expected rate of a rule is worth."""
_N_EVENTS = 30  # last events of the subject, and of each x, that rules fire along
_MAX_RELATIONS = 4096  # with more relations, no rules are counted: the table of pairs would be too large
_MAX_RULES = 1 << 17  # per head relation; later rules are not counted
_LARGEST, _SUM, _OF_BEST, _RANK = 0, 2, 3, 4


class TwoStepState(NamedTuple):
    """The counts of the rules of one head relation."""

    number: Ints
    """Per pair of body relations: the row of its rule in the tally, or -1."""
    n_rules: Ints
    tally: Tally


class Firings(NamedTuple):
    """The paths of two events from a subject."""

    first: Ints
    """The relation of the first event."""
    second: Ints
    bucket: Ints
    """The bucket of both ages."""
    candidate: Ints


class Scratch(NamedTuple):
    """Memory for one query at a time."""

    row: Ints
    """Per entity: its row among the candidates of the query, or -1."""
    is_answer: Bools
    """Per entity: is it an answer to the query?"""
    firings: Firings


def _new_scratch(histories: Histories) -> Scratch:
    n_entities = len(histories.slot_start) - 1
    firings = Firings(*np.empty((4, _N_EVENTS * _N_EVENTS), np.int64))
    return Scratch(np.full(n_entities, -1, np.int64), np.zeros(n_entities, np.bool_), firings)


def _fill_query(
    histories: Histories,
    state: TwoStepState,
    scratch: Scratch,
    queries: HistoryQueries,
    q: int,
    candidates: Ints,
    out: Floats,
) -> None:
    out[:] = 0.0
    if len(state.number):
        n = _fire(histories, queries.subject[q], queries.time[q], scratch.firings)
        _fill(state, scratch.firings, n, candidates, scratch.row, out)


def _learn_query(
    histories: Histories, state: TwoStepState, scratch: Scratch, queries: HistoryQueries, q: int, answers: Ints
) -> None:
    if len(state.number):
        n = _fire(histories, queries.subject[q], queries.time[q], scratch.firings)
        _learn(state, scratch.firings, n, answers, scratch.is_answer)


register_hooks(TwoStepState, fill_query=_fill_query, learn_query=_learn_query)


@njit(cache=True, nogil=True)
def advance(
    histories: Histories,
    state: TwoStepState,
    scratch: Scratch,
    queries: HistoryQueries,
    pairs: CandidatePairs,
    out: Floats,
) -> None:
    """Step through time."""
    step_through(histories, state, scratch, queries, pairs, out)


@njit(cache=True, nogil=True)
def _fire(histories: Histories, subject: int, now: int, firings: Firings) -> int:
    """Write the paths over the last events of the subject and of its partners; return their number."""
    start, relation, target, time = histories.entity_edges
    first, second, bucket, candidate = firings
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
def _fill(state: TwoStepState, firings: Firings, n: int, candidates: Ints, row_of: Ints, out: Floats) -> None:
    """Fill the rows of one query, which hold zeros."""
    for row in range(len(candidates)):
        row_of[candidates[row]] = row
    for i in range(n):
        row, rule = row_of[firings.candidate[i]], state.number[firings.first[i], firings.second[i]]
        if row >= 0 and rule >= 0:
            rate = smoothed_rate(state.tally, rule, firings.bucket[i], PRIOR)
            insert_largest(out[row], _LARGEST, _SUM, rate)
            out[row, _SUM] -= np.log(1.0 - rate)
    best = max(out[:, _SUM].max(), 1e-9) if len(out) else 1.0
    for row in range(len(candidates)):
        row_of[candidates[row]] = -1
        out[row, _OF_BEST] = out[row, _SUM] / best
        out[row, _RANK] = (out[:, _SUM] > out[row, _SUM]).sum()


@njit(cache=True, nogil=True)
def _learn(state: TwoStepState, firings: Firings, n: int, answers: Ints, is_answer: Bools) -> None:
    """Count which rules fired for a query, and which hit."""
    number, n_rules, tally = state
    is_answer[answers] = True
    for i in range(n):
        rule = number[firings.first[i], firings.second[i]]
        if rule < 0:
            if n_rules[0] == len(tally.fires) - 1:
                continue
            rule = n_rules[0]
            number[firings.first[i], firings.second[i]] = rule
            n_rules[0] += 1
        count(tally, rule, firings.bucket[i], is_answer[firings.candidate[i]])
    is_answer[answers] = False


class TwoStepRules(BaseFamily):
    """Rules r(X, Z, T3) <- b1(X, Y, T1), b2(Y, Z, T2)."""

    columns = ("largest", "second", "sum", "sum of best", "rank")
    rule_kind = RuleKind(("X", "Z"), (("X", "Y"), ("Y", "Z")), tuple(product(age_spans(AGES), repeat=2)), PRIOR)

    def __init__(self, n_relations: int) -> None:
        size = n_relations if n_relations <= _MAX_RELATIONS else 0
        tally = new_tally(min(size * size, _MAX_RULES), N_AGES * N_AGES)
        self.state = TwoStepState(np.full((size, size), -1, np.int32), np.zeros(1, np.int64), tally)

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill the rates of the rules that fire for each candidate, and count all rules."""
        advance(histories, self.state, _new_scratch(histories), queries, pairs, out)

    def rule_counts(self) -> RuleCounts:
        """The rules in the order in which they first fired."""
        number, _, tally = self.state
        pairs = np.argwhere(number >= 0)
        return RuleCounts(pairs[np.argsort(number[tuple(pairs.T)])], tally)

    def describe(self, case: Case) -> Statement:
        """The rule with the highest rate."""
        now, number = case.query.time, self.state.number
        best: tuple[float, tuple[Edge, ...]] = (0.0, ())
        for first in case.edges(case.query.subject, None, None)[:_N_EVENTS]:
            for second in case.edges(first.target, None, None)[:_N_EVENTS]:
                rule = number[first.relation, second.relation] if len(number) else -1
                if case.query.subject != second.target == case.entity and rule >= 0:
                    bucket = bucket_of(now - first.time, AGES) * N_AGES + bucket_of(now - second.time, AGES)
                    best = max(best, (smoothed_rate(self.state.tally, rule, bucket, PRIOR), (first, second)))
        rate, edges = best
        if not edges:
            return Statement(f"no rule from two linked earlier events leads to {case.candidate}")
        events = " and ".join(f"{case.fact(*edge[:3])} {case.duration(now - edge.time)} earlier" for edge in edges)
        return Statement(f"{events}; {case.relation} followed in {percent(rate)} of such cases", edges)
