"""The sorted views hold every edge exactly where it should be."""

from collections import defaultdict
from typing import TypeVar

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.strategies import World, random_world, shifted, worlds
from tlogic.graph.binary_search import (
    fence_keys,
    find,
    first_at_least,
    first_equal,
    new_searches,
    search_all,
    search_all_fenced,
)
from tlogic.graph.edges import edges_of, relation_of, target_of
from tlogic.graph.sorting import counting_sort, run_starts

K = TypeVar("K")
V = TypeVar("V")


def grouped(items: list[tuple[K, V]]) -> dict[K, list[V]]:
    groups: dict[K, list[V]] = defaultdict(list)
    for key, value in items:
        groups[key].append(value)
    return dict(groups)


@settings(deadline=None, max_examples=100)
@given(worlds())
def test_triple_index(world: World) -> None:
    edges = sorted(naive.add_inverses(world.facts, world.n_base))
    index = world.triples()
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
    edges, index = edges_of(world.in_order(), world.n_entities, world.n_base), world.triples()
    assert np.repeat(index.fact_time, 2).tolist() == edges.time.tolist()
    columns = (edges.source, edges.relation, edges.target, index.slot[index.arrival], index.arrival)
    for s, r, o, slot, triple in zip(*columns, strict=True):
        assert slot == find(index.slot_start, index.slot_relation, s, r)
        assert triple == find(index.triple_start, index.target, slot, o)


@settings(deadline=None, max_examples=100)
@given(worlds())
def test_slot_edges(world: World) -> None:
    edges = naive.add_inverses(world.facts, world.n_base)
    index, view = world.triples(), world.views().slots
    start = index.time_start[index.triple_start]
    for s in range(world.n_entities):
        for r in range(world.n_relations):
            slot = find(index.slot_start, index.slot_relation, s, r)
            own = slice(start[slot], start[slot + 1]) if slot >= 0 else slice(0, 0)
            times = view.time[own].tolist()
            assert times == sorted(times)
            assert sorted(zip(view.target[own].tolist(), times, strict=True)) == sorted(
                (edge[2], edge[3]) for edge in edges if edge[:2] == (s, r)
            )


@settings(deadline=None, max_examples=100)
@given(worlds())
def test_source_edges(world: World) -> None:
    edges, facts = naive.add_inverses(world.facts, world.n_base), world.in_order()
    view = world.views().sources
    for s in range(world.n_entities):
        own = slice(view.start[s], view.start[s + 1])
        times, numbers = view.time[own].tolist(), view.edge[own].tolist()
        assert times == sorted(times)
        assert numbers == sorted(numbers)
        ends = [(relation_of(facts, world.n_base, number), target_of(facts, number)) for number in numbers]
        assert sorted((*end, time) for end, time in zip(ends, times, strict=True)) == sorted(
            edge[1:] for edge in edges if edge[0] == s
        )


@settings(deadline=None, max_examples=100)
@given(worlds(), st.integers(0, 9))
def test_pair_edges_and_last_times(world: World, until: int) -> None:
    edges = naive.add_inverses(world.facts, world.n_base)
    _, _, view, last = world.views(until)
    for s in range(world.n_entities):
        for o in range(world.n_entities):
            pair = find(view.pair_start, view.pair_target, s, o)
            own = slice(view.start[pair], view.start[pair + 1]) if pair >= 0 else slice(0, 0)
            times = view.time[own].tolist()
            expected = [(edge[1], edge[3]) for edge in edges if (edge[0], edge[2]) == (s, o)]
            assert times == sorted(times)
            assert sorted(zip(view.relation[own].tolist(), times, strict=True)) == sorted(expected)
            kept = last.relation_and_time[last.start[pair] : last.start[pair + 1]].tolist() if pair >= 0 else []
            newest = {r: t for r, t in sorted(expected) if t < until}
            assert [divmod(number, 2**32) for number in kept] == sorted(newest.items())


def test_ids_beyond_sixteen_bits_and_pairs_beyond_thirty_two() -> None:
    """70,000 entities and 32,000 relations: every edge is still found."""
    small = random_world(seed=5)
    n_entities, n_base = 70_000, 16_000
    facts = shifted(small.facts, n_entities - small.n_entities, n_base - small.n_base)
    world = World(facts | {(0, 0, 65_536, 1), (65_535, n_base - 1, 0, 3)}, n_entities, n_base)
    triples, (sources, slots, pairs, last) = world.triples(), world.views()
    slots_from = triples.time_start[triples.triple_start]
    for s, r, o, t in naive.add_inverses(world.facts, n_base):
        slot = find(triples.slot_start, triples.slot_relation, s, r)
        triple = find(triples.triple_start, triples.target, slot, o)
        pair = find(pairs.pair_start, pairs.pair_target, s, o)
        assert min(slot, triple, pair) >= 0
        assert t in triples.time[triples.time_start[triple] : triples.time_start[triple + 1]]
        assert t in slots.time[slots_from[slot] : slots_from[slot + 1]]
        assert t in sources.time[sources.start[s] : sources.start[s + 1]]
        assert t in pairs.time[pairs.start[pair] : pairs.start[pair + 1]]
        assert r in last.relation_and_time[last.start[pair] : last.start[pair + 1]] >> 32


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5)).map(sorted), st.integers(-7, 7), st.data())
def test_first_at_least(values: list[int], bound: int, data: st.DataObject) -> None:
    low = data.draw(st.integers(0, len(values)))
    high = data.draw(st.integers(low, len(values)))
    expected = next((i for i in range(low, high) if values[i] >= bound), high)
    assert first_at_least(np.array(values, np.int32), low, high, bound) == expected


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-5, 5), max_size=100).map(sorted), max_size=5), st.booleans(), st.data())
def test_searches_that_go_on_together_find_what_each_finds(
    runs: list[list[int]], far: bool, data: st.DataObject
) -> None:
    values = np.array([value for run in runs for value in run], np.int32)
    ends = np.cumsum([len(run) for run in runs], dtype=np.uint64)
    places = [end - len(run) for run, end in zip(runs, ends.tolist(), strict=True)]
    bounds = [data.draw(st.integers(-7, 7)) for _ in runs]
    expected = [first_at_least(values, *search) for search in zip(places, ends.tolist(), bounds, strict=True)]
    searches = new_searches(len(runs))
    searches.position[:], searches.end[:], searches.bound[:] = places, ends, bounds
    if far:
        search_all_fenced(values, fence_keys(values), searches, len(runs))
    else:
        search_all(values, searches, len(runs))
    assert searches.position.tolist() == expected
    assert searches.end.tolist() == ends.tolist()


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1).map(sorted), st.data())
def test_first_equal(values: list[int], data: st.DataObject) -> None:
    end = data.draw(st.integers(1, len(values)))
    low = data.draw(st.integers(0, end - 1))
    expected = next(i for i in range(low, end) if values[i] == values[end - 1])
    assert first_equal(np.array(values, np.int32), low, end) == expected


@settings(deadline=None)
@given(st.lists(st.integers(0, 6)))
def test_sorting_is_stable(keys: list[int]) -> None:
    array = np.array(keys, np.int32)
    order = counting_sort(np.arange(len(keys)), array, 7)
    assert order.tolist() == sorted(range(len(keys)), key=lambda i: keys[i])
    starts = run_starts(array[order], 7)
    assert starts.tolist() == [sum(key < bound for key in keys) for bound in range(8)]
