"""Confidence: sample bodies of a rule and count after how many of them the head came true.

Heads do not influence how bodies are sampled, so rules that share their body share the samples; and a step of a sample
depends only on the relations up to it, so bodies that begin alike share their first steps.

Samples lie anywhere in the graph, so nearly every look at it waits for memory. All samples therefore take each small
step together: then the waits overlap.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints, borrowed
from tlogic.graph.binary_search import Searches, new_searches, search_all, search_all_fenced
from tlogic.graph.views import relation_and_time
from tlogic.learning.distinct_rows import is_new_row, new_row_table, rows_equal
from tlogic.learning.random_streams import below, keyed
from tlogic.learning.training_edges import TrainingEdges, count_edges, nth_edge

NO_EDGE = -1


class BodySamples(NamedTuple):
    """Scratch space for the samples of one rule body; a row is a sample."""

    edge: Ints
    """Per step: the position of its edge in the slot edges, or NO_EDGE."""
    entity: Ints
    """e_1 .. e_(l+1)."""
    time: Ints
    """Per step: when it happened."""
    table: Ints
    """A hash table of the distinct bodies."""
    distinct: Ints
    """The samples that fit the variables, each body once."""
    pair: Ints
    end: Ints
    """Of those between whose ends anything happened: the pair, and when the body is over."""
    sample: Ints
    """Per search: the sample it is for."""
    searches: Searches


def sample_supports(training: TrainingEdges, rows: Ints, body_samples: int, seed: int) -> Ints:
    """Body support and rule support of rules of one length; a row is a rule: body, variables, head.

    Rows should be sorted, so that equal bodies share their samples.
    """
    length = (rows.shape[1] - 2) // 2
    body, variables, head = (np.ascontiguousarray(part) for part in np.split(rows, [length, 2 * length + 1], axis=1))
    return count_sampled_supports(training, head[:, 0], body, variables, body_samples, seed)


@njit(cache=True, nogil=True)
def count_sampled_supports(
    training: TrainingEdges, heads: Ints, bodies: Ints, variables: Ints, n_samples: int, seed: int
) -> Ints:
    """Body support and rule support of rules of one length, a row a rule.

    Rules should be sorted by body and variables: bodies are sampled once, and so are the steps they have in common with
    the body before.
    """
    scratch = _new_scratch(bodies.shape[1], n_samples)
    supports = np.zeros((len(heads), 2), np.int64)
    _count(training, heads, bodies, variables, seed, scratch, supports)
    return supports


@njit(cache=True, nogil=True)
def _count(
    training: TrainingEdges, heads: Ints, bodies: Ints, variables: Ints, seed: int, scratch: BodySamples, supports: Ints
) -> None:
    training, scratch = borrowed(training), borrowed(scratch)
    length = bodies.shape[1]
    n_bodies, n_pairs = 0, 0
    for i in range(len(heads)):
        shared = _common_prefix(bodies, i, i - 1) if i > 0 else 0
        if shared < length or not rows_equal(variables, i, i - 1):
            if shared == 0:
                _sample_first(training, bodies[i, 0], seed, scratch)
            for step in range(max(1, min(shared, length - 1)), length):
                _sample_step(training, bodies[i], variables[i], step, seed, scratch)
            n_bodies = _collect(variables[i], scratch)
            n_pairs = _find_pairs(training, scratch, n_bodies)
        supports[i, 0], supports[i, 1] = n_bodies, _count_heads(training, heads[i], scratch, n_pairs)


@njit(cache=True, nogil=True)
def _new_scratch(length: int, n_samples: int) -> BodySamples:
    distinct, pair, over, sample = np.empty((4, n_samples), np.int64)
    return BodySamples(
        np.empty((n_samples, length), np.int64),
        np.empty((n_samples, length + 1), np.int32),
        np.empty((n_samples, length), np.int32),
        new_row_table(n_samples),
        distinct,
        pair,
        over,
        sample,
        new_searches(n_samples),
    )


@njit(cache=True, nogil=True)
def _common_prefix(rows: Ints, a: int, b: int) -> int:
    """How many leading columns two rows have in common."""
    for i in range(rows.shape[1]):
        if rows[a, i] != rows[b, i]:
            return i
    return rows.shape[1]


@njit(cache=True, nogil=True)
def _sample_first(training: TrainingEdges, relation: int, seed: int, bodies: BodySamples) -> None:
    """Sample the first edge of all bodies: uniform over its relation's edges."""
    n_edges = count_edges(training.relations, relation)
    stream = keyed(keyed(np.uint64(1), seed), relation)
    for sample in range(len(bodies.edge)):
        bodies.edge[sample, 0] = NO_EDGE
        if n_edges > 0:
            edge, bodies.entity[sample, 0] = nth_edge(training, relation, below(keyed(stream, sample), n_edges))
            _follow_edge(training, bodies, sample, 0, edge)


@njit(cache=True, nogil=True)
def _sample_step(
    training: TrainingEdges, body: Ints, variables: Ints, step: int, seed: int, bodies: BodySamples
) -> None:
    """Sample one more edge of all bodies: uniform over the feasible ones.

    The last step is left out where the entities so far already break the pattern of repeated variables.
    """
    slot_start, edges = training.slot_start, bodies.edge
    sample, (place, end, bound, _, _, _) = bodies.sample, bodies.searches
    stream = keyed(np.uint64(1), seed)
    for i in range(step + 1):
        stream = keyed(stream, body[i])
    repeats = step == len(body) - 1 and variables.max() < len(body)
    n = 0
    for i in range(len(edges)):
        edges[i, step] = NO_EDGE
        if edges[i, step - 1] != NO_EDGE and not (repeats and _breaks_pattern(bodies.entity[i], variables, step)):
            here = bodies.entity[i, step]
            sample[n], place[n], end[n], bound[n] = i, slot_start[here], slot_start[here + 1], body[step]
            n += 1
    search_all(training.slot_relation, bodies.searches, n)
    n = _keep_found(training.slot_relation, bodies, n)
    for i in range(n):
        slot = np.int64(place[i])
        place[i], end[i], bound[i] = (
            training.bounds[slot, 0],
            training.bounds[slot, 1],
            bodies.time[sample[i], step - 1],
        )
    search_all_fenced(training.slots.time, training.time_fences, bodies.searches, n)
    for i in range(n):
        low, high = int(np.int64(place[i])), int(np.int64(end[i]))
        if low < high:
            _follow_edge(training, bodies, sample[i], step, low + below(keyed(stream, sample[i]), high - low))


@njit(cache=True, nogil=True)
def _follow_edge(training: TrainingEdges, bodies: BodySamples, sample: int, step: int, edge: int) -> None:
    """Go on along an edge."""
    bodies.edge[sample, step], bodies.time[sample, step] = edge, training.slots.time[edge]
    bodies.entity[sample, step + 1] = training.slots.target[edge]


@njit(cache=True, nogil=True)
def _keep_found(values: Ints, bodies: BodySamples, n: int) -> int:
    """Move searches up front that found just what they searched for; how many these are."""
    place, end, bound, _, _, _ = bodies.searches
    n_found = 0
    for i in range(n):
        if place[i] < end[i] and values[place[i]] == bound[i]:
            bodies.sample[n_found], place[n_found] = bodies.sample[i], place[i]
            n_found += 1
    return n_found


@njit(cache=True, nogil=True)
def _breaks_pattern(entity: Ints, variables: Ints, n_steps: int) -> bool:
    """Do the entities of a sample's first steps differ where their variables are equal, or the other way round?"""
    for i in range(1, n_steps + 1):
        for j in range(i):
            if (entity[i] == entity[j]) != (variables[i] == variables[j]):
                return True
    return False


@njit(cache=True, nogil=True)
def _collect(variables: Ints, bodies: BodySamples) -> int:
    """Gather the distinct samples that fit the variables; their number. A rule without repetition accepts any body."""
    length = bodies.edge.shape[1]
    repeats = variables.max() < length
    bodies.table[:] = -1
    n = 0
    for sample in range(len(bodies.edge)):
        if bodies.edge[sample, length - 1] == NO_EDGE:
            continue
        if repeats and _breaks_pattern(bodies.entity[sample], variables, length):
            continue
        if is_new_row(bodies.edge, sample, bodies.table):
            bodies.distinct[n] = sample
            n += 1
    return n


@njit(cache=True, nogil=True)
def _find_pairs(training: TrainingEdges, bodies: BodySamples, n_bodies: int) -> int:
    """Find what happened from e_1 to e_(l+1); in how many bodies anything did."""
    sample, (place, end, bound, _, _, _) = bodies.sample, bodies.searches
    for i in range(n_bodies):
        body = bodies.distinct[i]
        source = bodies.entity[body, 0]
        sample[i], place[i], end[i] = body, training.pair_start[source], training.pair_start[source + 1]
        bound[i] = bodies.entity[body, -1]
    search_all_fenced(training.pair_target, training.target_fences, bodies.searches, n_bodies)
    n = _keep_found(training.pair_target, bodies, n_bodies)
    for i in range(n):
        bodies.pair[i], bodies.end[i] = place[i], bodies.time[sample[i], -1]
    return n


@njit(cache=True, nogil=True)
def _count_heads(training: TrainingEdges, head: int, bodies: BodySamples, n_pairs: int) -> int:
    """How many bodies the head follows: (e_1, r_h, e_(l+1)) holds at a later time than the whole body."""
    start, kept = training.last
    place, end, bound, _, _, _ = bodies.searches
    for i in range(n_pairs):
        pair = bodies.pair[i]
        place[i], end[i], bound[i] = start[pair], start[pair + 1], relation_and_time(head, bodies.end[i] + 1)
    search_all(kept, bodies.searches, n_pairs)
    following = relation_and_time(head + 1, 0)
    count = 0
    for i in range(n_pairs):
        count += place[i] < end[i] and kept[place[i]] < following
    return count
