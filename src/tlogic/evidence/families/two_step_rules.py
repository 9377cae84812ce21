"""Counted rules of length 2: the subject did b1 to x, x did b2 to the candidate, and now r. How often was that true?

Rules fire along the last events of the subject and of each x, and are counted by the ages of both events. The two
events may come in any order. A rule is counted from the time step on at which it first hits: most never do.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.event_memory import EventMemory, end_of_edges
from tlogic.evidence.family import CountingFamily, StepEvents
from tlogic.evidence.lists import Lists, first_of
from tlogic.evidence.rates import (
    FIRES,
    HITS,
    MAX_RELATIONS,
    Tally,
    add_counts,
    bucket_of,
    can_add_rules,
    fill_head_rates,
    insert_largest,
    log_as_float,
    log_of_none,
    new_tally,
    rank_within,
    rate_in_bucket,
    rate_of,
    rate_of_rule,
    rules_by_head,
    share_of_best,
    two_relations,
    with_more_heads,
    with_more_rules,
)
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind, age_spans
from tlogic.evidence.statements import Case, Edge, Statement, percent
from tlogic.evidence.tables import add_key, joint_key, n_keys, number_of
from tlogic.graph.arrays import Floats, Ints, borrowed
from tlogic.graph.binary_search import first_at_least

AGES = (3, 14)
"""The edges of the buckets of age, in time steps."""
N_AGES = len(AGES) + 1
PRIOR = 30.0
"""The number of firings that the expected rate of a rule is worth."""
_ALL_AGES = N_AGES * N_AGES
_MAX_DRAW = 3_000.0  # of the queries that rules are counted at
_N_EVENTS = 30  # last events of the subject, and of each x, that rules fire along
_MAX_FIRINGS = _N_EVENTS * _N_EVENTS
_LARGEST, _SUM, _OF_BEST, _RANK = 0, 2, 3, 4


class TwoStepState(NamedTuple):
    """The counts of rules, and since when they are counted."""

    tally: Tally
    since: Ints
    """Per rule: the time step at which it first hit; ascending."""


class Firings(NamedTuple):
    """The paths of two events from a subject."""

    body: Ints
    """The two relations, as one number."""
    bucket: Ints
    """The bucket of both ages."""
    candidate: Ints
    rule: Ints
    """The rules of the query in question, or -1."""


@kernel
def _extract(memory: EventMemory, tally: Tally, context: QueryContext, out: Floats) -> None:
    """Fill one row per candidate."""
    memory, tally, context, out = borrowed(memory), borrowed(tally), borrowed(context), borrowed(out)
    row = np.full(len(memory.entity_key), -1, np.int32)
    firings, n = _no_firings(), 0
    out[:] = 0.0
    for q in range(len(context.subject)):
        s, r = context.subject[q], context.relation[q]
        if q == 0 or s != context.subject[q - 1]:
            n = _fire(memory.edges, s, context.now, firings)
        own = context.candidate[context.start[q] : context.start[q + 1]]
        rows = out[context.start[q] : context.start[q + 1]]
        for i in range(len(own)):
            row[own[i]] = i
        _fill(tally, r, firings, n, row, rows)
        for c in own:
            row[c] = -1
        share_of_best(rows, _SUM, _OF_BEST)
        rank_within(rows, _SUM, _RANK)


@helper
def _fill(tally: Tally, head: int, firings: Firings, n: int, row_of: Ints, out: Floats) -> None:
    """Fill the rows of one query, which hold zeros."""
    sums, head_rates = np.zeros(len(out), np.int64), np.empty(_ALL_AGES + 1)
    fill_head_rates(tally.totals[head], _ALL_AGES, 0, _ALL_AGES, PRIOR, head_rates)
    for i in range(n):
        is_candidate = row_of[firings.candidate[i]] >= 0
        firings.rule[i] = number_of(tally.rule, joint_key(head, firings.body[i])) if is_candidate else -1
    for i in range(n):
        rule, row = firings.rule[i], row_of[firings.candidate[i]]
        if rule >= 0 and tally.counts[rule, _ALL_AGES, FIRES]:
            of_rule = rate_of_rule(tally.counts, rule, _ALL_AGES, head_rates, PRIOR)
            rate = rate_in_bucket(tally.counts, rule, firings.bucket[i], of_rule, head_rates, PRIOR)
            insert_largest(out[row], _LARGEST, _SUM, rate)
            sums[row] += log_of_none(rate)
    for row in range(len(out)):
        out[row, _SUM] = log_as_float(sums[row])


@helper
def _no_firings() -> Firings:
    return Firings(
        np.empty(_MAX_FIRINGS, np.int64),
        np.empty(_MAX_FIRINGS, np.int64),
        np.empty(_MAX_FIRINGS, np.int64),
        np.empty(_MAX_FIRINGS, np.int64),
    )


@helper
def _fire(edges: Lists, subject: int, now: int, firings: Firings) -> int:
    """Write the paths over the last events of the subject and of its partners; return their number."""
    record, n = edges.record, 0
    end = end_of_edges(edges, subject, now)
    for i in range(max(first_of(edges, subject), end - _N_EVENTS), end):
        x, age = record[i, 1], bucket_of(now - record[i, 2], AGES)
        end_of_x = end_of_edges(edges, x, now)
        for j in range(max(first_of(edges, x), end_of_x - _N_EVENTS), end_of_x):
            if record[j, 1] != subject:
                firings.body[n], firings.candidate[n] = two_relations(record[i, 0], record[j, 0]), record[j, 1]
                firings.bucket[n] = age * N_AGES + bucket_of(now - record[j, 2], AGES)
                n += 1
    return n


@kernel
def _learn(memory: EventMemory, state: TwoStepState, events: StepEvents, first: int, times: int) -> int:
    """Count firings and hits from an event on until there is no room; return the index of the next event."""
    memory, tally, since, events = borrowed(memory), borrowed(state.tally), state.since, borrowed(events)
    firings, n, subject = _no_firings(), 0, -1
    n_earlier = first_at_least(since, 0, n_keys(tally.rule), events.now)  # rules that hit before this time step
    for i in range(first, len(events.source)):
        s, r = events.source[i], events.relation[i]
        if events.draw[i] >= _MAX_DRAW:
            continue
        if not can_add_rules(tally, _MAX_FIRINGS):
            return i
        if s != subject:
            subject = s
            n = _fire(memory.edges, s, events.now, firings)
        if events.new_query[i]:
            # Look all rules up first: many look-ups that do not wait for each other are faster.
            for k in range(n):
                firings.rule[k] = number_of(tally.rule, joint_key(r, firings.body[k]))
            for k in range(n):
                rule = firings.rule[k]
                if 0 <= rule < n_earlier:
                    add_counts(tally.counts[rule], tally.totals[r], FIRES, firings.bucket[k], _ALL_AGES, times)
        for k in range(n):
            if firings.candidate[k] == events.target[i]:
                _count_hit(tally, since, r, firings.body[k], firings.bucket[k], events.now, times)
    return len(events.source)


@helper
def _count_hit(tally: Tally, since: Ints, head: int, body: int, bucket: int, now: int, times: int) -> None:
    """Count a hit of a rule; at its first time step, it fires where it hits."""
    n_rules = n_keys(tally.rule)
    rule = add_key(tally.rule, joint_key(head, body))
    if rule == n_rules:
        since[rule] = now
    if since[rule] == now:
        add_counts(tally.counts[rule], tally.totals[head], FIRES, bucket, _ALL_AGES, times)
    add_counts(tally.counts[rule], tally.totals[head], HITS, bucket, _ALL_AGES, times)


class TwoStepRules(CountingFamily):
    """Rules r(X, Z, T3) <- b1(X, Y, T1), b2(Y, Z, T2)."""

    claim = "chains of two events lead to {candidate}"
    learning_cost = 3
    columns = ("largest", "second", "sum", "sum of best", "rank")
    rule_kind = RuleKind(("X", "Z"), (("X", "Y"), ("Y", "Z")), tuple(product(age_spans(AGES), repeat=2)), PRIOR)

    def __init__(self) -> None:
        self.state = TwoStepState(new_tally(_ALL_AGES + 1), np.empty(0, np.int64))

    def _make_room_for_relations(self, n: int) -> None:
        self.state = self.state._replace(tally=with_more_heads(self.state.tally, n))

    def _count(self, memory: EventMemory, events: StepEvents, first: int, times: int) -> int:
        if len(memory.relation_key) > MAX_RELATIONS:
            return len(events.source)
        return int(_learn(memory, self.state, events, first, times))

    def _make_room(self, memory: EventMemory) -> None:  # noqa: ARG002
        tally = with_more_rules(self.state.tally, _MAX_FIRINGS)
        since = np.zeros(len(tally.counts), np.int64)
        since[: len(self.state.since)] = self.state.since
        self.state = TwoStepState(tally, since)

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill the rates of the rules that fire for each candidate."""
        _extract(memory, self.state.tally, context, out)

    def rule_counts(self) -> Iterator[RuleCounts]:
        """All rules with their counts by age."""
        return rules_by_head(self.state.tally, slice(None), length=2)

    def describe(self, case: Case) -> Statement:
        """The rule with the highest rate."""
        now, tally = case.query.time, self.state.tally
        best: tuple[float, tuple[Edge, ...]] = (0.0, ())
        for first in case.edges(case.query.subject, None, None)[:_N_EVENTS]:
            for second in case.edges(first.target, None, None)[:_N_EVENTS]:
                if not case.query.subject != second.target == case.entity:
                    continue
                body = two_relations(case.encoded(first.relation), case.encoded(second.relation))
                rule = number_of(tally.rule, joint_key(case.head, body))
                if rule >= 0 and tally.counts[rule, _ALL_AGES, FIRES]:
                    bucket = bucket_of(now - first.time, AGES) * N_AGES + bucket_of(now - second.time, AGES)
                    rate = rate_of(tally, rule, case.head, bucket, _ALL_AGES, PRIOR)
                    best = max(best, (float(rate), (first, second)))
        rate, edges = best
        if not edges:
            return Statement(f"no rule from two linked earlier events leads to {case.candidate}", has_evidence=False)
        events = " and ".join(f"{case.fact(*edge[:3])} {case.when(edge.time)}" for edge in edges)
        return Statement(f"{events}; {case.relation} followed in {percent(rate)} of such cases", edges)
