"""Counted rules about the candidate alone: b happened to it a few time steps ago, with any other entity, and now r.

These are acyclic rules r(X, c, T) <- b(c, Y, T - a) for ages a of a few time steps. At every time step with a query for
r they fire for each fact of the last steps, whoever the subject of the query, and hit where c is an answer.
"""

from collections.abc import Iterator

import numpy as np

from tlogic.compilation import kernel
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.event_memory import N_RECENT_STEPS, EventMemory, end_of_edges, facts_at
from tlogic.evidence.family import StepEvents, TallyFamily
from tlogic.evidence.lists import first_of
from tlogic.evidence.rates import (
    FIRES,
    HITS,
    Tally,
    add_counts,
    can_add_rules,
    log_as_float,
    log_of_none,
    rate_of,
    rules_by_head,
)
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind
from tlogic.evidence.statements import Case, Edge, Statement, percent
from tlogic.evidence.tables import add_key, joint_key, number_of
from tlogic.graph.arrays import Floats, Ints, borrowed

N_AGES = N_RECENT_STEPS
"""The age of the oldest facts for which rules fire, in time steps."""
PRIOR = 20.0
"""The number of firings that the expected rate of a rule is worth."""
_ALL_AGES = N_AGES


@kernel
def _extract(memory: EventMemory, tally: Tally, context: QueryContext, order: Ints, out: Floats) -> None:
    """Fill one row per candidate."""
    memory, tally, context, out = borrowed(memory), borrowed(tally), borrowed(context), borrowed(out)
    now = context.now
    edges, record = memory.edges, memory.edges.record
    rates = np.empty((len(memory.relation_key), N_AGES))
    logs = np.empty((len(memory.relation_key), N_AGES), np.int64)
    known = np.full((len(memory.relation_key), N_AGES), -1, np.int64)  # the relation that the rate is for
    for q in order:
        r = context.relation[q]
        best = 1e-9
        for p in range(context.start[q], context.start[q + 1]):
            c, largest, total = context.candidate[p], 0.0, 0
            end = end_of_edges(edges, c, now)
            i = end - 1
            while i >= first_of(edges, c) and now - record[i, 2] <= N_AGES:
                b, age = record[i, 0], now - record[i, 2] - 1
                if known[b, age] != r:
                    known[b, age] = r
                    rates[b, age] = _rate(tally, r, b, age)
                    logs[b, age] = log_of_none(rates[b, age])
                largest, total = max(largest, rates[b, age]), total + logs[b, age]
                i -= 1
            out[p, 0], out[p, 1] = largest, log_as_float(total)
            best = max(best, log_as_float(total))
        for p in range(context.start[q], context.start[q + 1]):
            out[p, 2] = out[p, 1] / best


@kernel
def _rate(tally: Tally, head: int, body: int, bucket: int) -> float:
    return rate_of(tally, number_of(tally.rule, joint_key(head, body)), head, bucket, _ALL_AGES, PRIOR)


@kernel
def _learn(memory: EventMemory, tally: Tally, events: StepEvents, first: int, times: int) -> int:
    """Count firings and hits from an event on until there is no room; return the index of the next event."""
    memory, tally, events = borrowed(memory), borrowed(tally), borrowed(events)
    now = events.now
    edges, record = memory.edges, memory.edges.record
    for event in range(first, len(events.source)):
        r = events.relation[event]
        if not can_add_rules(tally, len(memory.relation_key)):
            return event
        if events.new_relation[event]:
            for age in range(N_AGES):
                for b in range(len(memory.relation_key)):
                    n = facts_at(memory.recent, memory.newest, b >> 1, now - age - 1)
                    if n:
                        rule = add_key(tally.rule, joint_key(r, b))
                        add_counts(tally, rule, r, FIRES, age, _ALL_AGES, times * n)
        if events.new_answer[event]:
            c = events.target[event]
            i = end_of_edges(edges, c, now) - 1
            while i >= first_of(edges, c) and now - record[i, 2] <= N_AGES:
                rule = add_key(tally.rule, joint_key(r, record[i, 0]))
                add_counts(tally, rule, r, HITS, now - record[i, 2] - 1, _ALL_AGES, times)
                i -= 1
    return len(events.source)


class AcyclicRules(TallyFamily):
    """Rules r(X, Y, T2) <- b(Y, Z, T1)."""

    columns = ("largest", "sum", "sum of best")
    n_buckets = _ALL_AGES + 1
    rule_kind = RuleKind(("X", "Y"), (("Y", "Z"),), tuple(((age, age),) for age in range(1, N_AGES + 1)), PRIOR)

    def _count(self, memory: EventMemory, events: StepEvents, first: int, times: int) -> int:
        return int(_learn(memory, self.state, events, first, times))

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill the rates of the rules that fire for each candidate."""
        by_relation = np.argsort(context.relation, kind="stable")  # the rates of a relation are computed once
        _extract(memory, self.state, context, by_relation, out)

    def rule_counts(self) -> Iterator[RuleCounts]:
        """All rules with their counts by age."""
        return rules_by_head(self.state, slice(None), length=1)

    def describe(self, case: Case) -> Statement:
        """The rule with the highest rate."""
        now = case.query.time
        recent = [edge for edge in case.edges(case.entity, None, None) if now - edge.time <= N_AGES]
        if not recent:
            return Statement(f"no event with {case.candidate} in the last {case.duration(N_AGES)}", has_evidence=False)

        def rate(edge: Edge) -> float:
            return float(_rate(self.state, case.head, case.encoded(edge.relation), now - edge.time - 1))

        edges = sorted(recent, key=rate, reverse=True)
        best = edges[0]
        return Statement(
            f"{case.fact(*best[:3])} {case.when(best.time)}; {percent(rate(best))} of entities "
            f"with a similar recent event were the {case.role} of {case.relation} events",
            tuple(edges),
        )
