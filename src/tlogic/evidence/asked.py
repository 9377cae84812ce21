"""The queries of one relation in order of time, their answers, and the candidates that are looked at."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.histories import FOREVER, Histories, last_before
from tlogic.evidence.partners import strongest_partners, strongest_targets
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.search import find

RECENT = 2
"""The place of the half-life that tells what is recent: 30 days."""
_SAME_RELATION = 5.0
_LONG_AGO = 0.02
_REACHED = 0.01
_N_NEAR = 20


class Asked(NamedTuple):
    """Queries (subject, relation, ?, time), sorted by time, with their true answers."""

    relation: int
    inverse: int
    subject: Ints
    time: Ints
    answer_start: Ints
    answer: Ints
    wanted: Bools
    """Per query: is evidence for it wanted, or is it only learned from?"""


class Pairs(NamedTuple):
    """The candidates of the queries for which evidence is wanted."""

    query: Ints
    """Per wanted query: its place among those asked."""
    start: Ints
    """Per wanted query: its first candidate."""
    candidate: Ints


@njit(cache=True, nogil=True)
def answers_of(asked: Asked, q: int) -> Ints:
    """The true answers of a query; none where they are not known yet, so that there is nothing to learn from it."""
    return asked.answer[asked.answer_start[q] : asked.answer_start[q + 1]]


@njit(cache=True, nogil=True)
def choose_candidates(histories: Histories, asked: Asked, n_popular: int, at_most: int) -> Pairs:
    """All past partners of the subject and the most popular objects of the relation, the most active of them."""
    wanted = np.flatnonzero(asked.wanted)
    start = np.zeros(len(wanted) + 1, np.int64)
    candidate = np.empty(len(wanted) * at_most, np.int32)
    strength = np.zeros(len(histories.slot_start) - 1, np.float32)
    partner = np.empty(len(strength), np.int32)
    popular: Ints = np.empty(0, np.int32)
    popular_at = -1
    for i in range(len(wanted)):
        now = asked.time[wanted[i]]
        if now != popular_at:
            popular, popular_at = _popular(histories, asked.inverse, now, n_popular), now
        n = _add_partners(histories, asked.subject[wanted[i]], asked.relation, now, strength, partner)
        for place in range(len(popular)):
            if strength[popular[place]] == 0.0:
                strength[popular[place]] = 1e-6 * (len(popular) - place)
                partner[n] = popular[place]
                n += 1
        n = _add_reached(histories, asked.subject[wanted[i]], asked.relation, now, strength, partner, n)
        start[i + 1] = start[i] + _keep_strongest(strength, partner, n, at_most, candidate, start[i])
    return Pairs(wanted, start, candidate[: start[-1]].copy())


@njit(cache=True, nogil=True)
def _add_partners(histories: Histories, subject: int, relation: int, now: int, strength: Floats, partner: Ints) -> int:
    """All that the subject had to do with, and how strongly; their number."""
    start, time, count = histories.triples
    n = 0
    for slot in range(histories.slot_start[subject], histories.slot_start[subject + 1]):
        weight = _SAME_RELATION if histories.slot_relation[slot] == relation else 1.0
        for triple in range(histories.triple_start[slot], histories.triple_start[slot + 1]):
            last = last_before(start, time, triple, now)
            if last >= 0:
                c = histories.target[triple]
                if strength[c] == 0.0:
                    partner[n] = c
                    n += 1
                lately = count[last, RECENT] * histories.decay[RECENT, now - time[last]]
                strength[c] += weight * (lately + _LONG_AGO * count[last, FOREVER])
    return n


@njit(cache=True, nogil=True)
def _add_reached(
    histories: Histories, subject: int, relation: int, now: int, strength: Floats, partner: Ints, n: int
) -> int:
    """Those to whom the subject's strongest partners did the relation; the number of all so far."""
    near = strongest_partners(histories, subject, now, RECENT, _N_NEAR)
    for i in range(_N_NEAR):
        if near.entity[i] < 0:
            break
        slot = find(histories.slot_start, histories.slot_relation, near.entity[i], relation)
        theirs = strongest_targets(histories, slot, now, RECENT, _N_NEAR)
        for j in range(_N_NEAR):
            c = theirs.entity[j]
            if c < 0:
                break
            if strength[c] == 0.0:
                partner[n] = c
                n += 1
            strength[c] += _REACHED * near.share[i] * theirs.share[j]
    return n


@njit(cache=True, nogil=True)
def _popular(histories: Histories, inverse: int, now: int, n: int) -> Ints:
    """The objects that a relation had most often lately, most popular first."""
    start, time, count = histories.slots
    first, end = histories.relation_slot_start[inverse], histories.relation_slot_start[inverse + 1]
    value = np.zeros(end - first, np.float32)
    for i in range(first, end):
        slot = histories.relation_slot[i]
        last = last_before(start, time, slot, now)
        if last >= 0:
            value[i - first] = count[last, RECENT] * histories.decay[RECENT, now - time[last]]
    order = np.argsort(-value, kind="mergesort")[:n]
    return histories.slot_source[histories.relation_slot[first + order[value[order] > 0.0]]]


@njit(cache=True, nogil=True)
def _keep_strongest(strength: Floats, partner: Ints, n: int, at_most: int, candidate: Ints, place: int) -> int:
    """Write the strongest partners to a place, and forget all; how many were kept."""
    kept = min(n, at_most)
    bound = -1.0
    values = strength[partner[:n]]
    if n > at_most:
        bound = np.partition(values, n - at_most)[n - at_most]
    written = 0
    for above in (True, False):  # those at the bound come last, as far as there is room
        for i in range(n):
            chosen = values[i] > bound if above else values[i] == bound
            if chosen and written < kept:
                candidate[place + written] = partner[i]
                written += 1
    for i in range(n):
        strength[partner[i]] = 0.0
    return written
