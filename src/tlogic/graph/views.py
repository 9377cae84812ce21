"""Sorted views of the edges for learning, one per kind of lookup. No array is longer than the edges.

With these views the cost of learning depends on the number of samples: no part of it scans all edges.
"""

from typing import Any, NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Ints, borrowed
from tlogic.graph.facts import Facts
from tlogic.graph.source_edges import Run, SourceEdges, build_source_edges, load_run, new_run, sort_run
from tlogic.parallel import in_parallel


class SlotEdges(NamedTuple):
    """The edges of each slot, sorted by time: finds the edges of an entity and relation since time t.

    The edges of a slot have the same index range as its times in the triple index.
    """

    target: Ints
    time: Ints


class PairEdges(NamedTuple):
    """The edges of each (source, target), sorted by time: finds the edges between two entities before time t."""

    pair_start: Ints
    """Per entity: its first pair."""
    pair_target: Ints
    start: Ints
    """Per pair: its first edge."""
    relation: Ints
    time: Ints


class LastTimes(NamedTuple):
    """The last time of each relation of a pair: shows whether a relation held between two entities after time t."""

    start: Ints
    """Per pair of the pair edges: its first relation."""
    relation_and_time: Ints
    """Ascending per pair: the relation in the upper 32 bits, its last time in the lower 32."""


class Views(NamedTuple):
    """All views for learning; it also uses the triple index."""

    sources: SourceEdges
    slots: SlotEdges
    pairs: PairEdges
    last: LastTimes


def build_views(facts: Facts, n_entities: int, n_base_relations: int, until: int) -> Views:
    """Sort the edges of facts, which are sorted by time; last times are before ``until``.

    >>> facts = Facts(*np.array([[0, 0, 0], [0, 1, 0], [1, 1, 1], [3, 5, 8]], np.int32))
    >>> views = build_views(facts, n_entities=2, n_base_relations=2, until=9)
    >>> views.pairs.start.tolist(), views.pairs.relation.tolist()
    ([0, 3, 6], [0, 1, 0, 2, 3, 2])
    >>> [divmod(number, 2**32) for number in views.last.relation_and_time.tolist()]
    [(0, 8), (1, 5), (2, 8), (3, 5)]
    """
    sources = build_source_edges(facts, n_entities)

    def by_relation() -> tuple[SlotEdges]:
        return (_slot_edges(facts, n_base_relations, sources),)

    def by_target() -> tuple[PairEdges, LastTimes]:
        pairs = _pair_edges(facts, n_base_relations, sources)
        return pairs, _last_times(pairs, until, 2 * n_base_relations)

    views: list[Any] = list(in_parallel(lambda: lambda sort: sort(), [by_relation, by_target]))
    return Views(sources, *views[0], *views[1])


def _slot_edges(facts: Facts, half: int, sources: SourceEdges) -> SlotEdges:
    slots = SlotEdges(*np.empty((2, len(sources.edge)), np.int32))
    _fill_slots(facts, half, sources, new_run(sources, 2 * half), slots)
    return slots


def _pair_edges(facts: Facts, half: int, sources: SourceEdges) -> PairEdges:
    n_edges, width = len(sources.edge), sources.edge.dtype
    pairs = PairEdges(  # as many pairs as edges: pages that are never written cost no memory
        pair_start=np.zeros(len(sources.start), width),
        pair_target=np.empty(n_edges, np.int32),
        start=np.zeros(n_edges + 1, width),
        relation=np.empty(n_edges, np.int32),
        time=np.empty(n_edges, np.int32),
    )
    n_pairs = _fill_pairs(facts, half, sources, new_run(sources, 2 * half), pairs)
    return pairs._replace(pair_target=pairs.pair_target[:n_pairs], start=pairs.start[: n_pairs + 1])


def _last_times(pairs: PairEdges, until: int, n_relations: int) -> LastTimes:
    last = LastTimes(np.zeros_like(pairs.start), np.empty(len(pairs.time), np.int64))
    n_last = _fill_last(pairs, until, n_relations, last)
    return last._replace(relation_and_time=last.relation_and_time[:n_last])


@kernel
def _fill_slots(facts: Facts, half: int, sources: SourceEdges, run: Run, slots: SlotEdges) -> None:
    """Sort the edges of each source by relation."""
    facts, sources, run, slots = borrowed(facts), borrowed(sources), borrowed(run), borrowed(slots)
    for source in range(len(sources.start) - 1):
        n, first = load_run(facts, half, sources, source, run), sources.start[source]
        sort_run(run, run.relation, run.in_time, n, run.by_relation)
        for i in range(n):
            j = run.by_relation[i]
            slots.target[first + i], slots.time[first + i] = run.target[j], sources.time[first + j]


@kernel
def _fill_pairs(facts: Facts, half: int, sources: SourceEdges, run: Run, pairs: PairEdges) -> int:
    """Sort the edges of each source by target; return the number of pairs."""
    facts, sources, run, pairs = borrowed(facts), borrowed(sources), borrowed(run), borrowed(pairs)
    n_pairs = 0
    for source in range(len(sources.start) - 1):
        n, first, target = load_run(facts, half, sources, source, run), sources.start[source], -1
        sort_run(run, run.target, run.in_time, n, run.by_target)
        for i in range(n):
            j = run.by_target[i]
            if run.target[j] != target:
                target = run.target[j]
                pairs.pair_target[n_pairs], pairs.start[n_pairs] = target, first + i
                n_pairs += 1
            pairs.relation[first + i], pairs.time[first + i] = run.relation[j], sources.time[first + j]
        pairs.pair_start[source + 1] = n_pairs
    pairs.start[n_pairs] = 2 * len(facts.time)
    return n_pairs


@kernel
def _fill_last(pairs: PairEdges, until: int, n_relations: int, last: LastTimes) -> int:
    """Keep the last edge of each relation of each pair; return how many are kept."""
    start, kept = last
    index = np.full(n_relations, -1, np.int64)  # per relation: its latest index in ``kept``, of this or an earlier pair
    n, n_pairs = 0, len(pairs.pair_target)
    for pair in range(n_pairs):
        start[pair] = n
        for i in range(pairs.start[pair], pairs.start[pair + 1]):
            if pairs.time[i] >= until:
                break
            relation = pairs.relation[i]
            if index[relation] < start[pair]:
                index[relation] = n
                n += 1
            kept[index[relation]] = relation_and_time(relation, pairs.time[i])
        kept[start[pair] : n].sort()
    start[n_pairs] = n
    return n


@kernel
def relation_and_time(relation: int, time: int) -> int:
    """Relation and time in one integer, ordered by relation, then by time."""
    return int((np.int64(relation) << 32) + time)
