"""The strongest partners of an entity: those with the most events in common, under any relation or under one."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.histories import N_HALF_LIVES, Histories, History, last_before, share, weight_at
from tlogic.graph.arrays import Floats, Ints


class Partners(NamedTuple):
    """Entities, the strongest first; unused entries hold -1."""

    entity: Ints
    share: Floats
    """Per entity and half-life: the decayed share of its events among all events of the entity in question."""


@njit(cache=True, nogil=True)
def strongest_partners(histories: Histories, source: int, now: int, n: int) -> Partners:
    """The entities with the most events with a source before now, under any relation; recent events weigh more."""
    groups = (histories.pair_start[source], histories.pair_start[source + 1])
    return _strongest(
        histories.decay, histories.pairs, histories.pair_target, groups, histories.sources, source, now, n
    )


@njit(cache=True, nogil=True)
def strongest_targets(histories: Histories, slot: int, now: int, n: int) -> Partners:
    """The most frequent targets of a slot (source and relation) before now; recent events weigh more."""
    groups = (histories.triple_start[slot], histories.triple_start[slot + 1]) if slot >= 0 else (0, 0)
    return _strongest(histories.decay, histories.triples, histories.target, groups, histories.slots, slot, now, n)


@njit(cache=True, nogil=True)
def _strongest(
    decay: Floats,
    parts: History,
    target: Ints,
    groups: tuple[int, int],
    whole: History,
    whole_group: int,
    now: int,
    n: int,
) -> Partners:
    """The strongest of some groups, which together make up one larger group."""
    partners = Partners(np.full(n, -1, np.int64), np.zeros((n, N_HALF_LIVES)))
    weights, lasts = np.zeros(n), np.full(n, -1, np.int64)
    last_of_whole = last_before(whole.start, whole.time, whole_group, now)
    if last_of_whole < 0:
        return partners
    for group in range(groups[0], groups[1]):
        last = last_before(parts.start, parts.time, group, now)
        if last >= 0:
            weight = weight_at(decay, parts, last, now)
            rank = n
            while rank > 0 and weights[rank - 1] < weight:
                rank -= 1
                if rank < n - 1:
                    weights[rank + 1], lasts[rank + 1] = weights[rank], lasts[rank]
                    partners.entity[rank + 1] = partners.entity[rank]
            if rank < n:
                weights[rank], lasts[rank], partners.entity[rank] = weight, last, target[group]
    for i in range(n):
        if lasts[i] >= 0:
            for h in range(N_HALF_LIVES):
                partners.share[i, h] = share(decay, parts, lasts[i], whole, last_of_whole, h)
    return partners
