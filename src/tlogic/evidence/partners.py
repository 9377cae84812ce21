"""The strongest partners of an entity: with whom it had most to do, lately or under one relation."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.histories import Histories, last_before
from tlogic.graph.arrays import Floats, Ints


class Partners(NamedTuple):
    """Some entities, strongest first, and the share of each in all that an entity did; empty places hold -1."""

    entity: Ints
    share: Floats


@njit(cache=True, nogil=True)
def strongest_partners(histories: Histories, source: int, now: int, h: int, n: int) -> Partners:
    """Those with whom an entity had most to do under any relation, counted with one half-life."""
    partners = Partners(np.full(n, -1, np.int64), np.zeros(n, np.float32))
    start, time, count = histories.pairs
    for pair in range(histories.pair_start[source], histories.pair_start[source + 1]):
        last = last_before(start, time, pair, now)
        if last >= 0:
            _insert(partners, histories.pair_target[pair], count[last, h] * histories.decay[h, now - time[last]])
    last = last_before(histories.sources.start, histories.sources.time, source, now)
    if last >= 0:
        partners.share[:] /= histories.sources.counts[last, h] * histories.decay[h, now - histories.sources.time[last]]
    return partners


@njit(cache=True, nogil=True)
def strongest_targets(histories: Histories, slot: int, now: int, h: int, n: int) -> Partners:
    """Those to whom an entity did a relation most, counted with one half-life; a slot is an entity and a relation."""
    partners = Partners(np.full(n, -1, np.int64), np.zeros(n, np.float32))
    last_of_slot = last_before(histories.slots.start, histories.slots.time, slot, now)
    if last_of_slot < 0:
        return partners
    start, time, count = histories.triples
    for triple in range(histories.triple_start[slot], histories.triple_start[slot + 1]):
        last = last_before(start, time, triple, now)
        if last >= 0:
            _insert(partners, histories.target[triple], count[last, h] * histories.decay[h, now - time[last]])
    whole = histories.slots.counts[last_of_slot, h] * histories.decay[h, now - histories.slots.time[last_of_slot]]
    partners.share[:] /= whole
    return partners


@njit(cache=True, nogil=True)
def _insert(partners: Partners, entity: int, value: float) -> None:
    """Take an entity in if it is among the strongest so far."""
    names, shares = partners
    place = len(shares) - 1
    if value <= shares[place]:
        return
    while place > 0 and shares[place - 1] < value:
        names[place], shares[place] = names[place - 1], shares[place - 1]
        place -= 1
    names[place], shares[place] = entity, value
