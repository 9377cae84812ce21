"""Paths of two and three steps from the subject to the candidate, over the strongest partners of each entity.

The weight of a path is the product of its steps' shares, and evidence is the sum over paths.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.candidate_selection import N_PARTNERS, QueryContext
from tlogic.evidence.event_memory import EventMemory, pair_of, slot_of
from tlogic.evidence.family import BaseFamily
from tlogic.evidence.groups import N_HALF_LIVES, RECENT, Groups, moment_before, share
from tlogic.evidence.lists import Lists, indexes_of, size_of
from tlogic.evidence.partners import Partners
from tlogic.evidence.statements import Case, Edge, Statement, percent
from tlogic.evidence.tables import Table, joint_key, number_of
from tlogic.graph.arrays import Floats, Ints, borrowed

_COMMON, _DID, _TARGETS, _SIMILAR = 0, N_HALF_LIVES, 2 * N_HALF_LIVES, 2 * N_HALF_LIVES + 1
_MAX_SCANNED_PER_CANDIDATE = 4  # with more members of a list than this per candidate, candidates are looked up instead


class Candidates(NamedTuple):
    """The candidates of one query, and memory for those that a partner leads to."""

    entity: Ints
    row: Ints
    """Per entity: its row, or -1."""
    met_row: Ints
    met_part: Ints
    """Their pairs or triples with the partner."""


@kernel
def _extract(memory: EventMemory, context: QueryContext, out: Floats) -> None:
    """Fill one row per candidate."""
    memory, context, out = borrowed(memory), borrowed(context), borrowed(out)
    now = context.now
    row = np.full(len(memory.entity_key), -1, np.int32)
    out[:] = 0.0
    for q in range(len(context.subject)):
        own = context.candidate[context.start[q] : context.start[q + 1]]
        rows = out[context.start[q] : context.start[q + 1]]
        candidates = Candidates(own, row, np.empty(len(own), np.int64), np.empty(len(own), np.int64))
        for i in range(len(own)):
            row[own[i]] = i
        partners = Partners(context.partner[q], context.partner_share[q])
        _add_pairs(memory, partners, now, candidates, rows[:, _COMMON:_DID])
        _add_slots(memory, partners, context.relation[q], now, candidates, rows[:, _DID:_TARGETS])
        targets = Partners(context.target[q], context.target_share[q])
        _add_pairs(memory, targets, now, candidates, rows[:, _TARGETS:_SIMILAR])
        similar = Partners(context.similar[q], context.similar_share[q])
        _add_slots(memory, similar, context.relation[q], now, candidates, rows[:, _SIMILAR:])
        for c in own:
            row[c] = -1


@helper
def _add_pairs(memory: EventMemory, partners: Partners, now: int, candidates: Candidates, out: Floats) -> None:
    """Add the paths over each partner's events with any relation, for each half-life or the recent one."""
    pairs, entities, lists = memory.pairs, memory.entities, memory.partners
    for i in range(len(partners.entity)):
        x = partners.entity[i]
        if x >= 0:
            if _is_short(lists, x, candidates):
                n = _scan(candidates, lists, x)
            else:
                n = _look_up(candidates, memory.pair, x, True)
            whole = moment_before(entities, x, now)
            _add(memory.decay, pairs, entities, x, whole, now, candidates, n, partners.share[i], out)


@helper
def _add_slots(
    memory: EventMemory, partners: Partners, relation: int, now: int, candidates: Candidates, out: Floats
) -> None:
    """Add the paths over each partner's events with a relation, for each half-life or the recent one."""
    triples, slots, lists = memory.triples, memory.slots, memory.targets_of_slot
    for i in range(len(partners.entity)):
        x = partners.entity[i]
        slot = slot_of(memory.slot, x, relation) if x >= 0 else -1
        whole = moment_before(slots, slot, now)
        if whole < 0:
            continue
        if relation & 1 or _is_short(lists, slot, candidates):
            n = _scan(candidates, lists, slot)
        else:
            n = _look_up(candidates, memory.triple, slot, False)
        _add(memory.decay, triples, slots, slot, whole, now, candidates, n, partners.share[i], out)


@helper
def _is_short(lists: Lists, which: int, candidates: Candidates) -> bool:
    return size_of(lists, which) < _MAX_SCANNED_PER_CANDIDATE * len(candidates.entity)


@helper
def _scan(candidates: Candidates, lists: Lists, which: int) -> int:
    """Write the candidates in a list of entities with their pairs or triples; return their number."""
    n = 0
    for i in indexes_of(lists, which):
        row = candidates.row[lists.record[i, 0]]
        if row >= 0:
            candidates.met_row[n], candidates.met_part[n] = row, lists.record[i, 1]
            n += 1
    return n


@helper
def _look_up(candidates: Candidates, table: Table, owner: int, in_pairs: bool) -> int:
    """Write the candidates with which an entity has a pair, or a slot a triple; return their number."""
    n = 0
    for row in range(len(candidates.entity)):
        c = candidates.entity[row]
        part = pair_of(table, owner, c) if in_pairs else number_of(table, joint_key(owner, c))
        if part >= 0:
            candidates.met_row[n], candidates.met_part[n] = row, part
            n += 1
    return n


@helper
def _add(
    decay: Floats,
    parts: Groups,
    wholes: Groups,
    whole: int,
    whole_moment: int,
    now: int,
    candidates: Candidates,
    n: int,
    weight: Floats,
    out: Floats,
) -> None:
    """Add the paths over one partner to the candidates that it leads to."""
    for i in range(n):
        part, row = candidates.met_part[i], candidates.met_row[i]
        moment = moment_before(parts, part, now)
        if moment < 0:
            continue
        if len(weight) == 1:
            out[row, 0] += weight[0] * share(decay, parts, part, moment, wholes, whole, whole_moment, RECENT)
        else:
            for h in range(N_HALF_LIVES):
                out[row, h] += weight[h] * share(decay, parts, part, moment, wholes, whole, whole_moment, h)


def _about_similar_subject(case: Case) -> Statement:
    """Another subject that had the same object as the query's, and the candidate."""
    s, r, inverse = case.query.subject, case.query.relation, case.graph.relations.inverse_of(case.query.relation)
    had_candidate = {edge.source: edge for edge in reversed(case.answers()) if edge.source != s}
    name = case.graph.entities.name_of
    for own in case.edges(s, r, None) if had_candidate else ():
        for y in (edge.target for edge in case.edges(own.target, inverse, None)):
            if y in had_candidate and own.target != case.entity:
                both, object_ = case.events_of(f"{case.subject} and {name(y)}"), name(own.target)
                return Statement(
                    f"{object_} was the {case.role} of {both}; {case.candidate} was the {case.role} of "
                    f"{case.events_of(name(y))}, too",
                    (own, *case.edges(y, r, own.target)[:1], had_candidate[y]),
                )
    return Statement(f"no partner of {case.subject} leads to {case.candidate}", has_evidence=False)


class Paths(BaseFamily):
    """Paths over partners."""

    claim = "common partners connect {subject} and {candidate}"
    columns = (
        *(f"common partners {h}" for h in range(N_HALF_LIVES)),
        *(f"partners did it {h}" for h in range(N_HALF_LIVES)),
        "targets' partners",
        "others like the subject",
    )

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill the sums of the weights of paths."""
        _extract(memory, context, out)

    def describe(self, case: Case) -> Statement:
        """The closest partner that leads to the candidate."""
        s, r, c = case.query.subject, case.query.relation, case.entity
        same, common = (case.values[f"{name} {RECENT}"] for name in ("partners did it", "common partners"))
        partners = case.partners(N_PARTNERS)
        best: tuple[float, tuple[Edge, ...]] = (0.0, ())
        for x, shares in zip(partners.entity.tolist(), partners.share, strict=True):
            link = case.edges(x, r if same else None, c)[:1] if x not in {-1, s, c} else ()
            if link:
                best = max(best, (float(shares[RECENT]), (*case.edges(s, None, x)[:1], *link)))
        if not best[1]:
            return _about_similar_subject(case)
        partner = case.graph.entities.name_of(best[1][0].target)
        of_relation = f"is the {case.role} of {percent(same)} of their {case.relation} events and " if same else ""
        return Statement(
            f"partners of {case.subject}, such as {partner}, lead to {case.candidate}: with close partners and recent "
            f"events weighted more, {case.candidate} {of_relation}takes part in {percent(common)} of all their events",
            best[1],
        )
