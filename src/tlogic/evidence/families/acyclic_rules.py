"""Counted rules about the candidate alone: b happened to it a few time steps ago, with any other entity, and now r.

These are acyclic rules r(X, c, T) <- b(c, Y, T - a) for ages a of a few time steps. At every time step with a query for
r they fire for each fact of the last steps, whoever the subject of the query, and hit where c is an answer.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.rates import Tally, count, new_tally, smoothed_rate
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind
from tlogic.evidence.statements import Case, Edge, Statement, percent
from tlogic.evidence.stepping import register_hooks, step_through
from tlogic.graph.arrays import Bools, Floats, Ints

N_AGES = 7
"""The age of the oldest facts for which rules fire, in time steps."""
PRIOR = 20.0
"""The number of firings that the expected rate of a rule is worth."""


class AcyclicState(NamedTuple):
    """The counts of the rules of one head relation."""

    tally: Tally
    """Per body relation and age."""


class Scratch(NamedTuple):
    """Per entity: the rates of its rules at one time step, and whether it is an answer then."""

    largest: Floats
    total: Floats
    is_answer: Bools


def _new_scratch(histories: Histories) -> Scratch:
    n_entities = len(histories.slot_start) - 1
    return Scratch(np.zeros(n_entities), np.zeros(n_entities), np.zeros(n_entities, np.bool_))


def _start_step(histories: Histories, state: AcyclicState, scratch: Scratch, now: int) -> None:
    """Compute the rates of all entities: the largest one, and all together."""
    scratch.largest[:] = 0.0
    scratch.total[:] = 0.0
    for i in _recent_edges(histories, now):
        c = histories.edges.source[i]
        rate = smoothed_rate(state.tally, histories.edges.relation[i], now - histories.edges.time[i] - 1, PRIOR)
        scratch.largest[c] = max(scratch.largest[c], rate)
        scratch.total[c] -= np.log(1.0 - rate)


def _fill_query(
    histories: Histories,  # noqa: ARG001
    state: AcyclicState,  # noqa: ARG001
    scratch: Scratch,
    queries: HistoryQueries,  # noqa: ARG001
    q: int,  # noqa: ARG001
    candidates: Ints,
    out: Floats,
) -> None:
    best = 1e-9
    for c in candidates:
        best = max(best, scratch.total[c])
    for row in range(len(candidates)):
        c = candidates[row]
        out[row, 0], out[row, 1], out[row, 2] = scratch.largest[c], scratch.total[c], scratch.total[c] / best


def _end_step(histories: Histories, state: AcyclicState, scratch: Scratch, now: int, answers: Ints) -> None:
    """Count which rules fired at a time step, and which hit."""
    is_answer = scratch.is_answer
    is_answer[answers] = True
    for i in _recent_edges(histories, now):
        age = now - histories.edges.time[i]
        count(state.tally, histories.edges.relation[i], age - 1, is_answer[histories.edges.source[i]])
    is_answer[answers] = False


register_hooks(AcyclicState, start_step=_start_step, fill_query=_fill_query, end_step=_end_step)


@njit(cache=True, nogil=True)
def advance(
    histories: Histories,
    state: AcyclicState,
    scratch: Scratch,
    queries: HistoryQueries,
    pairs: CandidatePairs,
    out: Floats,
) -> None:
    """Step through time."""
    step_through(histories, state, scratch, queries, pairs, out)


@njit(cache=True, nogil=True)
def _recent_edges(histories: Histories, now: int) -> range:
    """The indexes of the edges of the last time steps."""
    return range(histories.step_start[max(now - N_AGES, 0)], histories.step_start[now])


class AcyclicRules(BaseFamily):
    """Rules r(X, Y, T2) <- b(Y, Z, T1)."""

    columns = ("largest", "sum", "sum of best")
    rule_kind = RuleKind(("X", "Y"), (("Y", "Z"),), tuple(((age, age),) for age in range(1, N_AGES + 1)), PRIOR)

    def __init__(self, n_relations: int) -> None:
        self.state = AcyclicState(new_tally(n_relations, N_AGES))

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill the rates of the rules that fire for each candidate, and count all rules."""
        advance(histories, self.state, _new_scratch(histories), queries, pairs, out)

    def rule_counts(self) -> RuleCounts:
        """All rules with their counts by age."""
        tally = self.state.tally
        return RuleCounts(np.arange(len(tally.fires) - 1)[:, None], tally)

    def describe(self, case: Case) -> Statement:
        """The rule with the highest rate."""
        now = case.query.time
        recent = [edge for edge in case.edges(case.entity, None, None) if now - edge.time <= N_AGES]
        if not recent:
            return Statement(f"no event with {case.candidate} in the last {case.duration(N_AGES)}")

        def rate(edge: Edge) -> float:
            return float(smoothed_rate(self.state.tally, edge.relation, now - edge.time - 1, PRIOR))

        edges = sorted(recent, key=rate, reverse=True)
        best = edges[0]
        return Statement(
            f"{case.fact(*best[:3])} {case.duration(now - best.time)} earlier; {percent(rate(best))} of entities "
            f"with a similar recent event were the {case.role} of {case.relation} events",
            tuple(edges),
        )
