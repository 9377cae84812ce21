"""Counted rules about the candidate alone: b happened to it a few time steps ago, with any other entity, and now r.

These are acyclic rules r(X, c, T) <- b(c, Y, T - a) for ages a of a few time steps. At every time step with a query for
r they fire for each fact of the last steps, whoever the subject of the query, and hit where c is an answer.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.event_memory import N_RECENT_STEPS, EventMemory, end_of_edges, facts_at
from tlogic.evidence.family import StepEvents, TallyFamily
from tlogic.evidence.lists import Lists, first_of
from tlogic.evidence.rates import (
    FIRES,
    HITS,
    Tally,
    add_counts,
    can_add_rules,
    fill_head_rates,
    log_as_float,
    log_of_none,
    rate_in_bucket,
    rate_of,
    rate_of_rule,
    rules_by_head,
)
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind
from tlogic.evidence.statements import Case, Edge, Statement, percent
from tlogic.evidence.tables import add_key, joint_key, number_of
from tlogic.graph.arrays import Floats, Ints, borrowed, copy_items, keep

N_AGES = N_RECENT_STEPS
"""The age of the oldest facts for which rules fire, in time steps."""
PRIOR = 20.0
"""The number of firings that the expected rate of a rule is worth."""
_ALL_AGES = N_AGES


class RecentEvents(NamedTuple):
    """The events of some entities in the last time steps, by relation and age."""

    start: Ints
    """Per entity: the index of its first entry, or -1 if it has not been looked up."""
    end: Ints
    n: Ints
    """One element: the number of entries."""


@kernel
def _extract(memory: EventMemory, tally: Tally, context: QueryContext, order: Ints, out: Floats) -> None:
    """Fill one row per candidate."""
    memory, tally, context, out = borrowed(memory), borrowed(tally), borrowed(context), borrowed(out)
    n_entities, n_cells = len(memory.entity_key), len(memory.relation_key) * N_AGES
    recent = RecentEvents(np.full(n_entities, -1, np.int32), np.empty(n_entities, np.int32), np.zeros(1, np.int64))
    entries = np.empty((16 * n_cells, 2), np.int32)  # relation and age as one number, and how many events
    cell_head, rates, logs = np.full(n_cells, -1, np.int64), np.empty(n_cells), np.empty(n_cells, np.int64)
    n_bodies = n_cells // N_AGES
    body_head, rules, of_rule = np.full(n_bodies, -1, np.int64), np.empty(n_bodies, np.int64), np.empty(n_bodies)
    owned_rates = np.empty(_ALL_AGES + 1)
    head_rates = borrowed(owned_rates)
    for q in order:
        r = context.relation[q]
        best = 1e-9
        fill_head_rates(tally.totals[r], _ALL_AGES, 0, _ALL_AGES, PRIOR, head_rates)
        for p in range(context.start[q], context.start[q + 1]):
            c, largest, total = context.candidate[p], 0.0, 0
            if recent.start[c] < 0:
                entries = _with_room_for(entries, recent.n[0] + n_cells)  # type: ignore[assignment]
                _look_up(memory.edges, c, context.now, recent, entries)
            for i in range(recent.start[c], recent.end[c]):
                cell = entries[i, 0]
                if cell_head[cell] != r:  # its rate is not known yet
                    body = cell // N_AGES
                    if body_head[body] != r:
                        body_head[body], rules[body] = r, number_of(tally.rule, joint_key(r, body))
                        of_rule[body] = rate_of_rule(tally.counts, rules[body], _ALL_AGES, head_rates, PRIOR)
                    rate = rate_in_bucket(tally.counts, rules[body], cell % N_AGES, of_rule[body], head_rates, PRIOR)
                    cell_head[cell], rates[cell], logs[cell] = r, rate, log_of_none(rate)
                largest, total = max(largest, rates[cell]), total + entries[i, 1] * logs[cell]
            out[p, 0], out[p, 1] = largest, log_as_float(total)
            best = max(best, log_as_float(total))
        for p in range(context.start[q], context.start[q + 1]):
            out[p, 2] = out[p, 1] / best
    keep(owned_rates)


@helper
def _with_room_for(entries: Ints, n: int) -> Ints:
    if n <= len(entries):
        return entries
    longer = np.empty((2 * n, 2), np.int32)
    for i in range(len(entries)):
        copy_items(entries[i], 2, longer[i])
    return longer


@helper
def _look_up(edges: Lists, entity: int, now: int, recent: RecentEvents, entries: Ints) -> None:
    """Write the events of an entity in the last time steps. Those of one relation and time follow each other."""
    record, n = edges.record, recent.n[0]
    recent.start[entity] = n
    for i in range(end_of_edges(edges, entity, now) - 1, first_of(edges, entity) - 1, -1):
        age = now - record[i, 2] - 1
        if age >= N_AGES:
            break
        cell = record[i, 0] * N_AGES + age
        if n > recent.start[entity] and entries[n - 1, 0] == cell:
            entries[n - 1, 1] += 1
        else:
            entries[n, 0], entries[n, 1] = cell, 1
            n += 1
    recent.end[entity], recent.n[0] = n, n


@kernel
def _rate(tally: Tally, head: int, body: int, bucket: int) -> float:
    return rate_of(tally, number_of(tally.rule, joint_key(head, body)), head, bucket, _ALL_AGES, PRIOR)


@kernel
def _learn(memory: EventMemory, tally: Tally, events: StepEvents, first: int, times: int) -> int:
    """Count firings and hits from an event on until there is no room; return the index of the next event."""
    memory, tally, events = borrowed(memory), borrowed(tally), borrowed(events)
    now = events.now
    edges, record = memory.edges, memory.edges.record
    recent, total = _recent_facts(memory.recent, memory.newest, now)
    for event in range(first, len(events.source)):
        r = events.relation[event]
        if not can_add_rules(tally, len(memory.relation_key)):
            return event
        if events.new_relation[event]:
            _count_firings(tally, r, recent, total, times)
        if events.new_answer[event]:
            c = events.target[event]
            i = end_of_edges(edges, c, now) - 1
            while i >= first_of(edges, c) and now - record[i, 2] <= N_AGES:
                rule = add_key(tally.rule, joint_key(r, record[i, 0]))
                add_counts(tally.counts[rule], tally.totals[r], HITS, now - record[i, 2] - 1, _ALL_AGES, times)
                i -= 1
    return len(events.source)


@helper
def _recent_facts(recent: Ints, newest: Ints, now: int) -> tuple[Ints, Ints]:
    """The facts in the last time steps, by age, and their sum: per relation of the data, and as events of all."""
    n, events = np.zeros((recent.shape[1], _ALL_AGES + 1), np.int64), np.zeros(_ALL_AGES + 1, np.int64)
    for relation in range(len(n)):
        for age in range(N_AGES):
            n[relation, age] = facts_at(recent, newest, relation, now - age - 1)
            n[relation, _ALL_AGES] += n[relation, age]
        for age in range(_ALL_AGES + 1):
            events[age] += 2 * n[relation, age]  # each fact is an event of both its entities
    return n, events


@helper
def _count_firings(tally: Tally, head: int, recent: Ints, total: Ints, times: int) -> None:
    for body in range(2 * len(recent)):
        n = recent[body >> 1]
        if n[_ALL_AGES]:
            counts = tally.counts[add_key(tally.rule, joint_key(head, body))]
            for age in range(_ALL_AGES + 1):
                counts[age, FIRES] += times * n[age]
    for age in range(_ALL_AGES + 1):
        tally.totals[head, age, FIRES] += times * total[age]


class AcyclicRules(TallyFamily):
    """Rules r(X, Y, T2) <- b(Y, Z, T1)."""

    claim = "events with others lead to {candidate}"
    learning_cost = 1
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
