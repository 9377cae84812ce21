"""Exact counts of bodies without repeated variables: only the last entity of a path matters, so paths are merged there.

``PathCounts`` holds, per entity, how many paths have ended there by each time. The body support comes from paths that
start anywhere. The rule support comes from paths of all atoms but the last, from each e_1 that has the head; they meet
the last atom, which is followed backwards from the e_(l+1) of the head. So the work grows with the number of paths of
two triples, never of three.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Floats, Ints, borrowed
from tlogic.graph.binary_search import find, first_at_least
from tlogic.graph.triples import TripleIndex
from tlogic.learning.distinct_rows import rows_equal
from tlogic.learning.training_edges import RelationSlots

NEVER = -(1 << 62)
NO_END = 1 << 62
_MAX_INSERTION_SORT = 40  # times; longer arrays are sorted by merge sort


class PathCounts(NamedTuple):
    """Where paths along the first atoms end: per end entity its times, and how many paths had ended by each of them."""

    size: Ints
    """One number: how many end entities there are."""
    entity: Ints
    position: Ints
    """Per entity of the graph: its position among the end entities, or -1."""
    start: Ints
    """Per end entity: the position of its first time."""
    time: Ints
    bodies: Floats


class Arrivals(NamedTuple):
    """The edges that extend paths by one atom: the end entity they reach, their time, and how many paths take them."""

    position: Ints
    time: Ints
    bodies: Floats


class CountingScratch(NamedTuple):
    """Scratch memory: the counts before and after an atom, and the edges between them."""

    one: PathCounts
    other: PathCounts
    arrivals: Arrivals


def new_counting_scratch(triples: TripleIndex, relations: RelationSlots) -> CountingScratch:
    """Scratch memory for all entities, and for all edges of any relation."""
    n_entities = len(triples.slot_start) - 1
    n_times = max(n_entities, int(relations.n_edges.max(initial=0)))

    def new_path_counts() -> PathCounts:
        entity, position, start = np.zeros((3, n_entities + 1), np.int64)
        position[:] = -1
        return PathCounts(
            np.zeros(1, np.int64), entity, position, start, np.empty(n_times, np.int64), np.empty(n_times, np.float64)
        )

    arrivals = Arrivals(np.empty(n_times, np.int64), np.empty(n_times, np.int64), np.empty(n_times, np.float64))
    return CountingScratch(new_path_counts(), new_path_counts(), arrivals)


@kernel
def count_distinct(
    triples: TripleIndex, relations: RelationSlots, heads: Ints, bodies: Ints, scratch: CountingScratch
) -> Floats:
    """Body support and rule support of rules of one length without repeated variables, one rule per row.

    Rules should be sorted by body: those that differ in the last relation only share their path counts.
    """
    triples, relations, scratch = borrowed(triples), borrowed(relations), borrowed(scratch)
    supports = np.zeros((len(heads), 2), np.float64)
    prefixes = bodies[:, : max(1, bodies.shape[1] - 1)]
    first = 0
    while first < len(heads):
        end = first + 1
        while end < len(heads) and rows_equal(prefixes, first, end):
            end += 1
        _count_bodies(triples, relations, bodies[first:end], scratch, supports[first:end])
        _count_rules(triples, relations, heads[first:end], bodies[first:end], scratch, supports[first:end])
        first = end
    return supports


@helper
def _count_bodies(
    triples: TripleIndex, relations: RelationSlots, bodies: Ints, scratch: CountingScratch, supports: Floats
) -> None:
    """The body support of rules whose bodies differ in the last relation only."""
    counts = _count_paths(triples, bodies[0, :-1], sources_of(relations, bodies[0, 0]), scratch)
    for i in range(len(bodies)):
        if i > 0 and rows_equal(bodies, i, i - 1):
            supports[i, 0] = supports[i - 1, 0]
        else:
            supports[i, 0] = _count_last_atom(triples, counts, bodies[i, -1])


@helper
def _count_rules(
    triples: TripleIndex,
    relations: RelationSlots,
    heads: Ints,
    bodies: Ints,
    scratch: CountingScratch,
    supports: Floats,
) -> None:
    """The rule support of rules whose bodies differ in the last relation only."""
    slot_start, slot_relation = triples.slot_start, triples.slot_relation
    sources = sources_of(relations, bodies[0, 0])
    for i in range(len(sources)):
        counts = scratch.one
        counted = False
        for row in range(len(heads)):
            head_slot = find(slot_start, slot_relation, sources[i], heads[row])
            if head_slot >= 0:
                if not counted:
                    counts = _count_paths(triples, bodies[0, :-1], sources[i : i + 1], scratch)
                    counted = True
                supports[row, 1] += _count_followed(triples, relations, counts, bodies[row, -1], head_slot)


@helper
def sources_of(relations: RelationSlots, relation: int) -> Ints:
    """The entities that have edges of a relation, ascending."""
    return relations.source[relations.start[relation] : relations.start[relation + 1]]


@helper
def _inverse_of(relations: RelationSlots, relation: int) -> int:
    """The inverse relation; the second half of the relations are the inverses of the first."""
    half = (len(relations.start) - 1) // 2
    return relation + half if relation < half else relation - half


@helper
def _count_paths(triples: TripleIndex, relations: Ints, sources: Ints, scratch: CountingScratch) -> PathCounts:
    """Count the paths along some relations from some entities."""
    here, there = scratch.one, scratch.other
    _start_paths(here, sources)
    for relation in relations:
        _extend(triples, relation, here, there, scratch.arrivals)
        here, there = there, here
    return here


@helper
def _start_paths(counts: PathCounts, sources: Ints) -> None:
    """The counts before the first atom: one empty path at each entity, ended at time NEVER."""
    _clear(counts)
    counts.size[0] = len(sources)
    for i in range(len(sources)):
        counts.entity[i], counts.position[sources[i]] = sources[i], i
        counts.start[i], counts.start[i + 1] = i, i + 1
        counts.time[i], counts.bodies[i] = NEVER, 1.0


@helper
def _clear(counts: PathCounts) -> None:
    for i in range(counts.size[0]):
        counts.position[counts.entity[i]] = -1
    counts.size[0] = 0


@helper
def _extend(triples: TripleIndex, relation: int, here: PathCounts, there: PathCounts, arrivals: Arrivals) -> None:
    """Extend paths by one atom, at the same time or later."""
    _clear(there)
    n_arrivals = _list_arrivals(triples, relation, here, there, arrivals)
    start, time, bodies = there.start, there.time, there.bodies
    size = there.size[0]
    begin = 0
    for position in range(size):  # from counts to insertion points; after insertion they are the ends
        start[position + 1], begin = begin, begin + start[position + 1]
    for i in range(n_arrivals):
        at = start[arrivals.position[i] + 1]
        time[at], bodies[at] = arrivals.time[i], arrivals.bodies[i]
        start[arrivals.position[i] + 1] += 1
    for position in range(size):
        _accumulate(time[start[position] : start[position + 1]], bodies[start[position] : start[position + 1]])


@helper
def _list_arrivals(triples: TripleIndex, relation: int, here: PathCounts, there: PathCounts, arrivals: Arrivals) -> int:
    """List the edges that extend the paths, and their end entities; returns the number of edges.

    ``start[i + 1]`` becomes the number of edges to end entity ``i``.
    """
    slot_start, slot_relation, triple_start = triples.slot_start, triples.slot_relation, triples.triple_start
    target, time_start, time = triples.target, triples.time_start, triples.time
    entity, position, start = there.entity, there.position, there.start
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
            end_entity = target[triple]
            if position[end_entity] < 0:
                position[end_entity], entity[size], start[size + 1] = size, end_entity, 0
                size += 1
            before = first
            for j in range(first_at_least(time, time_start[triple], last, here.time[first]), last):
                before = first_at_least(here.time, before, end, time[j] + 1)
                to[n], at[n], bodies[n] = position[end_entity], time[j], here.bodies[before - 1]
                start[position[end_entity] + 1] += 1
                n += 1
    there.size[0] = size
    return n


@helper
def _accumulate(time: Ints, bodies: Floats) -> None:
    """Sort by time, and turn the number of paths at each time into the number up to that time."""
    n = len(time)
    if n > _MAX_INSERTION_SORT:
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


@helper
def _count_last_atom(triples: TripleIndex, counts: PathCounts, relation: int) -> float:
    """The number of bodies that the last atom completes."""
    slot_start, slot_relation, triple_start = triples.slot_start, triples.slot_relation, triples.triple_start
    total = 0.0
    for i in range(counts.size[0]):
        slot = find(slot_start, slot_relation, counts.entity[i], relation)
        if slot >= 0:
            for triple in range(triple_start[slot], triple_start[slot + 1]):
                total += _count_through(triples.time_start, triples.time, triple, NO_END, counts, i)
    return total


@helper
def _count_followed(
    triples: TripleIndex, relations: RelationSlots, counts: PathCounts, relation: int, head_slot: int
) -> float:
    """The number of bodies that the last atom completes and a head of ``head_slot`` follows."""
    slot_start, slot_relation, triple_start = triples.slot_start, triples.slot_relation, triples.triple_start
    target, time_start, time = triples.target, triples.time_start, triples.time
    position, entity, size = counts.position, counts.entity, counts.size[0]
    back = _inverse_of(relations, relation)
    total = 0.0
    for head in range(triple_start[head_slot], triple_start[head_slot + 1]):
        slot = find(slot_start, slot_relation, target[head], back)
        if slot < 0:
            continue
        until = time[time_start[head + 1] - 1]
        first, end = triple_start[slot], triple_start[slot + 1]
        if size < end - first:  # iterate over the shorter side
            for i in range(size):
                triple = find(triple_start, target, slot, entity[i])
                if triple >= 0:
                    total += _count_through(time_start, time, triple, until, counts, i)
        else:
            for triple in range(first, end):
                if position[target[triple]] >= 0:
                    total += _count_through(time_start, time, triple, until, counts, position[target[triple]])
    return total


@helper
def _count_through(time_start: Ints, time: Ints, triple: int, until: int, counts: PathCounts, position: int) -> float:
    """The number of bodies whose paths end at an entity, go on through a triple, and end before ``until``."""
    ends, bodies = counts.time, counts.bodies
    first, end = counts.start[position], counts.start[position + 1]
    before = first
    total = 0.0
    for i in range(time_start[triple], time_start[triple + 1]):
        if time[i] >= until:
            break
        before = first_at_least(ends, before, end, time[i] + 1)
        if before > first:
            total += bodies[before - 1]
    return total
