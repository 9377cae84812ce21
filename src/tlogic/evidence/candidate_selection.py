"""The candidates of a query: the entities for which evidence is computed.

They are all past partners of the subject, the most popular objects of the relation, the entities that close partners
lead to, and those that families of evidence propose. Each has a strength, and the strongest are kept.
"""

import numpy as np
from numba import njit

from tlogic.evidence.histories import RECENT, Histories, last_before, weight_at
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.partners import strongest_partners, strongest_targets
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.binary_search import find, first_at_least

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

# Strengths, relative to one recent event between subject and candidate.
_SAME_RELATION_FACTOR = 5.0
_TWO_STEP_FACTOR = 0.01
_PROPOSED_STRENGTH = 1e-4  # more than the most popular entity has
_POPULAR_STRENGTH = 1e-6  # times the number of less popular ones
_MIN_STRENGTH = 1e-12  # keeps candidate strength positive


@njit(cache=True, nogil=True)
def choose_candidates(histories: Histories, queries: HistoryQueries, proposed: CandidatePairs) -> CandidatePairs:
    """The strongest candidates of each scored query."""
    scored = np.flatnonzero(queries.scored)
    start = np.zeros(len(scored) + 1, np.int64)
    candidate = np.empty(len(scored) * MAX_CANDIDATES + MAX_CANDIDATES_OF_BROAD_QUERY, np.int32)
    strength = np.zeros(len(histories.slot_start) - 1, np.float32)
    found = np.empty(len(strength), np.int32)
    popular: Ints = np.empty(0, np.int32)
    popular_at = -1
    for i in range(len(scored)):
        subject, now = queries.subject[scored[i]], queries.time[scored[i]]
        if now != popular_at:
            popular, popular_at = _most_popular(histories, queries.inverse, now, N_POPULAR), now
        n = _add_partners(histories, subject, queries.relation, now, strength, found)
        for rank in range(len(popular)):
            if strength[popular[rank]] == 0.0:
                n = _add(popular[rank], _POPULAR_STRENGTH * (len(popular) - rank), strength, found, n)
        n = _add_two_steps_away(histories, subject, queries.relation, now, strength, found, n)
        n = _add_proposed(proposed.candidate[proposed.start[i] : proposed.start[i + 1]], subject, strength, found, n)
        n_before = _n_answers_before(histories, queries, scored[i])
        n_kept = max(MAX_CANDIDATES, min(2 * n_before, MAX_CANDIDATES_OF_BROAD_QUERY))
        if start[i] + n_kept > len(candidate):
            candidate = np.append(candidate, np.empty_like(candidate))
        start[i + 1] = start[i] + _keep_strongest(strength, found, n, n_kept, candidate, start[i])
    return CandidatePairs(scored, start, candidate[: start[-1]].copy())


@njit(cache=True, nogil=True)
def _n_answers_before(histories: Histories, queries: HistoryQueries, q: int) -> int:
    """The number of answers that a query had when it last occurred. A league has about as many teams as before."""
    slots, now = histories.slots, queries.time[q]
    slot = find(histories.slot_start, histories.slot_relation, queries.subject[q], queries.relation)
    end = last_before(slots.start, slots.time, slot, now)
    if end < 0:
        return 0
    return end + 1 - first_at_least(slots.time, slots.start[slot], end, slots.time[end])


@njit(cache=True, nogil=True)
def _add_partners(histories: Histories, subject: int, relation: int, now: int, strength: Floats, found: Ints) -> int:
    """Add all past partners of the subject; return their number."""
    decay, triples = histories.decay, histories.triples
    n = 0
    for slot in range(histories.slot_start[subject], histories.slot_start[subject + 1]):
        factor = _SAME_RELATION_FACTOR if histories.slot_relation[slot] == relation else 1.0
        for triple in range(histories.triple_start[slot], histories.triple_start[slot + 1]):
            last = last_before(triples.start, triples.time, triple, now)
            if last >= 0:
                weight = factor * weight_at(decay, triples, last, now)
                n = _add(histories.target[triple], weight, strength, found, n)
    return n


@njit(cache=True, nogil=True)
def _add_two_steps_away(
    histories: Histories, subject: int, relation: int, now: int, strength: Floats, found: Ints, n: int
) -> int:
    """Add the objects of the relation, and the last partners, of the subject's strongest partners."""
    partners = strongest_partners(histories, subject, now, N_PARTNERS)
    start, _, target, time = histories.entity_edges
    for i in range(N_PARTNERS):
        x = partners.entity[i]
        if x < 0:
            break
        weight = _TWO_STEP_FACTOR * partners.share[i, RECENT]
        slot = find(histories.slot_start, histories.slot_relation, x, relation)
        theirs = strongest_targets(histories, slot, now, N_PARTNERS)
        for j in range(N_PARTNERS):
            if theirs.entity[j] >= 0:
                n = _add(theirs.entity[j], weight * theirs.share[j, RECENT], strength, found, n)
        if i < N_CLOSEST_PARTNERS:
            end = first_at_least(time, start[x], start[x + 1], now)
            for j in range(max(start[x], end - N_LAST_EVENTS), end):
                n = _add(target[j], weight / N_LAST_EVENTS, strength, found, n)
    return n


@njit(cache=True, nogil=True)
def _add_proposed(proposed: Ints, subject: int, strength: Floats, found: Ints, n: int) -> int:
    """Add the first proposed entities that are no candidates yet. The subject takes a turn, but is not added."""
    n_new = 0
    for c in proposed:
        if strength[c] == 0.0 and n_new < N_PROPOSED:
            n_new += 1
            if c != subject:
                n = _add(c, _PROPOSED_STRENGTH, strength, found, n)
    return n


@njit(cache=True, nogil=True)
def _add(entity: int, weight: float, strength: Floats, found: Ints, n: int) -> int:
    """Add an entity to the candidates, or to its strength if it is one; return the number of candidates."""
    if strength[entity] == 0.0:
        found[n] = entity
        n += 1
    strength[entity] += max(weight, _MIN_STRENGTH)
    return n


@njit(cache=True, nogil=True)
def _most_popular(histories: Histories, inverse: int, now: int, n: int) -> Ints:
    """The most frequent objects of a relation, with a preference for recent events, most popular first."""
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
def _keep_strongest(strength: Floats, found: Ints, n: int, n_kept: int, candidate: Ints, first: int) -> int:
    """Write the strongest candidates from an index on and reset all strengths; return how many were written."""
    kept = min(n, n_kept)
    bound = -1.0
    values = strength[found[:n]]
    if n > n_kept:
        bound = np.partition(values, n - n_kept)[n - n_kept]
    written = 0
    for above in (True, False):  # candidates at the bound come last, as far as there is room
        for i in range(n):
            chosen = values[i] > bound if above else values[i] == bound
            if chosen and written < kept:
                candidate[first + written] = found[i]
                written += 1
    for i in range(n):
        strength[found[i]] = 0.0
    return written
