"""Paths of two and three steps from the subject to the candidate, over the strongest partners of each entity.

A path weighs as much as its steps' shares multiplied, and evidence is the sum over paths.
"""

import numpy as np
from numba import njit

from tlogic.evidence.asked import RECENT, Asked, Pairs
from tlogic.evidence.histories import Histories, last_before
from tlogic.evidence.partners import Partners, strongest_partners, strongest_targets
from tlogic.evidence.telling import Names, Values
from tlogic.graph.arrays import Floats
from tlogic.graph.search import find

COLUMNS = ("partners did it", "targets' partners", "others like the subject", "common partners 1", "common partners 3")
_SOON, _LATER = 1, 3
_MANY, _FEW = 20, 6


@njit(cache=True, nogil=True)
def extract(histories: Histories, asked: Asked, pairs: Pairs, out: Floats) -> None:
    """Fill the columns of this family, a row a candidate."""
    for i in range(len(pairs.query)):
        s, now = asked.subject[pairs.query[i]], asked.time[pairs.query[i]]
        rows = out[pairs.start[i] : pairs.start[i + 1]]
        candidates = pairs.candidate[pairs.start[i] : pairs.start[i + 1]]
        rows[:] = 0.0
        slot = find(histories.slot_start, histories.slot_relation, s, asked.relation)
        targets = strongest_targets(histories, slot, now, RECENT, _MANY)
        partners = strongest_partners(histories, s, now, RECENT, _MANY)
        _add_slots(histories, partners, asked.relation, now, candidates, rows[:, 0])
        _add_pairs(histories, targets, now, RECENT, candidates, rows[:, 1])
        alike = _alike(histories, targets, asked.inverse, now)
        _add_slots(histories, alike, asked.relation, now, candidates, rows[:, 2])
        _add_pairs(histories, strongest_partners(histories, s, now, _SOON, _MANY), now, _SOON, candidates, rows[:, 3])
        later = strongest_partners(histories, s, now, _LATER, _MANY)
        _add_pairs(histories, later, now, _LATER, candidates, rows[:, 4])


@njit(cache=True, nogil=True)
def _alike(histories: Histories, targets: Partners, inverse: int, now: int) -> Partners:
    """Others who did the same relation to the subject's strongest targets."""
    alike = Partners(np.full(_FEW * _FEW, -1, np.int64), np.zeros(_FEW * _FEW, np.float32))
    for i in range(_FEW):
        if targets.entity[i] >= 0:
            slot = find(histories.slot_start, histories.slot_relation, targets.entity[i], inverse)
            others = strongest_targets(histories, slot, now, RECENT, _FEW)
            alike.entity[i * _FEW : (i + 1) * _FEW] = others.entity
            alike.share[i * _FEW : (i + 1) * _FEW] = others.share * targets.share[i]
    return alike


@njit(cache=True, nogil=True)
def _add_slots(
    histories: Histories, partners: Partners, relation: int, now: int, candidates: np.ndarray, out: Floats
) -> None:
    """Add what each partner's doing of a relation says for each candidate."""
    start, time, count = histories.triples
    for i in range(len(partners.entity)):
        if partners.entity[i] < 0:
            continue
        slot = find(histories.slot_start, histories.slot_relation, partners.entity[i], relation)
        last_of_slot = last_before(histories.slots.start, histories.slots.time, slot, now)
        if last_of_slot < 0:
            continue
        age = now - histories.slots.time[last_of_slot]
        whole = histories.slots.counts[last_of_slot, RECENT] * histories.decay[RECENT, age]
        for p in range(len(candidates)):
            triple = find(histories.triple_start, histories.target, slot, candidates[p])
            last = last_before(start, time, triple, now)
            if last >= 0:
                own = count[last, RECENT] * histories.decay[RECENT, now - time[last]]
                out[p] += partners.share[i] * own / whole


@njit(cache=True, nogil=True)
def _add_pairs(histories: Histories, partners: Partners, now: int, h: int, candidates: np.ndarray, out: Floats) -> None:
    """Add what each partner's dealings with a candidate say for it."""
    start, time, count = histories.pairs
    for i in range(len(partners.entity)):
        x = partners.entity[i]
        if x < 0:
            continue
        last_of_x = last_before(histories.sources.start, histories.sources.time, x, now)
        whole = histories.sources.counts[last_of_x, h] * histories.decay[h, now - histories.sources.time[last_of_x]]
        for p in range(len(candidates)):
            pair = find(histories.pair_start, histories.pair_target, x, candidates[p])
            last = last_before(start, time, pair, now)
            if last >= 0:
                out[p] += partners.share[i] * count[last, h] * histories.decay[h, now - time[last]] / whole


def sentence(values: Values, names: Names) -> str:
    """What this family says of a candidate."""
    return (
        f"lately partners of {names.subject} did {names.relation} to {names.candidate} with a share of "
        f"{values['partners did it']:.1%}, and common partners lead to it with {values['common partners 3']:.1%}"
    )
