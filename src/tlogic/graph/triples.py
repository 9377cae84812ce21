"""The index for forecasts: the targets of an entity by relation, with their times.

Every fact gives two edges: itself and its inverse. A *slot* is one (source, relation); its edges are contiguous. A
*triple* is one distinct (source, relation, target); its times are contiguous and ascending.

The index holds two integers per edge (time and triple), three per triple, two per slot and one per entity. Integers
take four bytes as long as they fit, and no array is longer than the edges.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Ints, borrowed, integer_dtype
from tlogic.graph.facts import Facts
from tlogic.graph.source_edges import Run, SourceEdges, build_source_edges, load_run, new_run, sort_run


class TripleIndex(NamedTuple):
    """The edges of a graph, sorted by source, relation, target, time."""

    slot_start: Ints
    """Per entity: its first slot."""
    slot_relation: Ints
    triple_start: Ints
    """Per slot: its first triple."""
    target: Ints
    """Per triple, ascending within a slot."""
    slot: Ints
    """Per triple: its slot."""
    time_start: Ints
    """Per triple: its first time."""
    time: Ints
    arrival: Ints
    """Per edge, sorted by time, with each fact before its inverse: its triple."""
    fact_time: Ints
    """Per fact: its time, shared by its two edges."""


def build_triple_index(facts: Facts, n_entities: int, n_base_relations: int) -> TripleIndex:
    """Sort the edges of facts, which are sorted by time. Temporary memory: the edges by source.

    >>> facts = Facts(*np.array([[0, 0], [0, 0], [1, 1], [3, 8]], np.int32))
    >>> index = build_triple_index(facts, n_entities=2, n_base_relations=1)
    >>> index.target.tolist(), index.time.tolist()
    ([1, 0], [3, 8, 3, 8])
    """
    sources, n_edges = build_source_edges(facts, n_entities), 2 * len(facts.time)
    width = integer_dtype(n_edges)
    index = TripleIndex(  # as many slots and triples as edges: pages that are never written cost no memory
        slot_start=np.zeros(n_entities + 1, width),
        slot_relation=np.empty(n_edges, np.int32),
        triple_start=np.zeros(n_edges + 1, width),
        target=np.empty(n_edges, np.int32),
        slot=np.empty(n_edges, width),
        time_start=np.zeros(n_edges + 1, width),
        time=np.empty(n_edges, np.int32),
        arrival=np.empty(n_edges, width),
        fact_time=facts.time,
    )
    n_slots, n_triples = _fill(facts, n_base_relations, sources, new_run(sources, 2 * n_base_relations), index)
    return index._replace(
        slot_relation=index.slot_relation[:n_slots],
        triple_start=index.triple_start[: n_slots + 1],
        target=index.target[:n_triples],
        slot=index.slot[:n_triples],
        time_start=index.time_start[: n_triples + 1],
    )


@kernel
def _fill(facts: Facts, half: int, sources: SourceEdges, run: Run, index: TripleIndex) -> tuple[int, int]:
    """Sort the edges of each source by relation and target; return the numbers of slots and triples."""
    facts, sources, run, index = borrowed(facts), borrowed(sources), borrowed(run), borrowed(index)
    n_slots, n_triples = 0, 0
    for source in range(len(sources.start) - 1):
        n = load_run(facts, half, sources, source, run)
        sort_run(run, run.target, run.in_time, n, run.by_target)
        sort_run(run, run.relation, run.by_target, n, run.by_relation)
        first, relation, target = sources.start[source], -1, -1
        for i in range(n):
            j = run.by_relation[i]
            if run.relation[j] != relation:
                relation, target = run.relation[j], -1
                index.slot_relation[n_slots], index.triple_start[n_slots] = relation, n_triples
                n_slots += 1
            if run.target[j] != target:
                target = run.target[j]
                index.target[n_triples], index.slot[n_triples] = target, n_slots - 1
                index.time_start[n_triples] = first + i
                n_triples += 1
            index.time[first + i] = sources.time[first + j]
            index.arrival[sources.edge[first + j]] = n_triples - 1
        index.slot_start[source + 1] = n_slots
    index.triple_start[n_slots], index.time_start[n_triples] = n_triples, 2 * len(facts.time)
    return n_slots, n_triples
