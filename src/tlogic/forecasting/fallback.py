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


def usual_objects(fallback: Fallback, relation: int) -> tuple[Ints, Floats]:
    """The objects of a relation with their shares; those of all relations together where it was never seen."""
    start, end = fallback.start[relation : relation + 2]
    if start == end:
        start, end = fallback.start[-2:]
    return fallback.entity[start:end], fallback.share[start:end]
