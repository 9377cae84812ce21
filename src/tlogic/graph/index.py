"""Sorted views of a graph's edges for learning, each made for one kind of question.

Every fact gives two edges: itself and its inverse. A *slot* is one (source, relation); its edges stand together. No
array is larger than the edges.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Floats, Ints, width_for
from tlogic.graph.sorting import counting_sort, run_starts


class Edges(NamedTuple):
    """Facts and their inverses, in order of time."""

    source: Ints
    relation: Ints
    target: Ints
    time: Ints
    n_entities: int
    n_relations: int


class SlotEdges(NamedTuple):
    """What did an entity do by a relation since t? The edges of each slot, in order of time."""

    start: Ints
    """Per slot of the triple index: its first edge."""
    source: Ints
    target: Ints
    time: Ints
    relation_start: Ints
    relation_edge: Ints
    """Per relation: the positions of its edges."""


class SourceEdges(NamedTuple):
    """What did an entity do before t? The edges of each source, in order of time."""

    start: Ints
    relation: Ints
    target: Ints
    time: Ints
    log_weight: Floats
    """The logarithm of the sum of exp(time) over the source's edges up to this one."""


class PairEdges(NamedTuple):
    """What happened from one entity to another before t? The edges of each (source, target), in order of time."""

    pair_start: Ints
    """Per entity: its first pair."""
    pair_target: Ints
    start: Ints
    """Per pair: its first edge."""
    relation: Ints
    time: Ints
    log_weight: Floats


def build_slot_edges(edges: Edges) -> SlotEdges:
    """Sort edges by source, relation and time."""
    order = _by_slot(edges, _in_time(edges))
    source, relation = edges.source[order], edges.relation[order]
    relation_edge = counting_sort(np.arange(len(order), dtype=order.dtype), relation, edges.n_relations)
    return SlotEdges(
        start=_with_end(np.flatnonzero(_changes(source, relation)), len(order)),
        source=source,
        target=edges.target[order],
        time=edges.time[order],
        relation_start=run_starts(relation[relation_edge], edges.n_relations),
        relation_edge=relation_edge,
    )


def build_source_edges(edges: Edges) -> SourceEdges:
    """Sort edges by source and time."""
    order = _sorted(_in_time(edges), edges.source, edges.n_entities)
    start = run_starts(edges.source[order], edges.n_entities)
    time = edges.time[order]
    return SourceEdges(start, edges.relation[order], edges.target[order], time, cumulative_log_weights(start, time))


def build_pair_edges(edges: Edges) -> PairEdges:
    """Sort edges by source, target and time."""
    order = _sorted(_in_time(edges), edges.target, edges.n_entities)
    order = _sorted(order, edges.source, edges.n_entities)
    source, target, time = edges.source[order], edges.target[order], edges.time[order]
    pairs = np.flatnonzero(_changes(source, target))
    start = _with_end(pairs, len(order))
    return PairEdges(
        pair_start=run_starts(source[pairs], edges.n_entities),
        pair_target=target[pairs],
        start=start,
        relation=edges.relation[order],
        time=time,
        log_weight=cumulative_log_weights(start, time),
    )


@njit(cache=True, nogil=True)
def cumulative_log_weights(start: Ints, time: Ints) -> Floats:
    """Per run of edges: log of the sum of exp(time) so far.

    Logarithms neither overflow nor underflow, however many steps a graph spans.
    """
    log_weight = np.empty(len(time), np.float64)
    for run in range(len(start) - 1):
        decayed = 0.0  # the sum so far divided by exp(time of the newest edge)
        for i in range(start[run], start[run + 1]):
            gap = time[i] - time[i - 1] if i > start[run] else 0
            decayed = 1.0 + decayed * np.exp(-float(gap))
            log_weight[i] = time[i] + np.log(decayed)
    return log_weight


def _in_time(edges: Edges) -> Ints:
    return np.arange(len(edges.time), dtype=width_for(len(edges.time)))


def _sorted(order: Ints, keys: Ints, n_keys: int) -> Ints:
    return counting_sort(order, keys, n_keys)


def _by_slot(edges: Edges, order: Ints) -> Ints:
    order = counting_sort(order, edges.relation, edges.n_relations)
    return counting_sort(order, edges.source, edges.n_entities)


def _changes(*columns: Ints) -> np.ndarray:
    """Where any column differs from the row before; the first row always does."""
    changed = np.zeros(len(columns[0]), np.bool_)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed


def _with_end(starts: Ints, end: int) -> Ints:
    return np.append(starts, end).astype(np.int64)
