"""The partners of an entity, and its targets under one relation: all, or the strongest of them.

Only the last events of an entity are searched, so that the cost for entities with very many events is bounded.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.event_memory import PAIR, EventMemory, end_of_edges, is_short, searched_since
from tlogic.evidence.groups import (
    MEMBER,
    N_HALF_LIVES,
    PART,
    RECENT,
    Groups,
    last_before,
    moment_before,
    share,
    weight_at,
    weight_before,
)
from tlogic.evidence.lists import Lists, first_of, indexes_of
from tlogic.graph.arrays import Floats, Ints, borrowed, keep

_ANY = -1


class Partners(NamedTuple):
    """Entities, the strongest first; unused entries hold -1."""

    entity: Ints
    share: Floats
    """Per entity and half-life: the decayed share of its events among all events of the entity in question. If there is
    one half-life, it is the recent one."""


class Members(NamedTuple):
    """The partners of an entity, or its targets under a relation, while they are collected."""

    n: Ints
    """The number of members, and the number of times that members were collected."""
    entity: Ints
    part: Ints
    """Their pairs, or triples."""
    weight: Floats
    """Their decayed counts, plus a little for each event, however old."""
    collected: Ints
    """Per entity: when it was last collected."""


@kernel
def new_partners(n: int, n_lives: int = N_HALF_LIVES) -> Partners:
    """Room for so many partners, with shares for all half-lives or for the recent one."""
    return Partners(np.empty(n, np.int64), np.empty((n, n_lives)))


@kernel
def new_members(n_entities: int) -> Members:
    """Room for the members of any list."""
    return Members(
        np.zeros(2, np.int64),
        np.empty(n_entities, np.int32),
        np.empty(n_entities, np.int32),
        np.empty(n_entities),
        np.zeros(n_entities, np.int32),
    )


@kernel
def collect_partners(memory: EventMemory, entity: int, now: int, members: Members) -> None:
    """Collect the partners of the last events of an entity before now."""
    memory, members = borrowed(memory), borrowed(members)
    since = searched_since(memory.edges, memory.max_events, entity, now)
    if is_short(memory.partners, entity, memory.max_events):
        _collect_from_list(memory.decay, memory.partners, entity, memory.pairs, since, now, members)
    else:
        _collect_from_edges(memory.decay, memory.edges, entity, _ANY, memory.triples, memory.pairs, since, now, members)


@helper
def collect_targets(memory: EventMemory, entity: int, relation: int, slot: int, now: int, members: Members) -> None:
    """Collect the targets, under one relation, of the last events of an entity before now."""
    since, triples = searched_since(memory.edges, memory.max_events, entity, now), memory.triples
    if is_short(memory.targets_of_slot, slot, memory.max_events):
        _collect_from_list(memory.decay, memory.targets_of_slot, slot, triples, since, now, members)
    else:
        _collect_from_edges(memory.decay, memory.edges, entity, relation, triples, triples, since, now, members)


@helper
def _collect_from_list(
    decay: Floats, lists: Lists, which: int, parts: Groups, since: int, now: int, members: Members
) -> None:
    n, record = 0, lists.record
    for i in indexes_of(lists, which):
        if last_before(record, i, parts, now) >= since:
            members.entity[n], members.part[n] = record[i, MEMBER], record[i, PART]
            members.weight[n] = weight_before(decay, record, i, parts, now)
            n += 1
    members.n[0] = n


@helper
def _collect_from_edges(
    decay: Floats,
    edges: Lists,
    entity: int,
    relation: int,
    triples: Groups,
    parts: Groups,
    since: int,
    now: int,
    members: Members,
) -> None:
    """Go back through the events of an entity: much less than the list of all members, if that is long."""
    n, record = 0, edges.record
    members.n[1] += 1
    for i in range(end_of_edges(edges, entity, now) - 1, first_of(edges, entity) - 1, -1):
        if record[i, 2] < since:
            break
        other = record[i, 1]
        if (relation == _ANY or record[i, 0] == relation) and members.collected[other] != members.n[1]:
            members.collected[other] = members.n[1]
            part = triples[record[i, 3], PAIR] if relation == _ANY else record[i, 3]
            members.entity[n], members.part[n] = other, part
            members.weight[n] = weight_at(decay, parts, part, moment_before(parts, part, now), now)
            n += 1
    members.n[0] = n


@kernel
def strongest(
    decay: Floats,
    entity_key: Ints,
    members: Members,
    parts: Groups,
    wholes: Groups,
    which: int,
    now: int,
    partners: Partners,
) -> None:
    """Write the members with the most weight, whose keys break ties, and their shares of a group as a whole."""
    decay, entity_key, members, parts = borrowed((decay, entity_key, members, parts))
    wholes, partners = borrowed((wholes, partners))
    n, n_found = len(partners.entity), 0
    owned = np.empty(n, np.int64)
    found = borrowed(owned)
    for i in range(members.n[0]):
        if n_found < n or members.weight[i] >= members.weight[found[n - 1]]:
            n_found = _insert(found, n_found, entity_key, members, i)
    whole, n_lives = moment_before(wholes, which, now), partners.share.shape[1]
    for rank in range(n):
        partners.entity[rank] = members.entity[found[rank]] if rank < n_found else -1
        for k in range(n_lives):
            partners.share[rank, k] = 0.0
            if rank < n_found:
                part, h = members.part[found[rank]], k if n_lives == N_HALF_LIVES else RECENT
                partners.share[rank, k] = share(
                    decay, parts, part, moment_before(parts, part, now), wholes, which, whole, h
                )
    keep(owned)


@helper
def _insert(found: Ints, n: int, entity_key: Ints, members: Members, i: int) -> int:
    """Insert a member among the strongest so far, if it is one of them; return their number."""
    rank, weight, key = n, members.weight[i], entity_key[members.entity[i]]
    while rank > 0:
        other = found[rank - 1]
        if members.weight[other] > weight or (
            members.weight[other] == weight and entity_key[members.entity[other]] < key
        ):
            break
        rank -= 1
        if rank < len(found) - 1:
            found[rank + 1] = other
    if rank < len(found):
        found[rank] = i
    return min(n + 1, len(found))
