"""Sampled walks follow the exact distribution of the paper, and no walk is ever infeasible."""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.learning.sampling import many_walks, p_value, walk_index
from tests.naive import Edge
from tests.strategies import World, random_world, shifted, worlds
from tlogic.learning.walks import WalkSettings, sample_rules

Outcome = tuple[tuple[int, ...], tuple[int, ...]] | None

N_WALKS = 20_000
SIGNIFICANCE = 1e-4


def sampled(world: World, head: int, how: WalkSettings) -> Counter[Outcome]:
    """The count of each (body, entities); of failed walks under None."""
    rows = zip(*(column.tolist() for column in many_walks(walk_index(world), how, head)), strict=True)
    return Counter((tuple(body), tuple(entities)) if found else None for body, entities, found in rows)


def exact(world: World, head: int, how: WalkSettings) -> dict[Outcome, float]:
    """The probability of each (body, entities)."""
    total: dict[Outcome, float] = defaultdict(float)
    walks = naive.walk_distribution(world.facts, world.n_base, head, how.length, how.exponential)
    for walk, probability in walks.items():
        total[None if walk is None else naive.lift(walk, world.n_base)] += probability
    return {outcome: probability for outcome, probability in total.items() if probability > 1e-12}


@pytest.mark.parametrize("exponential", [True, False])
@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_walks_follow_the_exact_distribution(seed: int, length: int, exponential: bool) -> None:
    world = random_world(seed, n_entities=2 + seed, n_facts=14 + 3 * seed, last=3 + seed)
    head = seed % world.n_relations
    how = WalkSettings(length, N_WALKS, exponential, seed)
    distribution = exact(world, head, how)
    assert len(distribution) > 3
    assert p_value(sampled(world, head, how), distribution) > SIGNIFICANCE


@settings(deadline=None, max_examples=100)
@given(worlds(), st.data(), st.integers(1, 3), st.booleans(), st.integers(0, 2**40))
def test_every_walk_is_feasible(world: World, data: st.DataObject, length: int, exponential: bool, seed: int) -> None:
    head = data.draw(st.integers(0, world.n_relations - 1))
    how = WalkSettings(length, 50, exponential, seed)
    outcomes = sampled(world, head, how)
    if any(edge[1] == head for edge in naive.add_inverses(world.facts, world.n_base)):
        assert set(outcomes) <= set(exact(world, head, how))
    else:
        assert set(outcomes) == {None}


def hub(newest: int, step_back: int, times: Iterable[int]) -> World:
    """One head edge at ``newest``, a step back in time to a hub, and from there one closing edge per time.

    The inverse of the step to the hub would hold nearly all the weight, were it not excluded.
    """
    facts: set[Edge] = {(0, 0, 1, newest), (1, 1, 2, step_back)}
    for i, time in enumerate(times):
        facts |= {(2, 1, 3 + i, time), (3 + i, 1, 0, 0)}
    return World(frozenset(facts), 3 + len(facts) // 2, 2)


@pytest.mark.parametrize("last", [4_000, 100_000])
@pytest.mark.parametrize("ancient", [True, False])
def test_exponential_weights_over_a_long_range(last: int, ancient: bool) -> None:
    """Weights are correct at the recent end of a long period, and when all feasible edges are very old."""
    oldest = 0 if ancient else last - 12
    world = hub(last, last - 1, range(oldest, oldest + 8))
    how = WalkSettings(3, N_WALKS, True, 5)
    distribution = exact(world, 0, how)
    assert len(distribution) == 8
    assert p_value(sampled(world, 0, how), distribution) > SIGNIFICANCE


@pytest.mark.parametrize("exponential", [True, False])
def test_one_entity_busy_for_thousands_of_steps(exponential: bool) -> None:
    """An entity with an edge at each of 4,000 time steps, and heads over the whole period."""
    facts: set[Edge] = {(0, 0, 1, time) for time in range(0, 4_000, 400)}
    facts |= {(1, 1 + time % 7, 0, time) for time in range(4_000)}
    world = World(frozenset(facts), 2, 8)
    edges = sorted(naive.add_inverses(facts, world.n_base), key=lambda edge: edge[3])
    heads = [edge for edge in edges if edge[1] == 0]
    distribution: dict[int, float] = defaultdict(float)
    for head in heads:
        steps = naive.feasible_steps(edges, (head,), 1, world.n_base)
        for (_, relation, _, _), share in naive.step_probabilities(steps, exponential).items():
            distribution[naive.inverse(relation, world.n_base)] += share / len(heads)
        if not steps:
            distribution[-1] += 1 / len(heads)
    body, _, found = many_walks(walk_index(world), WalkSettings(1, N_WALKS, exponential, 3), 0)
    outcomes = Counter(np.where(found, body[:, 0], -1).tolist())
    assert p_value(outcomes, distribution) > SIGNIFICANCE


@pytest.mark.parametrize("exponential", [True, False])
def test_the_inverse_of_the_last_edge_is_never_walked(exponential: bool) -> None:
    """A self-loop as the head: the only closing edges are the inverse of the last one and an older one."""
    how = WalkSettings(2, 1_000, exponential, 1)
    far_older = (0, 1, 1, 2)
    world = World(frozenset({(0, 0, 0, 50), (0, 1, 1, 49), far_older}), 2, 2)
    assert ((1, 3), (0, 1, 0)) in sampled(world, 0, how)
    assert set(sampled(World(world.facts - {far_older}, 2, 2), 0, how)) == {None}


@pytest.mark.parametrize("exponential", [True, False])
def test_ids_beyond_sixteen_bits_and_pairs_beyond_thirty_two(exponential: bool) -> None:
    small = random_world(seed=1)
    n_entities, n_base = 70_000, 16_000
    facts = shifted(small.facts, n_entities - small.n_entities, n_base - small.n_base)
    world = World(facts, n_entities, n_base)
    how = WalkSettings(2, N_WALKS, exponential, 2)
    for head in (n_base - 1, 2 * n_base - 1):
        assert p_value(sampled(world, head, how), exact(world, head, how)) > SIGNIFICANCE


def test_the_same_seed_gives_the_same_walks_however_many() -> None:
    world = random_world(seed=0)
    how = WalkSettings(3, 200, True, 12)
    few, many = sampled(world, 0, how._replace(n_walks=50)), sampled(world, 0, how)
    assert few <= many
    assert many == sampled(world, 0, how)
    assert many != sampled(world, 0, how._replace(seed=13))


@settings(deadline=None, max_examples=50)
@given(worlds(), st.integers(1, 4), st.booleans(), st.integers(0, 2**40))
def test_rules_are_the_distinct_lifted_walks(world: World, length: int, exponential: bool, seed: int) -> None:
    how = WalkSettings(length, 40, exponential, seed)
    heads = np.arange(world.n_relations)
    expected = set()
    for head in heads.tolist():
        for walk in sampled(world, head, how):
            if walk is not None:
                body, entities = walk
                expected.add((*body, *naive.pattern(entities), head))
    rules = [tuple(row) for row in sample_rules(walk_index(world), how, heads).tolist()]
    assert len(rules) == len(expected)
    assert set(rules) == expected
