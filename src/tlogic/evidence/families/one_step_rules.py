"""Counted rules of length 1: the subject did b to the candidate, and now r. How often did that come true?

All such rules are counted at every query (s, r, ?, t): a rule fires for each candidate that s did b to in its last
events, and hits if that candidate is an answer. Rules are counted by age, and also by age and by the candidate's share
of all that s did by b.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, inlined_kernel, kernel
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.event_memory import (
    SLOT,
    EventMemory,
    end_of_edges,
    is_short,
    pair_of,
    searched_since,
)
from tlogic.evidence.family import StepEvents, TallyFamily
from tlogic.evidence.groups import (
    MEMBER,
    PART,
    Groups,
    last_before,
    moment_before,
    time_of,
    weight_at,
    weight_before,
)
from tlogic.evidence.lists import Lists, first_of, indexes_of, size_of
from tlogic.evidence.rates import (
    FIRES,
    HITS,
    Tally,
    add_counts,
    bucket_of,
    can_add_rules,
    fill_head_rates,
    insert_largest,
    log_as_float,
    log_of_none,
    rank_within,
    rate_in_bucket,
    rate_of,
    rate_of_rule,
    rules_by_head,
    share_of_best,
)
from tlogic.evidence.rule_kinds import RuleCounts, RuleKind, age_spans
from tlogic.evidence.statements import Case, Edge, Statement, percent
from tlogic.evidence.tables import add_key, joint_key, number_of
from tlogic.graph.arrays import Floats, Ints, borrowed, keep

AGES = (1, 2, 3, 4, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 240, 365, 730)
"""The edges of the buckets of age, in time steps."""
COARSE_AGES = (1, 3, 7, 21, 60, 180)
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
N_TOP, N_TOP_SHARED = 6, 3
PRIOR = 20.0
"""The number of firings that the expected rate of a rule is worth."""
_BUCKET_OF_AGE, _COARSE_BUCKET_OF_AGE = (np.searchsorted(ages, np.arange(ages[-1] + 2)) for ages in (AGES, COARSE_AGES))
_MAX_DRAW = 10_000.0  # of the queries that rules are counted at
_MIN_GOOD_RATE = 0.05
_SUM, _FIRES, _SHARED = N_TOP, N_TOP + 1, N_TOP + 2
_SHARED_SUM = _SHARED + N_TOP_SHARED
_OF_BEST, _RANK, _NEWEST = _SHARED_SUM + 1, _SHARED_SUM + 2, _SHARED_SUM + 3

# Buckets of the tally: those of age, their sum and that of the others side by side, then those of age and share.
_ALL_AGES = len(AGES) + 1
_ALL_SHARED = _ALL_AGES + 1
_FIRST_SHARED = _ALL_SHARED + 1
_N_BUCKETS = _FIRST_SHARED + (len(COARSE_AGES) + 1) * (len(SHARES) + 1)


class Firings(NamedTuple):
    """How often rules fire for a subject: one entry per body relation and bucket, in which some do."""

    body: Ints
    bucket: Ints
    n: Ints
    total: Ints
    """Per bucket: the sum over all body relations."""


class Fired(NamedTuple):
    """How often rules fire for a subject, while it is counted."""

    n: Ints
    """By body relation and bucket."""
    whole: Floats
    """Per body relation: the weight of all events of the subject; 0 if no rule fires."""
    body: Ints
    """The body relations for which rules fire."""
    n_bodies: Ints
    """One element: the number of these."""


class Known(NamedTuple):
    """What is known of the rules of a query: per body relation, and in all."""

    query: Ints
    """Per body relation: the query for which the rest is known."""
    rule: Ints
    weight: Floats
    """The weight of all events of the subject."""
    by_age: Floats
    """The rate of the rule at any age."""
    by_share: Floats
    """The rate of the rule at any age and share."""
    head_rates: Floats
    """Per bucket: the rate of all rules with the relation of the query."""


@kernel
def _extract(memory: EventMemory, tally: Tally, context: QueryContext, out: Floats) -> None:
    """Fill one row per candidate."""
    memory, tally, context, out = borrowed(memory), borrowed(tally), borrowed(context), borrowed(out)
    now = context.now
    n_relations = len(memory.relation_key)
    owned = Known(
        np.full(n_relations, -1, np.int64),
        np.empty(n_relations, np.int64),
        np.empty(n_relations),
        np.empty(n_relations),
        np.empty(n_relations),
        np.empty(_N_BUCKETS),
    )
    known = borrowed(owned)
    for q in range(len(context.subject)):
        s, r = context.subject[q], context.relation[q]
        fill_head_rates(tally.totals[r], _ALL_AGES, 0, _ALL_AGES, PRIOR, known.head_rates)
        fill_head_rates(tally.totals[r], _ALL_SHARED, _FIRST_SHARED, _N_BUCKETS, PRIOR, known.head_rates)
        rows = out[context.start[q] : context.start[q + 1]]
        for i in range(len(rows)):
            pair = context.pair[context.start[q] + i]
            for column in range(_NEWEST):
                rows[i, column] = 0.0
            rows[i, _NEWEST] = np.nan
            if pair >= 0:
                _fill(
                    memory.decay,
                    memory.triples_of_pair,
                    memory.triples,
                    memory.slots,
                    tally,
                    known,
                    (q, s, context.candidate[context.start[q] + i], r, pair, now),
                    rows[i],
                )
        share_of_best(rows, _SHARED_SUM, _OF_BEST)
        rank_within(rows, _SHARED_SUM, _RANK)
    keep(owned)


@helper
def _fill(
    decay: Floats,
    of_pair: Lists,
    triples: Groups,
    slots: Groups,
    tally: Tally,
    known: Known,
    query: tuple[int, int, int, int, int, int],
    out: Floats,
) -> None:
    """Fill the row of one candidate."""
    q, s, c, r, pair, now = query
    by_age_sum, by_share_sum = 0, 0
    for i in indexes_of(of_pair, pair):
        last = last_before(of_pair.record, i, triples, now)
        if last < 0:
            continue
        age, weight = now - last, weight_before(decay, of_pair.record, i, triples, now)
        for k in range(1 + (s == c)):
            b = of_pair.record[i, MEMBER] ^ (k if s == c else s > c)
            if known.query[b] != q:
                slot, rule = triples[of_pair.record[i, PART], SLOT + (b & 1)], number_of(tally.rule, joint_key(r, b))
                known.query[b], known.rule[b] = q, rule
                known.weight[b] = weight_at(decay, slots, slot, moment_before(slots, slot, now), now)
                known.by_age[b] = rate_of_rule(tally.counts, rule, _ALL_AGES, known.head_rates, PRIOR)
                known.by_share[b] = rate_of_rule(tally.counts, rule, _ALL_SHARED, known.head_rates, PRIOR)
            by_age = rate_in_bucket(
                tally.counts, known.rule[b], _age_bucket(age), known.by_age[b], known.head_rates, PRIOR
            )
            shared = _shared_bucket(age, weight / known.weight[b])
            by_share = rate_in_bucket(tally.counts, known.rule[b], shared, known.by_share[b], known.head_rates, PRIOR)
            insert_largest(out, 0, N_TOP, by_age)
            insert_largest(out, _SHARED, N_TOP_SHARED, by_share)
            by_age_sum += log_of_none(by_age)
            by_share_sum += log_of_none(by_share)
            out[_FIRES] += 1
            if by_share > _MIN_GOOD_RATE and not out[_NEWEST] <= age:
                out[_NEWEST] = age
    out[_SUM], out[_SHARED_SUM] = log_as_float(by_age_sum), log_as_float(by_share_sum)


@kernel
def rate_by_age(tally: Tally, head: int, body: int, age: int) -> float:
    """The smoothed rate at which an event of the head relation follows one of the body relation, by its age."""
    return rate_of(tally, number_of(tally.rule, joint_key(head, body)), head, _age_bucket(age), _ALL_AGES, PRIOR)


@inlined_kernel
def _age_bucket(age: int) -> int:
    return _BUCKET_OF_AGE[min(age, AGES[-1] + 1)]


@helper
def _shared_bucket(age: int, share: float) -> int:
    by_age = _COARSE_BUCKET_OF_AGE[min(age, COARSE_AGES[-1] + 1)]
    return _FIRST_SHARED + by_age * (len(SHARES) + 1) + bucket_of(share, SHARES)


@kernel
def _learn(memory: EventMemory, tally: Tally, events: StepEvents, first: int, times: int) -> int:
    """Count firings and hits from an event on until there is no room; return the index of the next event."""
    memory, tally, events = borrowed(memory), borrowed(tally), borrowed(events)
    now, n_relations = events.now, len(memory.relation_key)
    most = n_relations * _N_BUCKETS
    firings = Firings(
        np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32), np.empty(_N_BUCKETS, np.int64)
    )
    fired = Fired(
        np.zeros((n_relations, _N_BUCKETS), np.int32),
        np.zeros(n_relations),
        np.empty(n_relations, np.int32),
        np.zeros(1, np.int64),
    )
    n, since, subject = 0, 0, -1
    for i in range(first, len(events.source)):
        s, r = events.source[i], events.relation[i]
        if events.draw[i] >= _MAX_DRAW:
            continue
        if not can_add_rules(tally, size_of(memory.slots_of_entity, s)):
            return i
        if s != subject:
            subject = s
            since = searched_since(memory.edges, memory.max_events, s, now)
            _fire(memory, s, since, now, fired)
            n = _take(fired, firings)
        if events.new_query[i]:
            _count_firings(tally, r, firings, n, times)
        pair = pair_of(memory.pair, s, events.target[i])
        _count_hits(
            memory.decay,
            memory.triples_of_pair,
            memory.triples,
            memory.slots,
            tally,
            (s, events.target[i], r, pair, since, now),
            times,
        )
    return len(events.source)


@helper
def _fire(memory: EventMemory, subject: int, since: int, now: int, fired: Fired) -> None:
    """Count how often all rules fire for the last events of a subject."""
    decay, edges, slots, triples = memory.decay, memory.edges, memory.slots, memory.triples
    if is_short(edges, subject, memory.max_events):
        targets = memory.targets_of_slot
        for i in indexes_of(memory.slots_of_entity, subject):
            relation, slot = memory.slots_of_entity.record[i, 0], memory.slots_of_entity.record[i, 1]
            for j in indexes_of(targets, slot):
                last = last_before(targets.record, j, triples, now)
                if last >= since:
                    weight = weight_before(decay, targets.record, j, triples, now)
                    _fire_once(decay, slots, relation, slot, now - last, weight, now, fired)
        return
    for i in range(end_of_edges(edges, subject, now) - 1, first_of(edges, subject) - 1, -1):
        relation, time, triple = edges.record[i, 0], edges.record[i, 2], edges.record[i, 3]
        if time < since:
            break
        moment = moment_before(triples, triple, now)
        if time == time_of(triples, triple, moment):  # the last event of its triple
            slot, weight = triples[triple, SLOT + (relation & 1)], weight_at(decay, triples, triple, moment, now)
            _fire_once(decay, slots, relation, slot, now - time, weight, now, fired)


@helper
def _fire_once(
    decay: Floats,
    slots: Groups,
    relation: int,
    slot: int,
    age: int,
    weight: float,
    now: int,
    fired: Fired,
) -> None:
    """Count a firing of the rules with a body relation."""
    if fired.whole[relation] == 0.0:
        fired.whole[relation] = weight_at(decay, slots, slot, moment_before(slots, slot, now), now)
        fired.body[fired.n_bodies[0]] = relation
        fired.n_bodies[0] += 1
    n = fired.n[relation]
    n[_age_bucket(age)] += 1
    n[_ALL_AGES] += 1
    n[_shared_bucket(age, weight / fired.whole[relation])] += 1
    n[_ALL_SHARED] += 1


@helper
def _take(fired: Fired, firings: Firings) -> int:
    """Write what fired, and forget it; return the number of entries."""
    n = 0
    firings.total[:] = 0
    for i in range(fired.n_bodies[0]):
        body = fired.body[i]
        fired.whole[body] = 0.0
        for bucket in range(_N_BUCKETS):
            if fired.n[body, bucket]:
                firings.body[n], firings.bucket[n], firings.n[n] = body, bucket, fired.n[body, bucket]
                firings.total[bucket] += fired.n[body, bucket]
                fired.n[body, bucket] = 0
                n += 1
    fired.n_bodies[0] = 0
    return n


@helper
def _count_firings(tally: Tally, head: int, firings: Firings, n: int, times: int) -> None:
    rule = -1
    for i in range(n):
        if i == 0 or firings.body[i] != firings.body[i - 1]:
            rule = add_key(tally.rule, joint_key(head, firings.body[i]))
        tally.counts[rule, firings.bucket[i], FIRES] += times * firings.n[i]
    for bucket in range(_N_BUCKETS):
        tally.totals[head, bucket, FIRES] += times * firings.total[bucket]


@helper
def _count_hits(
    decay: Floats,
    of_pair: Lists,
    triples: Groups,
    slots: Groups,
    tally: Tally,
    query: tuple[int, int, int, int, int, int],
    times: int,
) -> None:
    """Count the rules that lead from the last events of the subject to an answer."""
    s, c, r, pair, since, now = query
    for i in indexes_of(of_pair, pair):
        last = last_before(of_pair.record, i, triples, now)
        if last < since:
            continue
        weight = weight_before(decay, of_pair.record, i, triples, now)
        for k in range(1 + (s == c)):
            b = of_pair.record[i, MEMBER] ^ (k if s == c else s > c)
            slot = triples[of_pair.record[i, PART], SLOT + (b & 1)]
            whole = weight_at(decay, slots, slot, moment_before(slots, slot, now), now)
            rule, by_share = add_key(tally.rule, joint_key(r, b)), _shared_bucket(now - last, weight / whole)
            counts, totals = tally.counts[rule], tally.totals[r]
            add_counts(counts, totals, HITS, _age_bucket(now - last), _ALL_AGES, times)
            add_counts(counts, totals, HITS, by_share, _ALL_SHARED, times)


class OneStepRules(TallyFamily):
    """Rules r(X, Y, T2) <- b(X, Y, T1)."""

    claim = "other events with {subject} lead to {candidate}"
    learning_cost = 3
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
    n_buckets = _N_BUCKETS
    rule_kind = RuleKind(("X", "Y"), (("X", "Y"),), tuple((span,) for span in age_spans(AGES)), PRIOR)

    def _count(self, memory: EventMemory, events: StepEvents, first: int, times: int) -> int:
        return int(_learn(memory, self.state, events, first, times))

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill the rates of the rules that fire for each candidate."""
        _extract(memory, self.state, context, out)

    def rule_counts(self) -> Iterator[RuleCounts]:
        """All rules with their counts by age."""
        return rules_by_head(self.state, slice(0, _ALL_AGES + 1), length=1)

    def describe(self, case: Case) -> Statement:
        """The rule with the highest rate."""
        newest: dict[int, Edge] = {}
        for edge in case.edges(case.query.subject, None, case.entity):
            newest.setdefault(edge.relation, edge)
        if not newest:
            return Statement(f"no rule from a single earlier event leads to {case.candidate}", has_evidence=False)

        def rate(edge: Edge) -> float:
            age = case.query.time - edge.time
            return float(rate_by_age(self.state, case.head, case.encoded(edge.relation), age))

        edges = sorted(newest.values(), key=rate, reverse=True)
        best, n_others = edges[0], len(edges) - 1
        others = f" ({n_others} weaker rule{'s' * (n_others > 1)} also lead{'s' * (n_others == 1)} to {case.candidate})"
        return Statement(
            f"{case.fact(*best[:3])} {case.when(best.time)}; {case.relation} followed in {percent(rate(best))} of such "
            f"cases{others if n_others else ''}",
            tuple(edges),
        )
