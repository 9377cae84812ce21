"""Temporal knowledge graphs: sorted integer arrays, and the vocabularies that map names to ids."""

from tlogic.graph.building import build_graph, read_graph, sample_graph
from tlogic.graph.facts import Facts
from tlogic.graph.temporal_graph import TemporalGraph

__all__ = ["Facts", "TemporalGraph", "build_graph", "read_graph", "sample_graph"]
