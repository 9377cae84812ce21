"""The fallback for queries that no rule answers: how often an entity was the object."""

from typing import NamedTuple

import numpy as np

from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.temporal_graph import TemporalGraph


class Fallback(NamedTuple):
    """Object distributions: one per relation that was seen, and the overall one behind them."""

    start: Ints
    """Per relation, and at last for all together: its first entity."""
    entity: Ints
    share: Floats


def object_distributions(graph: TemporalGraph) -> Fallback:
    """Count the objects of a graph's facts, inverses included."""
    edges = graph.edges
    n_relations, n_entities = edges.n_relations, edges.n_entities
    keys, counts = np.unique(edges.relation.astype(np.int64) * n_entities + edges.target, return_counts=True)
    relations, entities = np.divmod(keys, n_entities)
    totals = np.bincount(edges.target, minlength=n_entities)
    everyone = np.flatnonzero(totals)
    start = np.append(np.searchsorted(relations, np.arange(n_relations + 1)), len(keys) + len(everyone))
    of_relation = np.bincount(edges.relation, minlength=n_relations)
    return Fallback(
        start=start,
        entity=np.concatenate([entities, everyone]).astype(np.int32),
        share=np.concatenate([counts / of_relation[relations], totals[everyone] / max(totals.sum(), 1)]),
    )


class UsualObjects:
    """The fallback for queries one by one: from training facts, and of those only the ones before the query."""

    def __init__(self, graph: TemporalGraph) -> None:
        self._graph = graph
        self._until: dict[int, Fallback] = {}

    def of(self, relation: int, time: int) -> tuple[Ints, Floats]:
        """The objects of a relation with their shares; those of all relations together where it was never seen."""
        until = min(time, self._graph.valid_from)
        if until not in self._until:
            self._until[until] = object_distributions(self._graph.before(until))
        start, entity, share = self._until[until]
        own = slice(*start[relation : relation + 2])
        if own.start == own.stop:
            own = slice(*start[-2:])
        return entity[own], share[own]
