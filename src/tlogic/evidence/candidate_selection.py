"""The candidates of a query: the entities for which evidence is computed.

They are the past partners of the subject, the most popular objects of the relation, the entities that close partners
lead to, the objects of similar subjects, and those that families of evidence propose. Each has a strength, and the
strongest are kept.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.event_memory import (
    EventMemory,
    end_of_edges,
    events_at,
    pair_of,
    searched_since,
    slot_of,
    triple_of,
)
from tlogic.evidence.groups import N_HALF_LIVES, RECENT, Groups, moment_before, weight_at
from tlogic.evidence.lists import Lists, first_of, indexes_of, size_of
from tlogic.evidence.partners import (
    Members,
    Partners,
    collect_partners,
    collect_targets,
    new_members,
    new_partners,
    strongest,
)
from tlogic.evidence.similar_subjects import N_SIMILAR, fill_similar, fill_targets
from tlogic.graph.arrays import Floats, Ints, borrowed, copy_items, keep

MAX_CANDIDATES = 120
"""Per query, unless it had many answers when it last occurred."""
MAX_CANDIDATES_OF_BROAD_QUERY = 2000
"""Per query, however many answers it had before."""
N_POPULAR = 60
"""Popular objects of the relation that are candidates of every query."""
N_PROPOSED = 20
"""Entities per query that are candidates only because a family proposes them."""
N_PARTNERS = 20
"""Partners of the subject, and objects of each of them, that lead to candidates."""
N_CLOSEST_PARTNERS = 12
"""Partners whose last events lead to candidates, too."""
N_LAST_EVENTS = 60
"""Events of each of these partners."""
_N_PARTS_OF_RELATIONS = 4  # for which threads find popular objects

# Strengths, relative to one recent event between subject and candidate.
_SAME_RELATION_BONUS = 4.0
_TWO_STEP_FACTOR = 0.01
_PROPOSED_STRENGTH = 1e-4  # more than the most popular entity has
_POPULAR_STRENGTH = 1e-6  # times the number of less popular ones
_MIN_STRENGTH = 1e-12  # keeps candidate strength positive


class StepQueries(NamedTuple):
    """Queries of one time step, sorted by subject."""

    now: int
    subject: Ints
    relation: Ints


class Proposals(NamedTuple):
    """Entities that families propose as candidates, the best first."""

    start: Ints
    """Per query: the index of its first one."""
    entity: Ints


class QueryContext(NamedTuple):
    """Queries of one time step with their candidates, and what all families look up for them."""

    now: int
    subject: Ints
    relation: Ints
    slot: Ints
    """Per query: the slot of its subject and relation, or -1."""
    partner: Ints
    """Per query: the strongest partners of its subject, or -1."""
    partner_share: Floats
    """Their shares, per half-life, of all events of the subject."""
    target: Ints
    """Per query: the strongest earlier objects of its subject and relation, or -1."""
    target_share: Floats
    """Their recent shares of the events of the subject and relation."""
    similar: Ints
    """Per query: the subjects of the relation with the first of these objects, itself included, or -1."""
    similar_share: Floats
    """The weights of the paths to them."""
    start: Ints
    """Per query: the index of its first candidate."""
    candidate: Ints
    """The candidates of each query, the strongest first."""
    pair: Ints
    """Per candidate: its pair with the subject, or -1."""
    triple: Ints
    """Per candidate: the triple that the query would have with it, or -1."""
    back_slot: Ints
    """Per candidate: its slot with the inverse relation, or -1."""


class Found(NamedTuple):
    """The candidates of one query while they are collected."""

    strength: Floats
    """Per entity: its strength; 0 if it is no candidate."""
    entity: Ints
    n: Ints
    """One element: the number of candidates."""


def select_candidates(memory: EventMemory, queries: StepQueries, popular: Ints, proposals: Proposals) -> QueryContext:
    """The strongest candidates of each query, and what all families look up for them.

    Args:
        memory: The events before the queries, and perhaps some of their own time step.
        queries: The queries.
        popular: Per relation: its popular objects, from `most_popular`.
        proposals: What families propose.
    """
    n = len(queries.subject)
    per_query = PerQuery(
        slot=np.empty(n, np.int64),
        partner=np.empty((n, N_PARTNERS), np.int64),
        partner_share=np.empty((n, N_PARTNERS, N_HALF_LIVES)),
        target=np.empty((n, N_PARTNERS), np.int64),
        target_share=np.empty((n, N_PARTNERS, 1)),
        similar=np.empty((n, N_SIMILAR), np.int64),
        similar_share=np.empty((n, N_SIMILAR, 1)),
        start=np.zeros(n + 1, np.int64),
    )
    per_candidate = _select(memory, queries, popular, proposals, per_query)
    return QueryContext(**queries._asdict(), **per_query._asdict(), **per_candidate._asdict())


class PerQuery(NamedTuple):
    """The part of a context that has one entry per query."""

    slot: Ints
    partner: Ints
    partner_share: Floats
    target: Ints
    target_share: Floats
    similar: Ints
    similar_share: Floats
    start: Ints


class PerCandidate(NamedTuple):
    """The part of a context that has one entry per candidate."""

    candidate: Ints
    pair: Ints
    triple: Ints
    back_slot: Ints


@kernel
def _select(
    memory: EventMemory, queries: StepQueries, popular: Ints, proposals: Proposals, per_query: PerQuery
) -> PerCandidate:
    memory, per_query, popular, proposals = borrowed((memory, per_query, popular, proposals))
    now, n, start = queries.now, len(queries.subject), per_query.start
    n_entities = len(memory.entity_key)
    owned = (
        Found(np.zeros(n_entities, np.float32), np.empty(n_entities, np.int32), np.zeros(1, np.int64)),
        np.empty(n_entities, np.float32),
        new_members(n_entities),
        new_members(n_entities),
    )
    found, strengths, near, members = borrowed(owned)
    pairs, all_are_near = np.full(n_entities, -1, np.int64), False  # per entity: its pair with the subject
    chosen = _room_for(n * MAX_CANDIDATES + MAX_CANDIDATES_OF_BROAD_QUERY)
    for q in range(n):
        s, r = queries.subject[q], queries.relation[q]
        slot, partners = slot_of(memory.slot, s, r), Partners(per_query.partner[q], per_query.partner_share[q])
        per_query.slot[q] = slot
        if q and s == queries.subject[q - 1]:
            _copy_partners(per_query, q)
        else:
            for i in range(near.n[0]):
                pairs[near.entity[i]] = -1
            collect_partners(memory, s, now, near)
            for i in range(near.n[0]):
                pairs[near.entity[i]] = near.part[i]
            all_are_near = searched_since(memory.edges, memory.max_events, s, now) == 0
            strongest(memory.decay, memory.entity_key, near, memory.pairs, memory.entities, s, now, partners)
        _add_members(near, 1.0, found)
        collect_targets(memory, s, r, slot, now, members)
        _add_members(members, _SAME_RELATION_BONUS, found)
        _add_popular(popular[r], found)
        _add_two_steps_away(memory, partners, r, now, members, found)
        targets = Partners(per_query.target[q], per_query.target_share[q])
        similar = Partners(per_query.similar[q], per_query.similar_share[q])
        fill_targets(memory, s, r, slot, now, members, targets)
        fill_similar(memory, targets, r ^ 1, now, members, similar)
        _add_objects(memory, similar, s, r, now, members, found)
        _add_proposed(proposals, q, s, found)
        n_before = _n_answers_before(memory.slots, slot, now)
        n_kept = min(found.n[0], max(MAX_CANDIDATES, min(2 * n_before, MAX_CANDIDATES_OF_BROAD_QUERY)))
        if start[q] + n_kept > len(chosen.candidate):
            chosen = _longer(chosen)
        start[q + 1] = start[q] + n_kept
        _keep_strongest(found, strengths, memory.entity_key, chosen.candidate[start[q] : start[q + 1]])
        for p in range(start[q], start[q + 1]):
            c = chosen.candidate[p]
            pair = pairs[c] if pairs[c] >= 0 or all_are_near else pair_of(memory.pair, s, c)
            back_slot = slot_of(memory.slot, c, r ^ 1)
            chosen.pair[p], chosen.back_slot[p] = pair, back_slot
            chosen.triple[p] = triple_of(memory.triple, slot, back_slot, r, s, c) if pair >= 0 else -1
    keep(owned)
    end = start[n]
    return PerCandidate(
        chosen.candidate[:end].copy(),
        chosen.pair[:end].copy(),
        chosen.triple[:end].copy(),
        chosen.back_slot[:end].copy(),
    )


@helper
def _room_for(n: int) -> PerCandidate:
    return PerCandidate(np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64))


@helper
def _longer(chosen: PerCandidate) -> PerCandidate:
    n = len(chosen.candidate)
    longer = _room_for(2 * n)
    copy_items(chosen.candidate, n, longer.candidate)
    copy_items(chosen.pair, n, longer.pair)
    copy_items(chosen.triple, n, longer.triple)
    copy_items(chosen.back_slot, n, longer.back_slot)
    return longer


@helper
def _copy_partners(per_query: PerQuery, q: int) -> None:
    """The partners of the query before, which has the same subject."""
    for i in range(N_PARTNERS):
        per_query.partner[q, i] = per_query.partner[q - 1, i]
        for h in range(N_HALF_LIVES):
            per_query.partner_share[q, i, h] = per_query.partner_share[q - 1, i, h]


@helper
def _add_members(members: Members, times: float, found: Found) -> None:
    """Add some multiple of the weights of partners, or of targets under the relation of the query."""
    for i in range(members.n[0]):
        _add(found, members.entity[i], times * members.weight[i])


@helper
def _add_popular(popular: Ints, found: Found) -> None:
    n = 0
    while n < len(popular) and popular[n] >= 0:
        n += 1
    for rank in range(n):
        if found.strength[popular[rank]] == 0.0:
            _add(found, popular[rank], _POPULAR_STRENGTH * (n - rank))


@helper
def _n_answers_before(slots: Groups, slot: int, now: int) -> int:
    """The number of answers that a query had when it last occurred. A league has about as many teams as before."""
    moment = moment_before(slots, slot, now)
    return events_at(slots, slot, moment) if moment >= 0 else 0


@helper
def _add_two_steps_away(
    memory: EventMemory, partners: Partners, relation: int, now: int, members: Members, found: Found
) -> None:
    """Add the objects of the relation, and the last partners, of the subject's strongest partners."""
    edges, theirs = memory.edges, new_partners(N_PARTNERS, 1)
    for i in range(N_PARTNERS):
        x = partners.entity[i]
        if x < 0:
            break
        weight = _TWO_STEP_FACTOR * partners.share[i, RECENT]
        _add_strongest_objects(memory, x, relation, now, weight, members, theirs, found)
        if i < N_CLOSEST_PARTNERS:
            end = end_of_edges(edges, x, now)
            for j in range(max(first_of(edges, x), end - N_LAST_EVENTS), end):
                _add(found, edges.record[j, 1], weight / N_LAST_EVENTS)


@helper
def _add_objects(
    memory: EventMemory, similar: Partners, subject: int, relation: int, now: int, members: Members, found: Found
) -> None:
    """Add the objects of the relation of similar subjects; the subject's own are candidates already."""
    theirs = new_partners(N_PARTNERS, 1)
    for i in range(N_SIMILAR):
        if similar.entity[i] < 0:
            break
        if similar.entity[i] != subject:
            weight = _TWO_STEP_FACTOR * similar.share[i, 0]
            _add_strongest_objects(memory, similar.entity[i], relation, now, weight, members, theirs, found)


@helper
def _add_strongest_objects(
    memory: EventMemory,
    subject: int,
    relation: int,
    now: int,
    weight: float,
    members: Members,
    theirs: Partners,
    found: Found,
) -> None:
    """Add the strongest objects of a subject under a relation, by their shares."""
    slot = slot_of(memory.slot, subject, relation)
    if slot >= 0:
        fill_targets(memory, subject, relation, slot, now, members, theirs)
        for i in range(N_PARTNERS):
            if theirs.entity[i] >= 0:
                _add(found, theirs.entity[i], weight * theirs.share[i, 0])


@helper
def _add_proposed(proposals: Proposals, q: int, subject: int, found: Found) -> None:
    """Add the first proposed entities that are no candidates yet. The subject takes a turn, but is not added."""
    n_new = 0
    for i in range(proposals.start[q], proposals.start[q + 1]):
        c = proposals.entity[i]
        if found.strength[c] == 0.0 and n_new < N_PROPOSED:
            n_new += 1
            if c != subject:
                _add(found, c, _PROPOSED_STRENGTH)


@helper
def _add(found: Found, entity: int, weight: float) -> None:
    """Add an entity to the candidates, or to its strength if it is one."""
    if found.strength[entity] == 0.0:
        found.entity[found.n[0]] = entity
        found.n[0] += 1
    found.strength[entity] += max(weight, _MIN_STRENGTH)


def most_popular(memory: EventMemory, relations: Ints, now: int, each: Callable[..., Iterable[None]] = map) -> Ints:
    """Per relation: its most frequent objects, with a preference for recent events; unused entries hold -1.

    Only the rows of the given relations are filled. The work can be spread over threads by another `map`.
    """
    popular = np.full((len(memory.relation_key), N_POPULAR), -1, np.int32)

    def fill(own: Ints) -> None:
        _fill_popular(memory.decay, memory.entity_key, memory.slots_of_relation, memory.slots, own, now, popular)

    parts = np.array_split(relations, _N_PARTS_OF_RELATIONS)
    for _ in each(fill, [part for part in parts if len(part)]):
        pass
    return popular


@kernel
def _fill_popular(
    decay: Floats, entity_key: Ints, lists: Lists, slots: Groups, relations: Ints, now: int, popular: Ints
) -> None:
    """Write the popular objects of some relations."""
    for relation in relations:
        _fill_popular_of(decay, entity_key, lists, slots, relation, now, popular[relation])


@helper
def _fill_popular_of(
    decay: Floats, entity_key: Ints, lists: Lists, slots: Groups, relation: int, now: int, out: Ints
) -> None:
    size, n = size_of(lists, relation ^ 1), 0
    entity, weight = np.empty(size, np.int32), np.empty(size, np.float32)
    for i in indexes_of(lists, relation ^ 1):
        moment = moment_before(slots, lists.record[i, 1], now)
        if moment >= 0:
            entity[n], weight[n] = lists.record[i, 0], weight_at(decay, slots, lists.record[i, 1], moment, now)
            n += 1
    take_strongest(entity[:n], weight[:n], entity_key, out[: min(n, len(out))])


@helper
def _keep_strongest(found: Found, strengths: Floats, entity_key: Ints, out: Ints) -> None:
    """Write the strongest candidates and forget all."""
    n = found.n[0]
    for i in range(n):
        strengths[i] = found.strength[found.entity[i]]
        found.strength[found.entity[i]] = 0.0
    take_strongest(found.entity[:n], strengths[:n], entity_key, out)
    found.n[0] = 0


@helper
def take_strongest(entity: Ints, strength: Floats, entity_key: Ints, out: Ints) -> None:
    """Write as many entities as there is room for: the strongest first, those with the smallest keys among equals."""
    n = len(out)
    heap = np.empty(n, np.int64)  # indexes of the strongest so far, the weakest of them on top
    for i in range(len(entity)):
        if i < n:
            heap[i] = i
            if i == n - 1:
                for top in range(n // 2 - 1, -1, -1):
                    _sift_down(heap, top, n, entity, strength, entity_key)
        elif n and _is_weaker(heap[0], i, entity, strength, entity_key):
            heap[0] = i
            _sift_down(heap, 0, n, entity, strength, entity_key)
    for end in range(n - 1, -1, -1):
        out[end] = entity[heap[0]]
        heap[0] = heap[end]
        _sift_down(heap, 0, end, entity, strength, entity_key)


@helper
def _is_weaker(i: int, j: int, entity: Ints, strength: Floats, entity_key: Ints) -> bool:
    if strength[i] != strength[j]:
        return strength[i] < strength[j]
    return entity_key[entity[i]] > entity_key[entity[j]]


@helper
def _sift_down(heap: Ints, top: int, n: int, entity: Ints, strength: Floats, entity_key: Ints) -> None:
    while True:
        weakest, left = top, 2 * top + 1
        for child in range(left, min(left + 2, n)):
            if _is_weaker(heap[child], heap[weakest], entity, strength, entity_key):
                weakest = child
        if weakest == top:
            return
        heap[top], heap[weakest] = heap[weakest], heap[top]
        top = weakest
