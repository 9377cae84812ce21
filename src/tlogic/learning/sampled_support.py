"""Body support and rule support of rules, estimated on sampled bodies.

Heads do not influence how bodies are sampled, so rules with the same body share its samples. An edge of a sample
depends only on the relations up to it, so bodies with a common prefix share the samples of that prefix.

Samples are spread over the whole graph, so nearly every read waits for memory. The kernels therefore advance all
samples together, one edge at a time: then the waits overlap.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Ints, borrowed, keep
from tlogic.graph.binary_search import Searches, new_searches, search_all, search_all_fenced
from tlogic.graph.views import relation_and_time
from tlogic.learning.distinct_rows import is_new_row, new_row_table, rows_equal
from tlogic.learning.random_streams import below, keyed
from tlogic.learning.training_edges import TrainingEdges, count_edges, nth_edge

NO_EDGE = -1
"""The edge of a sample that found no feasible one."""


class BodySamples(NamedTuple):
    """Scratch memory for the samples of one rule body; one sample per row."""

    edge: Ints
    """Per atom: the index of its edge in the slot edges, or NO_EDGE."""
    entity: Ints
    """e_1 .. e_(l+1)."""
    time: Ints
    """t_1 .. t_l."""
    table: Ints
    """A hash table of the distinct bodies."""
    distinct: Ints
    """The samples that match the rule's variables, without duplicates."""
    pair: Ints
    end: Ints
    """Of those with any edge from e_1 to e_(l+1): the pair (e_1, e_(l+1)) and the time t_l."""
    sample: Ints
    """Per search: its sample."""
    searches: Searches


def sample_supports(training: TrainingEdges, rows: Ints, body_samples: int, seed: int) -> Ints:
    """Body support and rule support of rules of one length, one rule per row: body, variables, head.

    Rows should be sorted, so that equal bodies share their samples.
    """
    length = (rows.shape[1] - 2) // 2
    body, variables, head = (np.ascontiguousarray(part) for part in np.split(rows, [length, 2 * length + 1], axis=1))
    return count_sampled_supports(training, head[:, 0], body, variables, body_samples, seed)


@kernel
def count_sampled_supports(
    training: TrainingEdges, heads: Ints, bodies: Ints, variables: Ints, n_samples: int, seed: int
) -> Ints:
    """Body support and rule support of rules of one length, one rule per row.

    Rules should be sorted by body and variables: then each body is sampled once, and so is the prefix that it shares
    with the body before it.
    """
    owned = _new_scratch(bodies.shape[1], n_samples)
    training, scratch, length = borrowed(training), borrowed(owned), bodies.shape[1]
    supports, n_bodies, n_pairs = np.zeros((len(heads), 2), np.int64), 0, 0
    for i in range(len(heads)):
        shared = _common_prefix(bodies, i, i - 1) if i > 0 else 0
        if shared < length or not rows_equal(variables, i, i - 1):
            if shared == 0:
                _sample_first(training, bodies[i, 0], seed, scratch)
            for atom in range(max(1, min(shared, length - 1)), length):
                _sample_next(training, bodies[i], variables[i], atom, seed, scratch)
            n_bodies = _count_bodies(variables[i], scratch)
            n_pairs = _find_pairs(training, scratch, n_bodies)
        supports[i, 0], supports[i, 1] = n_bodies, _count_heads(training, heads[i], scratch, n_pairs)
    keep(owned)
    return supports


@helper
def _new_scratch(length: int, n_samples: int) -> BodySamples:
    distinct, pair, end, sample = np.empty((4, n_samples), np.int64)
    return BodySamples(
        np.empty((n_samples, length), np.int64),
        np.empty((n_samples, length + 1), np.int32),
        np.empty((n_samples, length), np.int32),
        new_row_table(n_samples),
        distinct,
        pair,
        end,
        sample,
        new_searches(n_samples),
    )


@helper
def _common_prefix(rows: Ints, a: int, b: int) -> int:
    """The length of the common prefix of two rows."""
    for i in range(rows.shape[1]):
        if rows[a, i] != rows[b, i]:
            return i
    return rows.shape[1]


@helper
def _sample_first(training: TrainingEdges, relation: int, seed: int, bodies: BodySamples) -> None:
    """Sample the first edge of all bodies, uniformly among the edges of r_1."""
    n_edges = count_edges(training.relations, relation)
    stream = keyed(keyed(np.uint64(1), seed), relation)
    for sample in range(len(bodies.edge)):
        bodies.edge[sample, 0] = NO_EDGE
        if n_edges > 0:
            edge, bodies.entity[sample, 0] = nth_edge(training, relation, below(keyed(stream, sample), n_edges))
            _follow_edge(training, bodies, sample, 0, edge)


@helper
def _sample_next(
    training: TrainingEdges, body: Ints, variables: Ints, atom: int, seed: int, bodies: BodySamples
) -> None:
    """Sample the next edge of all bodies, uniformly among the feasible ones: from e_i, by r_i, at t_(i-1) or later.

    Samples whose entities already violate the pattern of repeated variables skip the last atom.
    """
    slot_start, edges = training.slot_start, bodies.edge
    sample, (position, end, bound, _, _, _) = bodies.sample, bodies.searches
    stream = keyed(np.uint64(1), seed)
    for i in range(atom + 1):
        stream = keyed(stream, body[i])
    has_repeats = atom == len(body) - 1 and variables.max() < len(body)
    n = 0
    for i in range(len(edges)):
        edges[i, atom] = NO_EDGE
        if edges[i, atom - 1] != NO_EDGE and not (has_repeats and _breaks_pattern(bodies.entity[i], variables, atom)):
            here = bodies.entity[i, atom]
            sample[n], position[n], end[n], bound[n] = i, slot_start[here], slot_start[here + 1], body[atom]
            n += 1
    search_all(training.slot_relation, bodies.searches, n)
    n = _keep_found(training.slot_relation, bodies, n)
    for i in range(n):
        slot = np.int64(position[i])
        position[i], end[i], bound[i] = (
            training.bounds[slot, 0],
            training.bounds[slot, 1],
            bodies.time[sample[i], atom - 1],
        )
    search_all_fenced(training.slots.time, training.time_fences, bodies.searches, n)
    for i in range(n):
        low, high = int(np.int64(position[i])), int(np.int64(end[i]))
        if low < high:
            _follow_edge(training, bodies, sample[i], atom, low + below(keyed(stream, sample[i]), high - low))


@helper
def _follow_edge(training: TrainingEdges, bodies: BodySamples, sample: int, atom: int, edge: int) -> None:
    """Append an edge to a sample."""
    bodies.edge[sample, atom], bodies.time[sample, atom] = edge, training.slots.time[edge]
    bodies.entity[sample, atom + 1] = training.slots.target[edge]


@helper
def _keep_found(values: Ints, bodies: BodySamples, n: int) -> int:
    """Move the searches that found an equal value to the front; returns their number."""
    position, end, bound, _, _, _ = bodies.searches
    n_found = 0
    for i in range(n):
        if position[i] < end[i] and values[position[i]] == bound[i]:
            bodies.sample[n_found], position[n_found] = bodies.sample[i], position[i]
            n_found += 1
    return n_found


@helper
def _breaks_pattern(entity: Ints, variables: Ints, n_steps: int) -> bool:
    """Do the entities of a sample's first atoms differ where the variables are equal, or vice versa?"""
    for i in range(1, n_steps + 1):
        for j in range(i):
            if (entity[i] == entity[j]) != (variables[i] == variables[j]):
                return True
    return False


@helper
def _count_bodies(variables: Ints, bodies: BodySamples) -> int:
    """The body support: collects the distinct samples that match the variables, and returns their number.

    A rule without repeated variables accepts any body.
    """
    length = bodies.edge.shape[1]
    has_repeats = variables.max() < length
    bodies.table[:] = -1
    n = 0
    for sample in range(len(bodies.edge)):
        if bodies.edge[sample, length - 1] == NO_EDGE:
            continue
        if has_repeats and _breaks_pattern(bodies.entity[sample], variables, length):
            continue
        if is_new_row(bodies.edge, sample, bodies.table):
            bodies.distinct[n] = sample
            n += 1
    return n


@helper
def _find_pairs(training: TrainingEdges, bodies: BodySamples, n_bodies: int) -> int:
    """Find the pair (e_1, e_(l+1)) of each body; returns the number of bodies whose pair has any edge."""
    sample, (position, end, bound, _, _, _) = bodies.sample, bodies.searches
    for i in range(n_bodies):
        body = bodies.distinct[i]
        source = bodies.entity[body, 0]
        sample[i], position[i], end[i] = body, training.pair_start[source], training.pair_start[source + 1]
        bound[i] = bodies.entity[body, -1]
    search_all_fenced(training.pair_target, training.target_fences, bodies.searches, n_bodies)
    n = _keep_found(training.pair_target, bodies, n_bodies)
    for i in range(n):
        bodies.pair[i], bodies.end[i] = position[i], bodies.time[sample[i], -1]
    return n


@helper
def _count_heads(training: TrainingEdges, head: int, bodies: BodySamples, n_pairs: int) -> int:
    """The rule support: the number of bodies with (e_1, r_h, e_(l+1), t) for some t > t_l."""
    start, last_times = training.last
    position, end, bound, _, _, _ = bodies.searches
    for i in range(n_pairs):
        pair = bodies.pair[i]
        position[i], end[i], bound[i] = start[pair], start[pair + 1], relation_and_time(head, bodies.end[i] + 1)
    search_all(last_times, bodies.searches, n_pairs)
    next_relation = relation_and_time(head + 1, 0)
    count = 0
    for i in range(n_pairs):
        count += position[i] < end[i] and last_times[position[i]] < next_relation
    return count
