"""Counted rules of length 1: the subject did b to the candidate, and now r. How often did that come true?

All such rules are counted at every query (s, r, ?, t): a rule fires for each candidate that s did b to before, and hits
if that candidate is an answer. Rules are counted by age, and also by age and by the candidate's share of all that s did
by b.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import Histories, last_before, weight_at
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.rates import Tally, bucket_of, count, insert_largest, new_tally, smoothed_rate
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind, age_spans
from tlogic.evidence.statements import Case, Edge, Statement, percent
from tlogic.evidence.stepping import register_hooks, step_through
from tlogic.graph.arrays import Bools, Floats, Ints

AGES = (1, 2, 3, 4, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 240, 365, 730)
"""The edges of the buckets of age, in time steps."""
COARSE_AGES = (1, 3, 7, 21, 60, 180)
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
N_TOP, N_TOP_SHARED = 6, 3
PRIOR = 20.0
"""The number of firings that the expected rate of a rule is worth."""
_MIN_GOOD_RATE = 0.05
_SUM, _FIRES, _SHARED = N_TOP, N_TOP + 1, N_TOP + 2
_SHARED_SUM = _SHARED + N_TOP_SHARED
_OF_BEST, _RANK, _NEWEST = _SHARED_SUM + 1, _SHARED_SUM + 2, _SHARED_SUM + 3


class OneStepState(NamedTuple):
    """The counts of the rules of one head relation."""

    by_age: Tally
    by_share: Tally


class Firings(NamedTuple):
    """The past edges of a subject: one entry per relation and candidate, with the age of the last one."""

    relation: Ints
    candidate: Ints
    age: Ints
    share: Floats
    """The share of the candidate among all edges of the subject with that relation."""


class Scratch(NamedTuple):
    """Memory for one query at a time."""

    row: Ints
    """Per entity: its row among the candidates of the query, or -1."""
    is_answer: Bools
    """Per entity: is it an answer to the query?"""
    firings: Firings


@njit(cache=True, nogil=True)
def _new_scratch(histories: Histories) -> Scratch:
    n_entities = len(histories.slot_start) - 1
    most = 1  # edges that any entity has to distinct targets
    for entity in range(n_entities):
        first, end = histories.slot_start[entity], histories.slot_start[entity + 1]
        most = max(most, histories.triple_start[end] - histories.triple_start[first])
    firings = Firings(
        np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.float64)
    )
    return Scratch(np.full(n_entities, -1, np.int64), np.zeros(n_entities, np.bool_), firings)


def _fill_query(
    histories: Histories,
    state: OneStepState,
    scratch: Scratch,
    queries: HistoryQueries,
    q: int,
    candidates: Ints,
    out: Floats,
) -> None:
    n = _fire(histories, queries.subject[q], queries.time[q], scratch.firings)
    _fill(state, scratch.firings, n, candidates, scratch.row, out)


def _learn_query(
    histories: Histories, state: OneStepState, scratch: Scratch, queries: HistoryQueries, q: int, answers: Ints
) -> None:
    n = _fire(histories, queries.subject[q], queries.time[q], scratch.firings)
    _learn(state, scratch.firings, n, answers, scratch.is_answer)


register_hooks(OneStepState, fill_query=_fill_query, learn_query=_learn_query)


@njit(cache=True, nogil=True)
def advance(
    histories: Histories,
    state: OneStepState,
    scratch: Scratch,
    queries: HistoryQueries,
    pairs: CandidatePairs,
    out: Floats,
) -> None:
    """Step through time."""
    step_through(histories, state, scratch, queries, pairs, out)


@njit(cache=True, nogil=True)
def _fire(histories: Histories, subject: int, now: int, firings: Firings) -> int:
    """Write the firings of all rules for a subject; return their number."""
    decay, triples, slots = histories.decay, histories.triples, histories.slots
    relation, candidate, age, share = firings
    n = 0
    for slot in range(histories.slot_start[subject], histories.slot_start[subject + 1]):
        last_of_slot = last_before(slots.start, slots.time, slot, now)
        if last_of_slot < 0:
            continue
        whole = weight_at(decay, slots, last_of_slot, now)
        for triple in range(histories.triple_start[slot], histories.triple_start[slot + 1]):
            last = last_before(triples.start, triples.time, triple, now)
            if last >= 0:
                relation[n], candidate[n] = histories.slot_relation[slot], histories.target[triple]
                age[n], share[n] = now - triples.time[last], weight_at(decay, triples, last, now) / whole
                n += 1
    return n


@njit(cache=True, nogil=True)
def _fill(state: OneStepState, firings: Firings, n: int, candidates: Ints, row_of: Ints, out: Floats) -> None:
    """Fill the rows of one query."""
    out[:] = 0.0
    out[:, _NEWEST] = np.nan
    for row in range(len(candidates)):
        row_of[candidates[row]] = row
    for i in range(n):
        row = row_of[firings.candidate[i]]
        if row < 0:
            continue
        b, age = firings.relation[i], firings.age[i]
        by_age = smoothed_rate(state.by_age, b, bucket_of(age, AGES), PRIOR)
        insert_largest(out[row], 0, N_TOP, by_age)
        out[row, _SUM] -= np.log(1.0 - by_age)
        out[row, _FIRES] += 1
        by_share = smoothed_rate(state.by_share, b, _shared_bucket(age, firings.share[i]), PRIOR)
        insert_largest(out[row], _SHARED, N_TOP_SHARED, by_share)
        out[row, _SHARED_SUM] -= np.log(1.0 - by_share)
        if by_share > _MIN_GOOD_RATE and not out[row, _NEWEST] <= age:
            out[row, _NEWEST] = age
    for row in range(len(candidates)):
        row_of[candidates[row]] = -1
        out[row, _OF_BEST] = out[row, _SHARED_SUM] / max(out[:, _SHARED_SUM].max(), 1e-9)
        out[row, _RANK] = (out[:, _SHARED_SUM] > out[row, _SHARED_SUM]).sum()


@njit(cache=True, nogil=True)
def _learn(state: OneStepState, firings: Firings, n: int, answers: Ints, is_answer: Bools) -> None:
    """Count which rules fired for a query, and which hit."""
    is_answer[answers] = True
    for i in range(n):
        b, age, hit = firings.relation[i], firings.age[i], is_answer[firings.candidate[i]]
        count(state.by_age, b, bucket_of(age, AGES), hit)
        count(state.by_share, b, _shared_bucket(age, firings.share[i]), hit)
    is_answer[answers] = False


@njit(cache=True, nogil=True)
def _shared_bucket(age: int, share: float) -> int:
    return bucket_of(age, COARSE_AGES) * (len(SHARES) + 1) + bucket_of(share, SHARES)


class OneStepRules(BaseFamily):
    """Rules r(X, Y, T2) <- b(X, Y, T1)."""

    columns = (
        *(f"probability {i}" for i in range(N_TOP)),
        "sum",
        "fires",
        *(f"probability by share {i}" for i in range(N_TOP_SHARED)),
        "sum by share",
        "sum by share of best",
        "rank by share",
        "age of newest good rule",
    )
    rule_kind = RuleKind(("X", "Y"), (("X", "Y"),), tuple((span,) for span in age_spans(AGES)), PRIOR)

    def __init__(self, n_relations: int) -> None:
        n_shared = (len(COARSE_AGES) + 1) * (len(SHARES) + 1)
        self.state = OneStepState(new_tally(n_relations, len(AGES) + 1), new_tally(n_relations, n_shared))

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill the rates of the rules that fire for each candidate, and count all rules."""
        advance(histories, self.state, _new_scratch(histories), queries, pairs, out)

    def rule_counts(self) -> RuleCounts:
        """All rules with their counts by age."""
        by_age = self.state.by_age
        return RuleCounts(np.arange(len(by_age.fires) - 1)[:, None], by_age)

    def describe(self, case: Case) -> Statement:
        """The rule with the highest rate."""
        newest: dict[int, Edge] = {}
        for edge in case.edges(case.query.subject, None, case.entity):
            newest.setdefault(edge.relation, edge)
        if not newest:
            return Statement(f"no rule from a single earlier event leads to {case.candidate}")

        def rate(edge: Edge) -> float:
            bucket = bucket_of(case.query.time - edge.time, AGES)
            return float(smoothed_rate(self.state.by_age, edge.relation, bucket, PRIOR))

        edges = sorted(newest.values(), key=rate, reverse=True)
        best, n_others = edges[0], len(edges) - 1
        others = f" ({n_others} weaker rule{'s' * (n_others > 1)} also lead{'s' * (n_others == 1)} to {case.candidate})"
        age = case.duration(case.query.time - best.time)
        return Statement(
            f"{case.fact(*best[:3])} {age} earlier; {case.relation} followed in {percent(rate(best))} of such cases"
            f"{others if n_others else ''}",
            tuple(edges),
        )
