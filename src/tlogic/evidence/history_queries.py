"""The queries of one relation in order of time, their answers, and the candidates that are looked at."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.histories import RECENT, Histories, last_before, weight_at
from tlogic.evidence.name_parts import UNKNOWN, place_of
from tlogic.evidence.partners import strongest_partners, strongest_targets
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.binary_search import find, first_at_least

_SAME_RELATION = 5.0
_REACHED = 0.01
_SAME_PLACE = 1e-4  # more than the most popular are given
_MOST = 2000  # candidates, where a query used to have very many answers
_LEAST = 1e-12  # so that who is a candidate never has no strength
_N_NEAR, _N_NEAREST, _N_LAST = 20, 12, 60


class HistoryQueries(NamedTuple):
    """Queries (subject, relation, ?, time), sorted by time, with their true answers."""

    relation: int
    inverse: int
    subject: Ints
    time: Ints
    answer_start: Ints
    answer: Ints
    scored: Bools
    """Per query: is evidence for it scored, or is it only learned from?"""


class CandidatePairs(NamedTuple):
    """The candidates of the queries for which evidence is scored."""

    query: Ints
    """Per scored query: its place among those queries."""
    start: Ints
    """Per scored query: its first candidate."""
    candidate: Ints


@njit(cache=True, nogil=True)
def answers_of(queries: HistoryQueries, q: int) -> Ints:
    """The true answers of a query; none where they are not known yet, so that there is nothing to learn from it."""
    return queries.answer[queries.answer_start[q] : queries.answer_start[q + 1]]


@njit(cache=True, nogil=True)
def end_of_step(queries: HistoryQueries, first: int) -> int:
    """The end of the queries that were queries at the same time as one, which is the first of them."""
    end = first
    while end < len(queries.time) and queries.time[end] == queries.time[first]:
        end += 1
    return end


@njit(cache=True, nogil=True)
def choose_candidates(
    histories: Histories, queries: HistoryQueries, n_popular: int, n_same_place: int, at_most: int
) -> CandidatePairs:
    """All past partners of the subject, the most popular objects of the relation, those that partners lead to, and the
    most active of the same place; the strongest of them."""
    scored = np.flatnonzero(queries.scored)
    start = np.zeros(len(scored) + 1, np.int64)
    candidate = np.empty(len(scored) * at_most + _MOST, np.int32)
    strength = np.zeros(len(histories.slot_start) - 1, np.float32)
    partner = np.empty(len(strength), np.int32)
    popular: Ints = np.empty(0, np.int32)
    popular_at = -1
    for i in range(len(scored)):
        now = queries.time[scored[i]]
        if now != popular_at:
            popular, popular_at = _popular(histories, queries.inverse, now, n_popular), now
        n = _add_partners(histories, queries.subject[scored[i]], queries.relation, now, strength, partner)
        for place in range(len(popular)):
            if strength[popular[place]] == 0.0:
                n = _add(popular[place], 1e-6 * (len(popular) - place), strength, partner, n)
        n = _add_reached(histories, queries.subject[scored[i]], queries.relation, now, strength, partner, n)
        if n_same_place:
            n = _add_same_place(histories, queries.subject[scored[i]], now, n_same_place, strength, partner, n)
        room = max(at_most, min(2 * _n_last_time(histories, queries, scored[i]), _MOST))
        if start[i] + room > len(candidate):
            candidate = np.append(candidate, np.empty_like(candidate))
        start[i + 1] = start[i] + _keep_strongest(strength, partner, n, room, candidate, start[i])
    return CandidatePairs(scored, start, candidate[: start[-1]].copy())


@njit(cache=True, nogil=True)
def _n_last_time(histories: Histories, queries: HistoryQueries, q: int) -> int:
    """How many answers a query had when it was last queries: as many as a league has teams, there may be again."""
    slots, now = histories.slots, queries.time[q]
    slot = find(histories.slot_start, histories.slot_relation, queries.subject[q], queries.relation)
    end = last_before(slots.start, slots.time, slot, now)
    if end < 0:
        return 0
    return end + 1 - first_at_least(slots.time, slots.start[slot], end, slots.time[end])


@njit(cache=True, nogil=True)
def _add_partners(histories: Histories, subject: int, relation: int, now: int, strength: Floats, partner: Ints) -> int:
    """All that the subject had to do with, and how strongly; their number."""
    decay, triples = histories.decay, histories.triples
    n = 0
    for slot in range(histories.slot_start[subject], histories.slot_start[subject + 1]):
        weight = _SAME_RELATION if histories.slot_relation[slot] == relation else 1.0
        for triple in range(histories.triple_start[slot], histories.triple_start[slot + 1]):
            last = last_before(triples.start, triples.time, triple, now)
            if last >= 0:
                strong = weight * weight_at(decay, triples, last, now)
                n = _add(histories.target[triple], strong, strength, partner, n)
    return n


@njit(cache=True, nogil=True)
def _add_reached(
    histories: Histories, subject: int, relation: int, now: int, strength: Floats, partner: Ints, n: int
) -> int:
    """Those to whom the subject's strongest partners did the relation, and those they dealt with last; the number of
    all so far."""
    near = strongest_partners(histories, subject, now, _N_NEAR)
    start, _, target, time = histories.entity_edges
    for i in range(_N_NEAR):
        x = near.entity[i]
        if x < 0:
            break
        weight = _REACHED * near.share[i, RECENT]
        slot = find(histories.slot_start, histories.slot_relation, x, relation)
        theirs = strongest_targets(histories, slot, now, _N_NEAR)
        for j in range(_N_NEAR):
            if theirs.entity[j] >= 0:
                n = _add(theirs.entity[j], weight * theirs.share[j, RECENT], strength, partner, n)
        if i < _N_NEAREST:
            end = first_at_least(time, start[x], start[x + 1], now)
            for j in range(max(start[x], end - _N_LAST), end):
                n = _add(target[j], weight / _N_LAST, strength, partner, n)
    return n


@njit(cache=True, nogil=True)
def _add(entity: int, weight: float, strength: Floats, partner: Ints, n: int) -> int:
    """Make an entity a candidate, or a stronger one; the number of all so far."""
    if strength[entity] == 0.0:
        partner[n] = entity
        n += 1
    strength[entity] += max(weight, _LEAST)
    return n


@njit(cache=True, nogil=True)
def _add_same_place(
    histories: Histories, subject: int, now: int, n_same_place: int, strength: Floats, partner: Ints, n: int
) -> int:
    """The most active of those whose names have the place of the subject; the number of all so far."""
    name_parts, sources = histories.name_parts, histories.sources
    place = place_of(name_parts, subject, now)
    if place == UNKNOWN:
        return n
    members = name_parts.member[name_parts.member_start[place] : name_parts.member_start[place + 1]]
    activity = np.zeros(len(members))
    for i in range(len(members)):
        last = last_before(sources.start, sources.time, members[i], now)
        if last >= 0 and strength[members[i]] == 0.0:
            activity[i] = weight_at(histories.decay, sources, last, now)
    for i in np.argsort(-activity, kind="mergesort")[:n_same_place]:
        if activity[i] > 0.0 and members[i] != subject:
            n = _add(members[i], _SAME_PLACE, strength, partner, n)
    return n


@njit(cache=True, nogil=True)
def _popular(histories: Histories, inverse: int, now: int, n: int) -> Ints:
    """The objects that a relation had most often lately, most popular first."""
    slots = histories.slots
    first, end = histories.relation_slot_start[inverse], histories.relation_slot_start[inverse + 1]
    value = np.zeros(end - first, np.float32)
    for i in range(first, end):
        slot = histories.relation_slot[i]
        last = last_before(slots.start, slots.time, slot, now)
        if last >= 0:
            value[i - first] = weight_at(histories.decay, slots, last, now)
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
