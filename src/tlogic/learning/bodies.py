"""Confidence: sample bodies of a rule and count after how many of them the head came true.

Heads do not influence how bodies are sampled, so rules that share their body share the samples; and a step of a sample
depends only on the relations up to it, so bodies that begin alike share their first steps.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints
from tlogic.graph.index import SlotEdges
from tlogic.graph.search import find, first_at_least
from tlogic.graph.triples import TripleIndex
from tlogic.learning.randomness import below, keyed
from tlogic.learning.rows import is_new_row, new_row_table, rows_equal

DEAD = -1


class Bodies(NamedTuple):
    """Scratch space for the samples of one rule body."""

    sampled: Ints
    """Per step and sample: the position of its edge in the slot edges, or DEAD."""
    edge: Ints
    """Per distinct body that fits: its edges."""
    entity: Ints
    """Per distinct body that fits: e_1 .. e_(l+1)."""
    table: Ints
    """A hash table of the distinct bodies."""


def count_rows(triples: TripleIndex, slots: SlotEdges, rows: Ints, body_samples: int, seed: int) -> Ints:
    """Body support and rule support of rules of one length; a row is a rule: body, variables, head.

    Rows should be sorted, so that equal bodies share their samples.
    """
    length = (rows.shape[1] - 2) // 2
    body, variables, head = (np.ascontiguousarray(part) for part in np.split(rows, [length, 2 * length + 1], axis=1))
    return count_supports(triples, slots, head[:, 0], body, variables, body_samples, seed)


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

    Rules should be sorted by body and variables: bodies are sampled once, and so are the steps they have in common with
    the body before.
    """
    length = bodies.shape[1]
    supports = np.zeros((len(heads), 2), np.int64)
    scratch = Bodies(
        np.empty((length, n_samples), np.int64),
        np.empty((n_samples, length), np.int64),
        np.empty((n_samples, length + 1), np.int32),
        new_row_table(n_samples),
    )
    n_bodies = 0
    for i in range(len(heads)):
        shared = _common_prefix(bodies, i, i - 1) if i > 0 else 0
        if shared < length or not rows_equal(variables, i, i - 1):
            for step in range(min(shared, length - 1), length):
                _sample_step(triples, slots, bodies[i], variables[i], step, seed, scratch.sampled)
            n_bodies = _collect(slots, variables[i], scratch)
        supports[i, 0] = n_bodies
        supports[i, 1] = _count_heads(triples, slots, heads[i], scratch, n_bodies)
    return supports


@njit(cache=True, nogil=True)
def _common_prefix(rows: Ints, a: int, b: int) -> int:
    """How many leading columns two rows have in common."""
    for i in range(rows.shape[1]):
        if rows[a, i] != rows[b, i]:
            return i
    return rows.shape[1]


@njit(cache=True, nogil=True)
def _sample_step(
    triples: TripleIndex, slots: SlotEdges, body: Ints, variables: Ints, step: int, seed: int, sampled: Ints
) -> None:
    """Sample one step of all bodies: the first edge uniform over its relation's edges, later ones over the feasible.

    The last step is left out where the entities so far already break the pattern of repeated variables.
    """
    slot_start, slot_relation = triples.slot_start, triples.slot_relation
    edge_start, source, target, time = slots.start, slots.source, slots.target, slots.time
    relation_edge = slots.relation_edge
    first, n_first = slots.relation_start[body[0]], slots.relation_start[body[0] + 1] - slots.relation_start[body[0]]
    stream = keyed(np.uint64(1), seed)
    for i in range(step + 1):
        stream = keyed(stream, body[i])
    repeats = step == len(body) - 1 and variables.max() < len(body)
    for sample in range(sampled.shape[1]):
        draw = keyed(stream, sample)
        edge = DEAD
        if step == 0:
            if n_first > 0:
                edge = relation_edge[first + below(draw, n_first)]
        elif sampled[step - 1, sample] != DEAD:
            previous = sampled[step - 1, sample]
            if not (repeats and _breaks_pattern(source, target, sampled, sample, variables, step)):
                slot = find(slot_start, slot_relation, target[previous], body[step])
                if slot >= 0:
                    end = edge_start[slot + 1]
                    low = first_at_least(time, edge_start[slot], end, time[previous])
                    if low < end:
                        edge = low + below(draw, end - low)
        sampled[step, sample] = edge


@njit(cache=True, nogil=True)
def _breaks_pattern(source: Ints, target: Ints, sampled: Ints, sample: int, variables: Ints, n_steps: int) -> bool:
    """Do the entities of a sample's first steps differ where their variables are equal, or the other way round?"""
    for i in range(1, n_steps + 1):
        for j in range(i):
            earlier = source[sampled[0, sample]] if j == 0 else target[sampled[j - 1, sample]]
            if (target[sampled[i - 1, sample]] == earlier) != (variables[i] == variables[j]):
                return True
    return False


@njit(cache=True, nogil=True)
def _collect(slots: SlotEdges, variables: Ints, scratch: Bodies) -> int:
    """Gather the distinct samples that fit the variables; their number. A rule without repetition accepts any body."""
    source, target = slots.source, slots.target
    sampled, edges, entities, table = scratch
    length, n_samples = sampled.shape
    repeats = variables.max() < length
    table[:] = -1
    row = 0
    for sample in range(n_samples):
        if sampled[length - 1, sample] == DEAD:
            continue
        if repeats and _breaks_pattern(source, target, sampled, sample, variables, length):
            continue
        for i in range(length):
            edges[row, i] = sampled[i, sample]
        if is_new_row(edges, row, table):
            entities[row, 0] = source[edges[row, 0]]
            for i in range(length):
                entities[row, i + 1] = target[edges[row, i]]
            row += 1
    return row


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
