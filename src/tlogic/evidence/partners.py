"""The strongest partners of an entity: with whom it had most to do, under any relation or under one."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.histories import N_HALF_LIVES, Histories, History, last_before, share, weight_at
from tlogic.graph.arrays import Floats, Ints


class Partners(NamedTuple):
    """Some entities, strongest first; empty places hold -1."""

    entity: Ints
    share: Floats
    """Per entity and half-life: its share of all that was done."""


@njit(cache=True, nogil=True)
def strongest_partners(histories: Histories, source: int, now: int, n: int) -> Partners:
    """Those with whom an entity had most to do under any relation, most of all lately."""
    groups = (histories.pair_start[source], histories.pair_start[source + 1])
    return _strongest(
        histories.decay, histories.pairs, histories.pair_target, groups, histories.sources, source, now, n
    )


@njit(cache=True, nogil=True)
def strongest_targets(histories: Histories, slot: int, now: int, n: int) -> Partners:
    """Those to whom an entity did a relation most, most of all lately; a slot is an entity and a relation."""
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
    """The strongest of some groups, which together are one larger group."""
    partners = Partners(np.full(n, -1, np.int64), np.zeros((n, N_HALF_LIVES)))
    weights, places = np.zeros(n), np.full(n, -1, np.int64)
    last_of_whole = last_before(whole.start, whole.time, whole_group, now)
    if last_of_whole < 0:
        return partners
    for group in range(groups[0], groups[1]):
        last = last_before(parts.start, parts.time, group, now)
        if last >= 0:
            weight = weight_at(decay, parts, last, now)
            place = n
            while place > 0 and weights[place - 1] < weight:
                place -= 1
                if place < n - 1:
                    weights[place + 1], places[place + 1] = weights[place], places[place]
                    partners.entity[place + 1] = partners.entity[place]
            if place < n:
                weights[place], places[place], partners.entity[place] = weight, last, target[group]
    for i in range(n):
        if places[i] >= 0:
            for h in range(N_HALF_LIVES):
                partners.share[i, h] = share(decay, parts, places[i], whole, last_of_whole, h)
    return partners
