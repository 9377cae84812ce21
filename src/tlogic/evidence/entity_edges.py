"""The edges of each entity, in order of time."""

from typing import NamedTuple

from tlogic.graph.arrays import Ints
from tlogic.graph.edges import Edges
from tlogic.graph.source_edges import SourceEdges


class EntityEdges(NamedTuple):
    """Facts and inverse facts, grouped by their source and sorted by time."""

    start: Ints
    """Per entity: the index of its first edge."""
    relation: Ints
    target: Ints
    time: Ints


def entity_edges(edges: Edges, sources: SourceEdges) -> EntityEdges:
    """Group edges by their source."""
    relation, target = edges.relation[sources.edge], edges.target[sources.edge]
    return EntityEdges(sources.start.astype("int64"), relation, target, sources.time)
