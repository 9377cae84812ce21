"""What each entity did, and what was done to it, in order of time."""

from typing import NamedTuple

from tlogic.graph.arrays import Ints
from tlogic.graph.edges import Edges
from tlogic.graph.source_edges import SourceEdges


class EntityEdges(NamedTuple):
    """The edges of each source, in order of time."""

    start: Ints
    """Per entity: its first place."""
    relation: Ints
    target: Ints
    time: Ints


def entity_edges(edges: Edges, sources: SourceEdges) -> EntityEdges:
    """The edges of each source as a table."""
    return EntityEdges(
        sources.start.astype("int64"), edges.relation[sources.edge], edges.target[sources.edge], sources.time
    )
