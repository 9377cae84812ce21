"""The edges that rules are learned from, those before a time; indexed by slot, by relation and by pair of entities.

The arrays are those of the whole graph. ``bounds`` excludes later edges.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import fence_keys, first_at_least
from tlogic.graph.sorting import counting_sort, run_starts
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.graph.triples import TripleIndex
from tlogic.graph.views import LastTimes, SlotEdges, Views


class RelationSlots(NamedTuple):
    """The slots of each relation, sorted by source."""

    start: Ints
    """Per relation: the index of its first slot."""
    slot: Ints
    source: Ints
    n_edges: Ints
    """Per slot: the cumulative number of the relation's edges, including those of this slot."""


class TrainingEdges(NamedTuple):
    """The edges before a time, which is the end of the training period."""

    slot_start: Ints
    slot_relation: Ints
    slots: SlotEdges
    time_fences: Ints
    bounds: Ints
    """Per slot: the index of its first edge, and the end of its edges before the time."""
    relations: RelationSlots
    pair_start: Ints
    pair_target: Ints
    target_fences: Ints
    last: LastTimes


def training_edges(graph: TemporalGraph) -> TrainingEdges:
    """The edges of a graph's training facts."""
    return edges_before(graph.valid_from, graph.triples, graph.views, len(graph.relations))


def edges_before(until: int, triples: TripleIndex, views: Views, n_relations: int) -> TrainingEdges:
    """The edges before a time; ``views.last`` must have been built for the same time."""
    bounds = _bounds_of_slots(triples, views.slots, until)
    return TrainingEdges(
        triples.slot_start,
        triples.slot_relation,
        views.slots,
        fence_keys(views.slots.time),
        bounds,
        relation_slots(triples, n_relations, bounds[:, 1] - bounds[:, 0]),
        views.pairs.pair_start,
        views.pairs.pair_target,
        fence_keys(views.pairs.pair_target),
        views.last,
    )


def relation_slots(triples: TripleIndex, n_relations: int, n_edges: Ints | None = None) -> RelationSlots:
    """The slots of each relation; ``n_edges`` is the number of edges to use per slot, by default all."""
    if n_edges is None:
        n_edges = np.diff(triples.time_start[triples.triple_start])
    relation, n_slots = triples.slot_relation, len(triples.slot_relation)
    slot = counting_sort(np.arange(n_slots, dtype=triples.slot_start.dtype), relation, n_relations)
    start = run_starts(relation[slot], n_relations)
    source = np.repeat(np.arange(len(triples.slot_start) - 1, dtype=np.int32), np.diff(triples.slot_start))
    total = np.concatenate([[0], np.cumsum(n_edges[slot], dtype=np.int64)])
    before = np.repeat(total[start[:-1]], np.diff(start))
    return RelationSlots(start, slot, source[slot], total[1:] - before)


@kernel
def _bounds_of_slots(triples: TripleIndex, slots: SlotEdges, until: int) -> Ints:
    """Per slot: the index of its first edge, and the end of its edges before ``until``."""
    n_slots = len(triples.slot_relation)
    bounds = np.empty((n_slots, 2), triples.time_start.dtype)
    for slot in range(n_slots):
        first, end = triples.time_start[triples.triple_start[slot]], triples.time_start[triples.triple_start[slot + 1]]
        if slots.time[end - 1] >= until:
            end = first_at_least(slots.time, first, end, until)
        bounds[slot, 0], bounds[slot, 1] = first, end
    return bounds


@kernel
def count_edges(relations: RelationSlots, relation: int) -> int:
    """The number of edges of a relation."""
    last = relations.start[relation + 1]
    return int(relations.n_edges[last - 1]) if last > relations.start[relation] else 0


@kernel
def nth_edge(training: TrainingEdges, relation: int, n: int) -> tuple[int, int]:
    """The index of edge ``n`` of a relation, in order of source and time, and its source."""
    start, slot, source, n_edges = training.relations
    i = first_at_least(n_edges, start[relation], start[relation + 1], n + 1)
    return int(training.bounds[slot[i], 1] - (n_edges[i] - n)), int(source[i])
