"""The edges of each entity, sorted by time. The other views are built from them.

The other views sort within the run of one entity after another. A run fits into the processor cache; a sort of all
edges at once would miss the cache at every edge.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Ints, integer_dtype
from tlogic.graph.edges import relation_of, target_of
from tlogic.graph.facts import Facts


class SourceEdges(NamedTuple):
    """The edges of each source, sorted by time: finds the edges of an entity before time t."""

    start: Ints
    """Per entity: the index of its first edge."""
    edge: Ints
    """The edge number: 2i for fact i, 2i + 1 for its inverse."""
    time: Ints


class Run(NamedTuple):
    """Scratch memory to sort the edges of one source; indices count from the start of the run."""

    relation: Ints
    target: Ints
    in_time: Ints
    """All indices, ascending."""
    by_target: Ints
    by_relation: Ints
    counter: Ints
    """Per entity or relation: zero between calls."""
    distinct: Ints


def build_source_edges(facts: Facts, n_entities: int) -> SourceEdges:
    """Sort the edges of facts by source.

    >>> facts = Facts(*np.array([[0, 0], [0, 0], [1, 1], [3, 8]], np.int32))
    >>> build_source_edges(facts, n_entities=2).edge.tolist()
    [0, 2, 1, 3]
    """
    n_edges = 2 * len(facts.time)
    sources = SourceEdges(
        start=np.zeros(n_entities + 1, integer_dtype(n_edges)),
        edge=np.empty(n_edges, integer_dtype(n_edges)),
        time=np.empty(n_edges, np.int32),
    )
    _sort_by_source(facts, sources)
    return sources


def new_run(sources: SourceEdges, n_relations: int) -> Run:
    """Scratch memory for the longest run."""
    longest = int(np.diff(sources.start).max(initial=0))
    relation, target, distinct = np.empty((3, longest), np.int32)
    in_time = np.arange(longest, dtype=sources.edge.dtype)
    counter = np.zeros(max(len(sources.start) - 1, n_relations), np.int64)
    return Run(relation, target, in_time, np.empty_like(in_time), np.empty_like(in_time), counter, distinct)


@kernel
def _sort_by_source(facts: Facts, sources: SourceEdges) -> None:
    start, edge, time = sources
    for i in range(len(facts.time)):
        start[facts.subject[i] + 1] += 1
        start[facts.object[i] + 1] += 1
    for source in range(len(start) - 1):
        start[source + 1] += start[source]
    for i in range(len(facts.time)):
        for inverse, source in enumerate((facts.subject[i], facts.object[i])):
            index = start[source]
            edge[index], time[index] = 2 * i + inverse, facts.time[i]
            start[source] += 1
    for source in range(len(start) - 1, 0, -1):  # the first pass moved each start to its end
        start[source] = start[source - 1]
    start[0] = 0


@helper
def load_run(facts: Facts, n_base_relations: int, sources: SourceEdges, source: int, run: Run) -> int:
    """Load the edges of a source into the scratch memory; return their number."""
    first, n = sources.start[source], sources.start[source + 1] - sources.start[source]
    for i in range(n):
        run.relation[i] = relation_of(facts, n_base_relations, sources.edge[first + i])
        run.target[i] = target_of(facts, sources.edge[first + i])
    return int(n)


@helper
def sort_run(run: Run, keys: Ints, order: Ints, n: int, out: Ints) -> int:
    """Sort ``n`` indices by their keys, stable with respect to ``order``; return the number of distinct keys.

    The distinct keys are stored in ``run.distinct``, ascending.
    """
    counter, distinct = run.counter, run.distinct
    n_distinct = 0
    for i in range(n):
        key = keys[i]
        if counter[key] == 0:
            distinct[n_distinct] = key
            n_distinct += 1
        counter[key] += 1
    distinct[:n_distinct].sort()
    begin = 0
    for i in range(n_distinct):
        n_equal = counter[distinct[i]]
        counter[distinct[i]] = begin
        begin += n_equal
    for i in range(n):
        index = order[i]
        out[counter[keys[index]]] = index
        counter[keys[index]] += 1
    for i in range(n_distinct):
        counter[distinct[i]] = 0
    return n_distinct
