"""The sorted views hold every edge exactly where it should be."""

import math
from collections import defaultdict
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.strategies import World, random_world, shifted, triples_of, worlds
from tlogic.graph.index import (
    build_pair_edges,
    build_slot_edges,
    build_source_edges,
    cumulative_log_weights,
)
from tlogic.graph.search import find, first_at_least
from tlogic.graph.sorting import counting_sort, run_starts

K = TypeVar("K")
V = TypeVar("V")


def grouped(items: list[tuple[K, V]]) -> dict[K, list[V]]:
    groups: dict[K, list[V]] = defaultdict(list)
    for key, value in items:
        groups[key].append(value)
    return dict(groups)


def log_sum(times: list[int]) -> float:
    """log of the sum of exp(t), exactly enough."""
    newest = max(times)
    return newest + math.log(math.fsum(math.exp(t - newest) for t in times))


@settings(deadline=None, max_examples=100)
@given(worlds())
def test_triple_index(world: World) -> None:
    edges = sorted(naive.add_inverses(world.facts, world.n_base))
    index = triples_of(world.edges())
    times = grouped([((s, r, o), t) for s, r, o, t in edges])
    found = {}
    for s in range(world.n_entities):
        for r in range(world.n_relations):
            slot = find(index.slot_start, index.slot_relation, s, r)
            assert (slot >= 0) == any(key[:2] == (s, r) for key in times)
            for o in range(world.n_entities) if slot >= 0 else ():
                triple = find(index.triple_start, index.target, slot, o)
                if triple >= 0:
                    found[s, r, o] = index.time[index.time_start[triple] : index.time_start[triple + 1]].tolist()
    assert found == times
    assert len(index.target) == len(times)


@settings(deadline=None, max_examples=100)
@given(worlds())
def test_arrivals_lead_to_their_slot_and_triple(world: World) -> None:
    edges = world.edges()
    index = triples_of(edges)
    assert np.repeat(index.fact_time, 2).tolist() == edges.time.tolist()
    columns = (edges.source, edges.relation, edges.target, index.slot[index.arrival], index.arrival)
    for s, r, o, slot, triple in zip(*columns, strict=True):
        assert slot == find(index.slot_start, index.slot_relation, s, r)
        assert triple == find(index.triple_start, index.target, slot, o)


@settings(deadline=None, max_examples=100)
@given(worlds())
def test_slot_edges(world: World) -> None:
    edges = naive.add_inverses(world.facts, world.n_base)
    index, view = triples_of(world.edges()), build_slot_edges(world.edges())
    for s in range(world.n_entities):
        for r in range(world.n_relations):
            slot = find(index.slot_start, index.slot_relation, s, r)
            own = slice(view.start[slot], view.start[slot + 1]) if slot >= 0 else slice(0, 0)
            times = view.time[own].tolist()
            assert times == sorted(times)
            assert set(view.source[own].tolist()) <= {s}
            assert sorted(zip(view.target[own].tolist(), times, strict=True)) == sorted(
                (edge[2], edge[3]) for edge in edges if edge[:2] == (s, r)
            )
    for r in range(world.n_relations):
        positions = view.relation_edge[view.relation_start[r] : view.relation_start[r + 1]]
        columns = (column[positions].tolist() for column in (view.source, view.target, view.time))
        assert sorted(zip(*columns, strict=True)) == sorted((s, o, t) for s, q, o, t in edges if q == r)


@settings(deadline=None, max_examples=100)
@given(worlds())
def test_source_edges(world: World) -> None:
    edges = naive.add_inverses(world.facts, world.n_base)
    view = build_source_edges(world.edges())
    for s in range(world.n_entities):
        own = slice(view.start[s], view.start[s + 1])
        times = view.time[own].tolist()
        assert times == sorted(times)
        columns = (view.relation[own].tolist(), view.target[own].tolist(), times)
        assert sorted(zip(*columns, strict=True)) == sorted(edge[1:] for edge in edges if edge[0] == s)
        sums = [log_sum(times[: i + 1]) for i in range(len(times))]
        assert view.log_weight[own].tolist() == pytest.approx(sums, rel=1e-14, abs=1e-14)


@settings(deadline=None, max_examples=100)
@given(worlds())
def test_pair_edges(world: World) -> None:
    edges = naive.add_inverses(world.facts, world.n_base)
    view = build_pair_edges(world.edges())
    for s in range(world.n_entities):
        for o in range(world.n_entities):
            pair = find(view.pair_start, view.pair_target, s, o)
            own = slice(view.start[pair], view.start[pair + 1]) if pair >= 0 else slice(0, 0)
            times = view.time[own].tolist()
            assert times == sorted(times)
            assert sorted(zip(view.relation[own].tolist(), times, strict=True)) == sorted(
                (edge[1], edge[3]) for edge in edges if (edge[0], edge[2]) == (s, o)
            )
            sums = [log_sum(times[: i + 1]) for i in range(len(times))]
            assert view.log_weight[own].tolist() == pytest.approx(sums, rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("n_steps", [4_000, 100_000])
@pytest.mark.parametrize("gap", [1, 3, 900])
def test_log_weights_over_a_long_range(n_steps: int, gap: int) -> None:
    """Two edges at every ``gap``-th step: no weight overflows, none vanishes, and no error builds up."""
    time = np.repeat(np.arange(0, n_steps, gap), 2).astype(np.int32)
    log_weight = cumulative_log_weights(np.array([0, len(time)]), time)
    assert np.all(np.isfinite(log_weight))
    assert np.all(np.diff(log_weight) > 0)
    for i in [*range(0, len(time), max(len(time) // 97, 1)), len(time) - 1]:
        nearby = time[max(0, i - 2_000) : i + 1].tolist()  # exp(-1000) is nothing beside 1
        assert log_weight[i] == pytest.approx(log_sum(nearby), rel=1e-14, abs=1e-14)


def test_log_weights_start_anew_in_every_run() -> None:
    log_weight = cumulative_log_weights(np.array([0, 2, 2, 4]), np.array([5, 5, 0, 1], np.int32))
    assert log_weight.tolist() == pytest.approx([log_sum([5]), log_sum([5, 5]), log_sum([0]), log_sum([0, 1])])


def test_ids_beyond_sixteen_bits_and_pairs_beyond_thirty_two() -> None:
    """70,000 entities and 32,000 relations: every edge is still found."""
    small = random_world(seed=5)
    n_entities, n_base = 70_000, 16_000
    facts = shifted(small.facts, n_entities - small.n_entities, n_base - small.n_base)
    world = World(facts | {(0, 0, 65_536, 1), (65_535, n_base - 1, 0, 3)}, n_entities, n_base)
    triples, slots = triples_of(world.edges()), build_slot_edges(world.edges())
    sources, pairs = build_source_edges(world.edges()), build_pair_edges(world.edges())
    for s, r, o, t in naive.add_inverses(world.facts, n_base):
        slot = find(triples.slot_start, triples.slot_relation, s, r)
        triple = find(triples.triple_start, triples.target, slot, o)
        pair = find(pairs.pair_start, pairs.pair_target, s, o)
        assert min(slot, triple, pair) >= 0
        assert t in triples.time[triples.time_start[triple] : triples.time_start[triple + 1]]
        assert t in slots.time[slots.start[slot] : slots.start[slot + 1]]
        assert t in sources.time[sources.start[s] : sources.start[s + 1]]
        assert t in pairs.time[pairs.start[pair] : pairs.start[pair + 1]]


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5)).map(sorted), st.integers(-7, 7), st.data())
def test_first_at_least(values: list[int], bound: int, data: st.DataObject) -> None:
    low = data.draw(st.integers(0, len(values)))
    high = data.draw(st.integers(low, len(values)))
    expected = next((i for i in range(low, high) if values[i] >= bound), high)
    assert first_at_least(np.array(values, np.int32), low, high, bound) == expected


@settings(deadline=None)
@given(st.lists(st.integers(0, 6)))
def test_sorting_is_stable(keys: list[int]) -> None:
    array = np.array(keys, np.int32)
    order = counting_sort(np.arange(len(keys)), array, 7)
    assert order.tolist() == sorted(range(len(keys)), key=lambda i: keys[i])
    starts = run_starts(array[order], 7)
    assert starts.tolist() == [sum(key < bound for key in keys) for bound in range(8)]
