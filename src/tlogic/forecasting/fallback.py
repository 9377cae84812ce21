"""The fallback for queries without candidates: how often each entity was the object of the relation."""

from typing import NamedTuple, Protocol

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.graph.triples import TripleIndex


class ObjectDistributions(NamedTuple):
    """The objects of each relation with their shares, and at the end those of all relations together."""

    start: Ints
    """Per relation, and at the end for all relations: the position of its first entity."""
    entity: Ints
    share: Floats


def object_distributions(graph: TemporalGraph, until: int) -> ObjectDistributions:
    """Count the objects of a graph's facts and their inverses before a time.

    The objects of a relation are the sources of its inverse. So each slot of the inverse is an object, and the number
    of its facts is how often it was one.
    """
    triples, half = graph.triples, len(graph.relations.base)
    n_times = _count_times(triples, until)
    slots = np.flatnonzero(n_times)
    relation = (triples.slot_relation[slots] + half) % (2 * half)
    slots = slots[np.argsort(relation, kind="stable")]
    counts, relation = n_times[slots], np.sort(relation)
    entity = np.repeat(np.arange(len(graph.entities)), np.diff(triples.slot_start))
    of_entity = np.bincount(entity, n_times, len(graph.entities))
    everyone = np.flatnonzero(of_entity)
    start = np.append(np.searchsorted(relation, np.arange(2 * half + 1)), len(slots) + len(everyone))
    of_relation = np.bincount(relation, counts, 2 * half)
    return ObjectDistributions(
        start=start,
        entity=np.concatenate([entity[slots], everyone]).astype(np.int32),
        share=np.concatenate([counts / of_relation[relation], of_entity[everyone] / max(of_entity.sum(), 1)]),
    )


@kernel
def _count_times(triples: TripleIndex, until: int) -> Ints:
    """How many facts each slot has before a time."""
    counts = np.zeros(len(triples.slot_relation), np.int64)
    for slot in range(len(counts)):
        first, end = triples.triple_start[slot], triples.triple_start[slot + 1]
        for i in range(triples.time_start[first], triples.time_start[end]):
            counts[slot] += triples.time[i] < until
    return counts


class Fallback(Protocol):
    """Scores the candidates of queries to which no rule leads."""

    def of(self, relation: int, time: int) -> tuple[Ints, Floats]:
        """The objects of a relation with their shares; those of all relations if it never occurred."""


class StaticFallback:
    """The fallback of a graph that does not change: counted over the training facts before a query."""

    def __init__(self, graph: TemporalGraph) -> None:
        self._graph = graph
        self._until: dict[int, ObjectDistributions] = {}

    def of(self, relation: int, time: int) -> tuple[Ints, Floats]:
        """The objects of a relation with their shares; those of all relations if it never occurred."""
        until = min(time, self._graph.valid_from)
        if until not in self._until:
            self._until[until] = object_distributions(self._graph, until)
        start, entity, share = self._until[until]
        own = slice(*start[relation : relation + 2])
        if own.start == own.stop:
            own = slice(*start[-2:])
        return entity[own], share[own]
