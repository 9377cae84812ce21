"""Exact counts of bodies with repeated variables: enumerates paths of triples by depth-first search.

Such a body of length 3 or less has at most three different entities, so it has no more paths than two triples do.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Floats, Ints, borrowed
from tlogic.graph.binary_search import find, first_at_least
from tlogic.graph.triples import TripleIndex
from tlogic.learning.distinct_rows import rows_equal
from tlogic.learning.exact_distinct_variables import sources_of
from tlogic.learning.training_edges import RelationSlots


class CountingPath(NamedTuple):
    """The state of a depth-first search along a body, per atom."""

    cursor: Ints
    end: Ints
    """The triples still to be followed."""
    triple: Ints
    entity: Ints
    bodies: Floats
    """Per atom and time of its triple: how many bodies up to this atom had ended by then."""


def new_counting_path(triples: TripleIndex, length: int) -> CountingPath:
    """Scratch memory for a body of the given length."""
    n_times = int(np.diff(triples.time_start).max(initial=0))
    cursor, end, triple, entity = np.zeros((4, length + 1), np.int64)
    return CountingPath(cursor, end, triple, entity, np.empty((length, n_times), np.float64))


@kernel
def count_repeated(
    triples: TripleIndex, relations: RelationSlots, heads: Ints, bodies: Ints, variables: Ints, path: CountingPath
) -> Floats:
    """Body support and rule support of rules of one length with repeated variables, one rule per row.

    Rules should be sorted by body and variables: those that agree in both share their paths.
    """
    triples, relations, path = borrowed(triples), borrowed(relations), borrowed(path)
    slot_start, slot_relation = triples.slot_start, triples.slot_relation
    supports = np.zeros((len(heads), 2), np.float64)
    first = 0
    while first < len(heads):
        end = first + 1
        while end < len(heads) and rows_equal(bodies, first, end) and rows_equal(variables, first, end):
            end += 1
        head_slots = np.empty(end - first, np.int64)
        body, pattern, counted = borrowed((bodies[first], variables[first], supports[first:end]))
        for source in sources_of(relations, bodies[first, 0]):
            for i in range(end - first):
                head_slots[i] = find(slot_start, slot_relation, source, heads[first + i])
            _follow(triples, body, pattern, source, borrowed(head_slots), path, counted)
        first = end
    return supports


@helper
def _follow(
    triples: TripleIndex,
    body: Ints,
    variables: Ints,
    source: int,
    head_slots: Ints,
    path: CountingPath,
    supports: Floats,
) -> None:
    """Search all paths from e_1 = ``source`` that match the variables, and add their bodies to the supports."""
    slot_start, slot_relation, triple_start = triples.slot_start, triples.slot_relation, triples.triple_start
    target, time_start, time = triples.target, triples.time_start, triples.time
    cursor, end, triple, entity, bodies = path
    last = len(body) - 1
    entity[0] = source
    depth = 0
    entering = True
    while depth >= 0:
        if entering:
            slot = find(slot_start, slot_relation, entity[depth], body[depth])
            cursor[depth], end[depth] = _choices(triple_start, target, slot, variables, entity, depth)
            entering = False
        if cursor[depth] == end[depth]:
            depth -= 1
            continue
        triple[depth] = cursor[depth]
        cursor[depth] += 1
        entity[depth + 1] = target[triple[depth]]
        if _fits(entity, variables, depth + 1) and _count_times(time_start, time, triple, bodies, depth):
            if depth < last:
                depth += 1
                entering = True
            else:
                total = bodies[last, time_start[triple[last] + 1] - time_start[triple[last]] - 1]
                for i in range(len(head_slots)):
                    supports[i, 0] += total
                    if head_slots[i] >= 0:
                        head = find(triple_start, target, head_slots[i], entity[last + 1])
                        if head >= 0:
                            supports[i, 1] += _count_before(time_start, time, triple[last], head, bodies, last)


@helper
def _choices(triple_start: Ints, target: Ints, slot: int, variables: Ints, entity: Ints, depth: int) -> tuple[int, int]:
    """The triples that match the atom at this depth: the whole slot, or the one to a repeated variable."""
    if slot < 0:
        return 0, 0
    for i in range(depth + 1):
        if variables[i] == variables[depth + 1]:
            triple = find(triple_start, target, slot, entity[i])
            return (triple, triple + 1) if triple >= 0 else (0, 0)
    return triple_start[slot], triple_start[slot + 1]


@helper
def _fits(entity: Ints, variables: Ints, i: int) -> bool:
    """Is entity i equal to earlier ones exactly where the variables are?"""
    for j in range(i):
        if (entity[i] == entity[j]) != (variables[i] == variables[j]):
            return False
    return True


@helper
def _count_times(time_start: Ints, time: Ints, triple: Ints, bodies: Floats, depth: int) -> bool:
    """Count the bodies along a path up to each time of its last triple; are there any?"""
    first, end = time_start[triple[depth]], time_start[triple[depth] + 1]
    if depth == 0:
        for i in range(end - first):
            bodies[0, i] = i + 1
        return True
    before_start, before_end = time_start[triple[depth - 1]], time_start[triple[depth - 1] + 1]
    before = before_start
    total = 0.0
    for i in range(first, end):
        while before < before_end and time[before] <= time[i]:
            before += 1
        if before > before_start:
            total += bodies[depth - 1, before - before_start - 1]
        bodies[depth, i - first] = total
    return total > 0


@helper
def _count_before(time_start: Ints, time: Ints, triple: int, head: int, bodies: Floats, last: int) -> float:
    """The number of bodies along a whole path that end before the last time of the head."""
    first, end = time_start[triple], time_start[triple + 1]
    before = first_at_least(time, first, end, time[time_start[head + 1] - 1])
    return bodies[last, before - first - 1] if before > first else 0.0
