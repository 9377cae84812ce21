"""The index that forecasts read: which targets did an entity reach by a relation, and when?

Every fact gives two edges: itself and its inverse. A *slot* is one (source, relation); its edges stand together. A
*triple* is one distinct (source, relation, target); its times stand together, ascending.

Per edge two numbers are kept, its time and its triple; per triple three, per slot two and per entity one. Numbers take
four bytes each as long as they fit, and no array is larger than the edges.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints, borrowed, width_for
from tlogic.graph.facts import Facts

_BY_SOURCE, _BY_RELATION, _BY_TARGET = 0, 1, 2


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
    """Per edge in order of time, a fact before its inverse: its triple."""
    fact_time: Ints
    """Per fact: its time, which is that of two edges."""


def build_triple_index(facts: Facts, n_entities: int, n_base_relations: int) -> TripleIndex:
    """Sort the edges of facts, which stand in order of time. Beside the result, it takes room for twice the edges'
    numbers.

    >>> facts = Facts(*np.array([[0, 0], [0, 0], [1, 1], [3, 8]], np.int32))
    >>> index = build_triple_index(facts, n_entities=2, n_base_relations=1)
    >>> index.target.tolist(), index.time.tolist()
    ([1, 0], [3, 8, 3, 8])
    """
    n_edges = 2 * len(facts.time)
    order = _sorted_edges(facts, n_entities, n_base_relations, width_for(n_edges))
    n_slots, n_triples = _count_runs(facts, n_base_relations, order)
    index = TripleIndex(
        slot_start=np.zeros(n_entities + 1, width_for(n_slots)),
        slot_relation=np.empty(n_slots, np.int32),
        triple_start=np.empty(n_slots + 1, width_for(n_triples)),
        target=np.empty(n_triples, np.int32),
        slot=np.empty(n_triples, width_for(n_slots)),
        time_start=np.empty(n_triples + 1, width_for(n_edges)),
        time=np.empty(n_edges, np.int32),
        arrival=np.empty(n_edges, width_for(n_triples)),
        fact_time=facts.time,
    )
    _fill(facts, n_base_relations, order, index)
    return index


def _sorted_edges(facts: Facts, n_entities: int, half: int, width: type[np.signedinteger]) -> Ints:
    """Edges by source, relation, target and time: stable counting sorts, the least significant key first."""
    order: Ints = np.arange(2 * len(facts.time), dtype=width)
    spare = np.empty_like(order)
    for key, n_keys in ((_BY_TARGET, n_entities), (_BY_RELATION, 2 * half), (_BY_SOURCE, n_entities)):
        _counting_sort(facts, half, key, n_keys, order, spare)
        order, spare = spare, order
    return order


@njit(cache=True, nogil=True)
def _counting_sort(facts: Facts, half: int, by: int, n_keys: int, order: Ints, out: Ints) -> None:
    facts = borrowed(facts)
    start = np.zeros(n_keys + 1, np.int64)
    for edge in order:
        start[_key(facts, half, by, edge) + 1] += 1
    for key in range(n_keys):
        start[key + 1] += start[key]
    for edge in order:
        key = _key(facts, half, by, edge)
        out[start[key]] = edge
        start[key] += 1


@njit(cache=True, nogil=True)
def _key(facts: Facts, half: int, by: int, edge: int) -> int:
    """The source, relation or target of an edge: even ones are facts, odd ones their inverses."""
    fact, is_inverse = edge >> 1, edge & 1
    if by == _BY_RELATION:
        return int(facts.relation[fact] + half * is_inverse)
    return int(facts.subject[fact] if (by == _BY_SOURCE) != is_inverse else facts.object[fact])


@njit(cache=True, nogil=True)
def _count_runs(facts: Facts, half: int, order: Ints) -> tuple[int, int]:
    """How many slots and triples there are."""
    facts = borrowed(facts)
    n_slots, n_triples = 0, 0
    s, r, o = -1, -1, -1
    for edge in order:
        source, relation = _key(facts, half, _BY_SOURCE, edge), _key(facts, half, _BY_RELATION, edge)
        target = _key(facts, half, _BY_TARGET, edge)
        same_slot = source == s and relation == r
        n_slots += not same_slot
        n_triples += not (same_slot and target == o)
        s, r, o = source, relation, target
    return n_slots, n_triples


@njit(cache=True, nogil=True)
def _fill(facts: Facts, half: int, order: Ints, index: TripleIndex) -> None:
    facts, index = borrowed(facts), borrowed(index)
    slot, triple = -1, -1
    s, r, o = -1, -1, -1
    for place in range(len(order)):
        edge = order[place]
        source, relation = _key(facts, half, _BY_SOURCE, edge), _key(facts, half, _BY_RELATION, edge)
        target = _key(facts, half, _BY_TARGET, edge)
        same_slot = source == s and relation == r
        if not same_slot:
            slot += 1
            index.slot_start[source + 1] += 1
            index.slot_relation[slot], index.triple_start[slot] = relation, triple + 1
        if not (same_slot and target == o):
            triple += 1
            index.target[triple], index.slot[triple], index.time_start[triple] = target, slot, place
        index.time[place], index.arrival[edge] = facts.time[edge >> 1], triple
        s, r, o = source, relation, target
    index.triple_start[slot + 1], index.time_start[triple + 1] = triple + 1, len(order)
    for entity in range(len(index.slot_start) - 1):
        index.slot_start[entity + 1] += index.slot_start[entity]
