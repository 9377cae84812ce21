"""Counting bodies whose variables all differ: any body will do, so entities that were passed can be forgotten.

A counts tells where the first steps of bodies end: per entity, how many had ended there by each time. How many
bodies there are comes from one counts that begins everywhere. How many of them the head follows comes from a
counts of all but the last step, for each e_1 that has the head; it is met by last steps back from the e_(l+1) of the
head. So the work grows with paths of two triples, never of three.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Floats, Ints, borrowed
from tlogic.graph.binary_search import find, first_at_least
from tlogic.graph.triples import TripleIndex
from tlogic.learning.distinct_rows import rows_equal
from tlogic.learning.training_edges import RelationSlots

NEVER = -(1 << 62)
NO_END = 1 << 62
MAX_INSERTION_SORT = 40


class PathCounts(NamedTuple):
    """Where the first steps of bodies end: per entity reached the times, and how many bodies had ended by each."""

    size: Ints
    """One number: how many entities are reached."""
    entity: Ints
    place: Ints
    """Per entity of the graph: its place among those reached, or -1."""
    start: Ints
    """Per entity reached: its first time."""
    time: Ints
    bodies: Floats


class Arrivals(NamedTuple):
    """The edges by which a counts moves on: which place they reach, when, and how many bodies take them."""

    place: Ints
    time: Ints
    bodies: Floats


class CountingScratch(NamedTuple):
    """Scratch space: a counts, another one to which it moves on, and what arrives there."""

    one: PathCounts
    other: PathCounts
    arrivals: Arrivals


def new_counting_scratch(triples: TripleIndex, relations: RelationSlots) -> CountingScratch:
    """Room for all entities, and for all edges of any relation."""
    n_entities = len(triples.slot_start) - 1
    n_times = max(n_entities, int(relations.n_edges.max(initial=0)))

    def new_path_counts() -> PathCounts:
        entity, place, start = np.zeros((3, n_entities + 1), np.int64)
        place[:] = -1
        return PathCounts(
            np.zeros(1, np.int64), entity, place, start, np.empty(n_times, np.int64), np.empty(n_times, np.float64)
        )

    arrivals = Arrivals(np.empty(n_times, np.int64), np.empty(n_times, np.int64), np.empty(n_times, np.float64))
    return CountingScratch(new_path_counts(), new_path_counts(), arrivals)


@njit(cache=True, nogil=True)
def count_distinct(
    triples: TripleIndex, relations: RelationSlots, heads: Ints, bodies: Ints, scratch: CountingScratch
) -> Floats:
    """Body support and rule support of rules of one length without repeated variables, a row a rule.

    Rules should be sorted by body: those that begin alike, up to the last relation, share their frontiers.
    """
    triples, relations, scratch = borrowed(triples), borrowed(relations), borrowed(scratch)
    supports = np.zeros((len(heads), 2), np.float64)
    beginnings = bodies[:, : max(1, bodies.shape[1] - 1)]
    first = 0
    while first < len(heads):
        end = first + 1
        while end < len(heads) and rows_equal(beginnings, first, end):
            end += 1
        _count_bodies(triples, relations, bodies[first:end], scratch, supports[first:end])
        _count_rules(triples, relations, heads[first:end], bodies[first:end], scratch, supports[first:end])
        first = end
    return supports


@njit(cache=True, nogil=True)
def _count_bodies(
    triples: TripleIndex, relations: RelationSlots, bodies: Ints, scratch: CountingScratch, supports: Floats
) -> None:
    """The number of bodies, of each that differ in the last relation only."""
    counts = _advance(triples, bodies[0, :-1], sources_of(relations, bodies[0, 0]), scratch)
    for i in range(len(bodies)):
        if i > 0 and rows_equal(bodies, i, i - 1):
            supports[i, 0] = supports[i - 1, 0]
        else:
            supports[i, 0] = _count_last_step(triples, counts, bodies[i, -1])


@njit(cache=True, nogil=True)
def _count_rules(
    triples: TripleIndex,
    relations: RelationSlots,
    heads: Ints,
    bodies: Ints,
    scratch: CountingScratch,
    supports: Floats,
) -> None:
    """How many of the bodies the heads follow."""
    slot_start, slot_relation = triples.slot_start, triples.slot_relation
    sources = sources_of(relations, bodies[0, 0])
    for i in range(len(sources)):
        counts = scratch.one
        known = False
        for row in range(len(heads)):
            head_slot = find(slot_start, slot_relation, sources[i], heads[row])
            if head_slot >= 0:
                if not known:
                    counts = _advance(triples, bodies[0, :-1], sources[i : i + 1], scratch)
                    known = True
                supports[row, 1] += _count_met(triples, relations, counts, bodies[row, -1], head_slot)


@njit(cache=True, nogil=True)
def sources_of(relations: RelationSlots, relation: int) -> Ints:
    """The entities from which a relation leads somewhere, ascending."""
    return relations.source[relations.start[relation] : relations.start[relation + 1]]


@njit(cache=True, nogil=True)
def _inverse_of(relations: RelationSlots, relation: int) -> int:
    """The inverse relation; the second half of the relations are the inverses of the first."""
    half = (len(relations.start) - 1) // 2
    return relation + half if relation < half else relation - half


@njit(cache=True, nogil=True)
def _advance(triples: TripleIndex, relations: Ints, sources: Ints, scratch: CountingScratch) -> PathCounts:
    """The counts of some steps from some entities."""
    here, there = scratch.one, scratch.other
    _begin(here, sources)
    for relation in relations:
        _step(triples, relation, here, there, scratch.arrivals)
        here, there = there, here
    return here


@njit(cache=True, nogil=True)
def _begin(counts: PathCounts, sources: Ints) -> None:
    """The counts before the first step: one body at each entity, since ever."""
    _clear(counts)
    counts.size[0] = len(sources)
    for i in range(len(sources)):
        counts.entity[i], counts.place[sources[i]] = sources[i], i
        counts.start[i], counts.start[i + 1] = i, i + 1
        counts.time[i], counts.bodies[i] = NEVER, 1.0


@njit(cache=True, nogil=True)
def _clear(counts: PathCounts) -> None:
    for i in range(counts.size[0]):
        counts.place[counts.entity[i]] = -1
    counts.size[0] = 0


@njit(cache=True, nogil=True)
def _step(triples: TripleIndex, relation: int, here: PathCounts, there: PathCounts, arrivals: Arrivals) -> None:
    """Move on by one relation, at the same time or later."""
    _clear(there)
    n_arrivals = _arrive(triples, relation, here, there, arrivals)
    start, time, bodies = there.start, there.time, there.bodies
    size = there.size[0]
    begin = 0
    for place in range(size):  # from the number of arrivals to where the next one goes, and so in the end to their end
        start[place + 1], begin = begin, begin + start[place + 1]
    for i in range(n_arrivals):
        at = start[arrivals.place[i] + 1]
        time[at], bodies[at] = arrivals.time[i], arrivals.bodies[i]
        start[arrivals.place[i] + 1] += 1
    for place in range(size):
        _accumulate(time[start[place] : start[place + 1]], bodies[start[place] : start[place + 1]])


@njit(cache=True, nogil=True)
def _arrive(triples: TripleIndex, relation: int, here: PathCounts, there: PathCounts, arrivals: Arrivals) -> int:
    """List the edges that lead on from a counts, and the entities they reach; how many edges there are.

    ``start`` counts them per entity reached, one place behind.
    """
    slot_start, slot_relation, triple_start = triples.slot_start, triples.slot_relation, triples.triple_start
    target, time_start, time = triples.target, triples.time_start, triples.time
    entity, place, start = there.entity, there.place, there.start
    to, at, bodies = arrivals
    n, size = 0, 0
    for i in range(here.size[0]):
        slot = find(slot_start, slot_relation, here.entity[i], relation)
        if slot < 0:
            continue
        first, end = here.start[i], here.start[i + 1]
        for triple in range(triple_start[slot], triple_start[slot + 1]):
            last = time_start[triple + 1]
            if time[last - 1] < here.time[first]:
                continue
            reached = target[triple]
            if place[reached] < 0:
                place[reached], entity[size], start[size + 1] = size, reached, 0
                size += 1
            before = first
            for j in range(first_at_least(time, time_start[triple], last, here.time[first]), last):
                before = first_at_least(here.time, before, end, time[j] + 1)
                to[n], at[n], bodies[n] = place[reached], time[j], here.bodies[before - 1]
                start[place[reached] + 1] += 1
                n += 1
    there.size[0] = size
    return n


@njit(cache=True, nogil=True)
def _accumulate(time: Ints, bodies: Floats) -> None:
    """Sort by time, and from the number of bodies at each time to the number until then."""
    n = len(time)
    if n > MAX_INSERTION_SORT:
        order = np.argsort(time, kind="mergesort")
        time[:], bodies[:] = time[order], bodies[order]
    else:
        for i in range(1, n):
            t, b, j = time[i], bodies[i], i
            while j > 0 and time[j - 1] > t:
                time[j], bodies[j] = time[j - 1], bodies[j - 1]
                j -= 1
            time[j], bodies[j] = t, b
    for i in range(1, n):
        bodies[i] += bodies[i - 1]


@njit(cache=True, nogil=True)
def _count_last_step(triples: TripleIndex, counts: PathCounts, relation: int) -> float:
    """How many bodies a last step from a counts makes."""
    slot_start, slot_relation, triple_start = triples.slot_start, triples.slot_relation, triples.triple_start
    total = 0.0
    for i in range(counts.size[0]):
        slot = find(slot_start, slot_relation, counts.entity[i], relation)
        if slot >= 0:
            for triple in range(triple_start[slot], triple_start[slot + 1]):
                total += _count_through(triples.time_start, triples.time, triple, NO_END, counts, i)
    return total


@njit(cache=True, nogil=True)
def _count_met(
    triples: TripleIndex, relations: RelationSlots, counts: PathCounts, relation: int, head_slot: int
) -> float:
    """How many bodies a last step from a counts makes that the head follows, where the head is one of a slot."""
    slot_start, slot_relation, triple_start = triples.slot_start, triples.slot_relation, triples.triple_start
    target, time_start, time = triples.target, triples.time_start, triples.time
    place, entity, size = counts.place, counts.entity, counts.size[0]
    back = _inverse_of(relations, relation)
    total = 0.0
    for head in range(triple_start[head_slot], triple_start[head_slot + 1]):
        slot = find(slot_start, slot_relation, target[head], back)
        if slot < 0:
            continue
        until = time[time_start[head + 1] - 1]
        first, end = triple_start[slot], triple_start[slot + 1]
        if size < end - first:  # from the shorter side
            for i in range(size):
                triple = find(triple_start, target, slot, entity[i])
                if triple >= 0:
                    total += _count_through(time_start, time, triple, until, counts, i)
        else:
            for triple in range(first, end):
                if place[target[triple]] >= 0:
                    total += _count_through(time_start, time, triple, until, counts, place[target[triple]])
    return total


@njit(cache=True, nogil=True)
def _count_through(time_start: Ints, time: Ints, triple: int, until: int, counts: PathCounts, place: int) -> float:
    """How many bodies lead to an entity of a counts and then through a triple, and are over before a time."""
    ends, bodies = counts.time, counts.bodies
    first, end = counts.start[place], counts.start[place + 1]
    before = first
    total = 0.0
    for i in range(time_start[triple], time_start[triple + 1]):
        if time[i] >= until:
            break
        before = first_at_least(ends, before, end, time[i] + 1)
        if before > first:
            total += bodies[before - 1]
    return total
