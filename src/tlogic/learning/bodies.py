"""Confidence: sample bodies of a rule and count after how many of them the head came true.

Heads do not influence how bodies are sampled, so rules that share their body share the samples.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints
from tlogic.graph.index import SlotEdges, TripleIndex
from tlogic.graph.search import find, first_at_least
from tlogic.learning.randomness import advance, below, keyed
from tlogic.learning.rows import is_new_row, new_row_table, rows_equal


class Bodies(NamedTuple):
    """Scratch space for the distinct sampled bodies of one rule body."""

    edge: Ints
    """A row a body: positions in the slot edges."""
    entity: Ints
    """A row a body: e_1 .. e_(l+1)."""
    table: Ints
    """A hash table of rows."""


@njit(cache=True, nogil=True)
def count_supports(
    triples: TripleIndex,
    slots: SlotEdges,
    heads: Ints,
    bodies: Ints,
    variables: Ints,
    n_samples: int,
    seed: int,
) -> Ints:
    """Body support and rule support of rules of one length, a row a rule.

    Rules with equal body relations and variables must stand together; each such body is sampled once.
    """
    length = bodies.shape[1]
    supports = np.zeros((len(heads), 2), np.int64)
    scratch = Bodies(
        np.empty((n_samples, length), np.int64),
        np.empty((n_samples, length + 1), np.int32),
        new_row_table(n_samples),
    )
    n_bodies = 0
    for i in range(len(heads)):
        if i == 0 or not (rows_equal(bodies, i, i - 1) and rows_equal(variables, i, i - 1)):
            n_bodies = _sample_bodies(triples, slots, bodies[i], variables[i], seed, scratch)
        supports[i, 0] = n_bodies
        supports[i, 1] = _count_heads(triples, slots, heads[i], scratch, n_bodies)
    return supports


@njit(cache=True, nogil=True)
def _sample_bodies(
    triples: TripleIndex, slots: SlotEdges, body: Ints, variables: Ints, seed: int, scratch: Bodies
) -> int:
    """Sample bodies and keep the distinct ones that fit the variables in the scratch rows; their number.

    The first edge is uniform over its relation's edges, each next one over the feasible edges. A sample ends early
    at a dead end, or
    as soon as its entities break the pattern of repeated variables; a rule without repetition accepts any body.
    """
    slot_start, slot_relation = triples.slot_start, triples.slot_relation
    edge_start, source, target, time = slots.start, slots.source, slots.target, slots.time
    relation_edge = slots.relation_edge
    edges, entities, table = scratch
    table[:] = -1
    repeats = variables.max() < len(body)
    first, end = slots.relation_start[body[0]], slots.relation_start[body[0] + 1]
    stream = keyed(np.uint64(1), seed)
    for relation in body:
        stream = keyed(stream, relation)
    row = 0
    for sample in range(len(edges) if end > first else 0):
        draw = advance(keyed(stream, sample))
        low, high = first, end
        for i in range(len(body)):
            if i == 0:
                edge = relation_edge[first + below(draw, end - first)]
                entities[row, 0] = source[edge]
            else:
                slot = find(slot_start, slot_relation, entities[row, i], body[i])
                if slot < 0:
                    break
                high = edge_start[slot + 1]
                low = first_at_least(time, edge_start[slot], high, time[edges[row, i - 1]])
                if low == high:
                    break
                draw = advance(draw)
                edge = low + below(draw, high - low)
            edges[row, i] = edge
            entities[row, i + 1] = target[edge]
            if repeats and not _fits(entities, row, variables, i + 1):
                break
        else:
            row += is_new_row(edges, row, table)
    return row


@njit(cache=True, nogil=True)
def _fits(entities: Ints, row: int, variables: Ints, i: int) -> bool:
    """Is entity ``i`` equal to those before it exactly where its variable is?"""
    for j in range(i):
        if (entities[row, i] == entities[row, j]) != (variables[i] == variables[j]):
            return False
    return True


@njit(cache=True, nogil=True)
def _count_heads(triples: TripleIndex, slots: SlotEdges, head: int, scratch: Bodies, n_bodies: int) -> int:
    """How many bodies the head follows: (e_1, r_h, e_(l+1)) holds at a later time than the whole body."""
    slot_start, slot_relation = triples.slot_start, triples.slot_relation
    triple_start, target = triples.triple_start, triples.target
    time_start, time = triples.time_start, triples.time
    body_time, edges, entities = slots.time, scratch.edge, scratch.entity
    count = 0
    for row in range(n_bodies):
        slot = find(slot_start, slot_relation, entities[row, 0], head)
        if slot >= 0:
            triple = find(triple_start, target, slot, entities[row, -1])
            if triple >= 0 and time[time_start[triple + 1] - 1] > body_time[edges[row, -1]]:
                count += 1
    return count
