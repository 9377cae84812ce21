"""What happened in each group of facts, and how often lately: times with decayed counts.

A group is all facts of a triple, of a slot (source and relation), of a pair, of a source or of a relation. At each of
its facts a group remembers, for some half-lives, E_i = 1 + E_(i-1) * 2^(-gap / half-life). So the count at any later
time is one binary search and one decay away.
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
"""The place of the half-life that tells what is recent: 30 days."""
FOREVER = N_HALF_LIVES - 1
"""The place of the half-life without end: plain counts."""
LONG_AGO = 0.02
"""What an event of long ago weighs beside a recent one."""
_DAILY = (1.5, 7.0, 30.0, 120.0)
_LONG_ENOUGH = 240


class History(NamedTuple):
    """The times of each group, ascending, with the decayed counts after each."""

    start: Ints
    """Per group: its first time."""
    time: Ints
    counts: Floats
    """Per time and half-life."""


class Histories(NamedTuple):
    """A graph's facts and their inverses in groups, and how groups are found."""

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
    """Per step of time: its first edge."""
    entity_edges: EntityEdges
    """What each entity did, in order of time; its places are those of the history of sources."""
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
    """Four half-lives in steps and one without end; where time is short they shrink with it.

    They belong to a model: taken from the data that it was fitted to, and the same for all that it is queries.

    >>> half_lives(365).tolist()
    [1.5, 7.0, 30.0, 120.0, inf]
    """
    scale = min(span / _LONG_ENOUGH, 1.0)
    return np.array([*(max(life * scale, 0.5) for life in _DAILY), np.inf])


def _step_starts(edges: Edges, until: int) -> Ints:
    return np.searchsorted(edges.time, np.arange(until + 1))


def _decay(lives: Floats, until: int) -> Floats:
    return np.exp2(-np.arange(until + 1) / lives[:, None])


def _wide(starts: Ints) -> Ints:
    """Starts as all histories have them, so that kernels are compiled for one kind of them."""
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
    """The place of a group's last time before now, or -1."""
    if group < 0:
        return -1
    found = first_at_least(time, start[group], start[group + 1], now)
    return found - 1 if found > start[group] else -1


@njit(cache=True, nogil=True)
def share(decay: Floats, part: History, last: int, whole: History, last_of_whole: int, h: int) -> float:
    """The share of a group in a larger one that holds it, at the same time, from the last places of both.

    What decays from the later place on decays for both, so that this neither overflows nor vanishes.
    """
    between = whole.time[last_of_whole] - part.time[last]
    return part.counts[last, h] / whole.counts[last_of_whole, h] * decay[h, between]


@njit(cache=True, nogil=True)
def count_at(decay: Floats, history: History, last: int, h: int, now: int) -> float:
    """The decayed count of a group, from its last place before now."""
    return history.counts[last, h] * decay[h, now - history.time[last]]


@njit(cache=True, nogil=True)
def weight_at(decay: Floats, history: History, last: int, now: int) -> float:
    """How much a group happened: lately, and a little for long ago."""
    return count_at(decay, history, last, RECENT, now) + LONG_AGO * history.counts[last, FOREVER]
