"""The event times of groups of facts, with exponentially decayed counts.

A group is all facts of a triple, of a slot (source and relation), of a pair, of a source or of a relation. For each
fact of a group and each half-life, E_i = 1 + E_(i-1) * 2^(-gap / half-life) is stored. The decayed count at any later
time then takes one binary search and one multiplication.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.entity_edges import EntityEdges, entity_edges
from tlogic.evidence.name_parts import NameParts, parse_names
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.binary_search import first_at_least
from tlogic.graph.edges import Edges
from tlogic.graph.sorting import counting_sort, run_starts
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.graph.triples import TripleIndex

N_HALF_LIVES = 5
RECENT = 2
"""The index of the half-life of 30 days, by which recent events are weighted."""
FOREVER = N_HALF_LIVES - 1
"""The index of the infinite half-life: plain counts."""
OLD_EVENT_WEIGHT = 0.02
"""The weight of an event long ago, relative to one just now."""
_HALF_LIVES = (1.5, 7.0, 30.0, 120.0)  # in time steps
_MIN_HALF_LIFE = 0.5  # in time steps
_MIN_SPAN = 240  # in time steps; the half-lives shrink for data that spans less


class History(NamedTuple):
    """The times of each group, ascending, with the decayed counts after each."""

    start: Ints
    """Per group: the index of its first time."""
    time: Ints
    counts: Floats
    """Per time and half-life."""


class Histories(NamedTuple):
    """The facts of a graph and their inverses in groups, with the indexes to find a group."""

    slot_start: Ints
    slot_relation: Ints
    triple_start: Ints
    target: Ints
    triples: History
    slots: History
    pair_start: Ints
    pair_target: Ints
    pairs: History
    sources: History
    relations: History
    relation_slot_start: Ints
    relation_slot: Ints
    """Per relation: its slots."""
    slot_source: Ints
    edges: Edges
    """All facts and their inverses in order of time."""
    step_start: Ints
    """Per time step: the index of its first edge."""
    entity_edges: EntityEdges
    """The edges of each entity in order of time, with the same indexes as the history of sources."""
    name_parts: NameParts
    decay: Floats
    """Per half-life and age: 2^(-age / half-life)."""


def build_histories(graph: TemporalGraph, lives: Floats, until: int) -> Histories:
    """Group the facts of a graph in all five ways, for queries up to a time."""
    edges, triples = graph.edges, graph.triples
    sources, slots, pairs, _ = graph.views
    by_entity = entity_edges(edges, sources)
    by_relation = counting_sort(np.arange(len(edges.time)), edges.relation, edges.n_relations)
    relation_start = run_starts(edges.relation[by_relation], edges.n_relations)
    relation_slot = counting_sort(np.arange(len(triples.slot_relation)), triples.slot_relation, edges.n_relations)
    return Histories(
        slot_start=triples.slot_start,
        slot_relation=triples.slot_relation,
        triple_start=triples.triple_start,
        target=triples.target,
        triples=_history(triples.time_start, triples.time, lives),
        slots=_history(_wide(triples.time_start[triples.triple_start]), slots.time, lives),
        pair_start=_wide(pairs.pair_start),
        pair_target=pairs.pair_target,
        pairs=_history(_wide(pairs.start), pairs.time, lives),
        sources=_history(by_entity.start, by_entity.time, lives),
        relations=_history(relation_start, edges.time[by_relation], lives),
        relation_slot_start=run_starts(triples.slot_relation[relation_slot], edges.n_relations),
        relation_slot=relation_slot,
        slot_source=_sources_of_slots(triples),
        edges=edges,
        step_start=_step_starts(edges, until),
        entity_edges=by_entity,
        name_parts=parse_names(graph.entities, by_entity),
        decay=_decay(lives, until),
    )


def ready_until(histories: Histories, lives: Floats, until: int) -> Histories:
    """The same histories for queries up to a later time."""
    if until < len(histories.step_start):
        return histories
    return histories._replace(step_start=_step_starts(histories.edges, until), decay=_decay(lives, until))


def half_lives(span: int) -> Floats:
    """Four half-lives in time steps, scaled down for short data, and an infinite one.

    They belong to a model: fitting chooses them by the span of its data, and forecasts use the same.

    >>> half_lives(365).tolist()
    [1.5, 7.0, 30.0, 120.0, inf]
    """
    scale = min(span / _MIN_SPAN, 1.0)
    return np.array([*(max(life * scale, _MIN_HALF_LIFE) for life in _HALF_LIVES), np.inf])


def _step_starts(edges: Edges, until: int) -> Ints:
    return np.searchsorted(edges.time, np.arange(until + 1))


def _decay(lives: Floats, until: int) -> Floats:
    return np.exp2(-np.arange(until + 1) / lives[:, None])


def _wide(starts: Ints) -> Ints:
    """Starts as 64-bit integers in all histories, so that kernels are compiled for one type only."""
    return starts.astype(np.int64)


def _history(start: Ints, time: Ints, lives: Floats) -> History:
    return History(start, time, _decayed_counts(start, time, lives))


def _sources_of_slots(triples: TripleIndex) -> Ints:
    return np.repeat(np.arange(len(triples.slot_start) - 1), np.diff(triples.slot_start)).astype(np.int32)


@njit(cache=True, nogil=True)
def _decayed_counts(start: Ints, time: Ints, lives: Floats) -> Floats:
    count = np.empty((len(time), len(lives)), np.float32)
    for group in range(len(start) - 1):
        for i in range(start[group], start[group + 1]):
            for h in range(len(lives)):
                count[i, h] = 1.0
                if i > start[group]:
                    count[i, h] += count[i - 1, h] * 2.0 ** (-(time[i] - time[i - 1]) / lives[h])
    return count


@njit(cache=True, nogil=True)
def last_before(start: Ints, time: Ints, group: int, now: int) -> int:
    """The index of a group's last time before now, or -1."""
    if group < 0:
        return -1
    found = first_at_least(time, start[group], start[group + 1], now)
    return found - 1 if found > start[group] else -1


@njit(cache=True, nogil=True)
def share(decay: Floats, part: History, last: int, whole: History, last_of_whole: int, h: int) -> float:
    """The decayed share of a group in a larger one that contains it, from the indexes of the last times of both.

    Decay after the later of the two times cancels out, so the share neither overflows nor vanishes.
    """
    between = whole.time[last_of_whole] - part.time[last]
    return part.counts[last, h] / whole.counts[last_of_whole, h] * decay[h, between]


@njit(cache=True, nogil=True)
def count_at(decay: Floats, history: History, last: int, h: int, now: int) -> float:
    """The decayed count of a group, from the index of its last time before now."""
    return history.counts[last, h] * decay[h, now - history.time[last]]


@njit(cache=True, nogil=True)
def weight_at(decay: Floats, history: History, last: int, now: int) -> float:
    """The weight of a group: its decayed count, plus a little for each event, however old."""
    return count_at(decay, history, last, RECENT, now) + OLD_EVENT_WEIGHT * history.counts[last, FOREVER]
