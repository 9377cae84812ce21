"""The strongest partners of an entity: those with the most events in common, under any relation or under one."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.groups import N_HALF_LIVES, Groups, moment_before, share, weight_at
from tlogic.evidence.lists import Lists, indexes_of
from tlogic.graph.arrays import Floats, Ints


class Partners(NamedTuple):
    """Entities, the strongest first; unused entries hold -1."""

    entity: Ints
    share: Floats
    """Per entity and half-life: the decayed share of its events among all events of the entity in question."""


@njit(cache=True, nogil=True)
def new_partners(n: int) -> Partners:
    """Room for so many partners."""
    return Partners(np.empty(n, np.int64), np.empty((n, N_HALF_LIVES)))


@njit(cache=True, nogil=True)
def strongest(
    decay: Floats,
    entity_key: Ints,
    members: Lists,
    which: int,
    parts: Groups,
    wholes: Groups,
    now: int,
    partners: Partners,
) -> None:
    """Write the strongest members of a list before now; recent events weigh more, and keys break ties.

    Members are the partners of an entity with their pairs, or the targets of a slot with their triples; together they
    make up the whole, which has the number of the list.
    """
    n = len(partners.entity)
    for rank in range(n):
        partners.entity[rank] = -1
        for h in range(N_HALF_LIVES):
            partners.share[rank, h] = 0.0
    whole = moment_before(wholes, which, now)
    if whole < 0:
        return
    found, weights = np.empty(n, np.int64), np.zeros(n)
    n_found = 0
    for i in indexes_of(members, which):
        moment = moment_before(parts, members.record[i, 1], now)
        if moment >= 0:
            weight = weight_at(decay, parts, members.record[i, 1], moment, now)
            if n_found < n or weight >= weights[n - 1]:
                n_found = _insert(found, weights, n_found, entity_key, members.record, i, weight)
    for rank in range(n_found):
        partners.entity[rank], part = members.record[found[rank], 0], members.record[found[rank], 1]
        moment = moment_before(parts, part, now)
        for h in range(N_HALF_LIVES):
            partners.share[rank, h] = share(decay, parts, part, moment, wholes, which, whole, h)


@njit(cache=True, nogil=True)
def _insert(found: Ints, weights: Floats, n: int, entity_key: Ints, record: Ints, at: int, weight: float) -> int:
    """Insert a member among the strongest so far, if it is one of them; return their number."""
    rank, key = n, entity_key[record[at, 0]]
    while rank > 0 and (
        weights[rank - 1] < weight or (weights[rank - 1] == weight and key < entity_key[record[found[rank - 1], 0]])
    ):
        rank -= 1
        if rank < len(found) - 1:
            weights[rank + 1], found[rank + 1] = weights[rank], found[rank]
    if rank < len(found):
        weights[rank], found[rank] = weight, at
    return min(n + 1, len(found))
