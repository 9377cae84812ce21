"""Sampled bodies follow their exact distribution, and the supports count them correctly."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.learning.sampling import p_value, training_edges
from tests.naive import Edge, Walk
from tests.strategies import World, random_world, shifted, variable_patterns, worlds
from tlogic.learning.sampled_support import count_sampled_supports

SIGNIFICANCE = 1e-4

Body = tuple[tuple[int, ...], tuple[int, ...]]
Ends = tuple[int, int, int]
BODIES: list[Body] = [
    ((0,), (0, 1)),
    ((0, 1), (0, 1, 2)),
    ((2, 0), (0, 1, 0)),
    ((0, 1, 3), (0, 1, 2, 3)),
    ((0, 2, 0), (0, 1, 0, 1)),
    ((1, 3, 0), (0, 1, 0, 2)),
]


class Supports:
    """The supports of rules that share one body, as the package counts them."""

    def __init__(self, world: World, heads: Sequence[int], body: Body) -> None:
        relations, variables = body
        self.training = training_edges(world)
        self.rules = (
            np.array(heads, np.int32),
            np.tile(np.array(relations, np.int32), (len(heads), 1)),
            np.tile(np.array(variables, np.int32), (len(heads), 1)),
        )

    def count(self, n_samples: int, seed: int) -> list[tuple[int, int]]:
        supports = count_sampled_supports(self.training, *self.rules, n_samples, seed)
        return [(int(body), int(rule)) for body, rule in supports]


def possible_bodies(world: World, body: Body) -> list[Walk]:
    if not any(edge[1] == body[0][0] for edge in naive.add_inverses(world.facts, world.n_base)):
        return []
    distribution = naive.body_distribution(world.facts, world.n_base, *body)
    return [found for found in distribution if found is not None]


@settings(deadline=None, max_examples=60)
@given(worlds(), st.data(), st.integers(0, 2**40))
def test_many_samples_find_every_body(world: World, data: st.DataObject, seed: int) -> None:
    variables = data.draw(variable_patterns().filter(lambda pattern: len(pattern) <= 4))
    relation = st.integers(0, world.n_relations - 1)
    body = (tuple(data.draw(relation) for _ in variables[1:]), variables)
    bodies = possible_bodies(world, body)
    heads = range(world.n_relations)
    exact = [naive.supports(world.facts, world.n_base, head, bodies) for head in heads]
    rules = Supports(world, heads, body)
    few, many = rules.count(5, seed), rules.count(30_000, seed)
    for (few_bodies, few_heads), (all_bodies, all_heads) in zip(few, exact, strict=True):
        assert few_heads <= few_bodies <= min(5, all_bodies)
        assert few_heads <= all_heads
        assert few_bodies - few_heads <= all_bodies - all_heads
    assert many == exact


def with_marks(world: World) -> tuple[World, dict[int, Ends]]:
    """A world with a separate head relation for each (first entity, last entity, time).

    The head holds between the two just after that time: it follows all bodies between them that end no later.
    """
    marks: dict[int, Ends] = {}
    facts: set[Edge] = set(world.facts)
    last = max(t for *_, t in world.facts)
    pairs = [(a, b) for a in range(world.n_entities) for b in range(world.n_entities)]
    n_base = world.n_base + len(pairs) * (last + 1)
    for a, b in pairs:
        for time in range(last + 1):
            relation = world.n_base + len(marks)
            marks[relation] = (a, b, time)
            facts.add((a, relation, b, time + 1))
    return World(frozenset(facts), world.n_entities, n_base), marks


def renumbered(body: Body, old: World, new: World) -> Body:
    """The same body in a world with more relations, where inverses have other ids."""
    relations, variables = body
    return tuple(r if r < old.n_base else r - old.n_base + new.n_base for r in relations), variables


@pytest.mark.parametrize("body", BODIES)
def test_one_sample_follows_the_exact_distribution(body: Body) -> None:
    """One sampled body per seed, for many seeds; the heads show its first and last entity and its time."""
    world = random_world(seed=len(body[0]), n_entities=3, n_facts=36, last=5)
    marked, marks = with_marks(world)
    exact: dict[Ends | None, float] = defaultdict(float)
    for found, probability in naive.body_distribution(world.facts, world.n_base, *body).items():
        ends = None if found is None else (found[0][0], found[-1][2], found[-1][3])
        exact[ends] += probability
    observed: Counter[Ends | None] = Counter()
    rules = Supports(marked, list(marks), renumbered(body, world, marked))
    for seed in range(5_000):
        followed = [mark for mark, (_, n) in zip(marks.values(), rules.count(1, seed), strict=True) if n]
        observed[min(followed, key=lambda mark: mark[2], default=None)] += 1
    possible = {ends: probability for ends, probability in exact.items() if probability > 1e-12}
    assert len(possible) > 3
    assert p_value(observed, possible) > SIGNIFICANCE


@pytest.mark.parametrize("body", BODIES)
def test_samples_of_one_seed_are_independent(body: Body) -> None:
    """20 samples contain as many distinct bodies, on average over seeds, as independent samples do."""
    world = random_world(seed=7, n_facts=30)
    bodies = naive.body_distribution(world.facts, world.n_base, *body)
    expected = math.fsum(1 - (1 - p) ** 20 for found, p in bodies.items() if found is not None)
    rules = Supports(world, [0], body)
    counts = [rules.count(20, seed)[0][0] for seed in range(2_000)]
    assert expected > 1
    assert abs(np.mean(counts) - expected) < 4 * np.std(counts) / math.sqrt(len(counts))


def test_confidence_is_the_share_of_bodies_that_the_head_follows() -> None:
    """Bodies of one atom are sampled uniformly, so the estimate is close to the exact confidence."""
    random = np.random.default_rng(3)
    times = random.integers(0, 100, 5_000).tolist()
    pairs = random.integers(0, 60, (5_000, 2)).tolist()
    world = World(frozenset((s, i % 2, o, t) for i, ((s, o), t) in enumerate(zip(pairs, times, strict=True))), 60, 2)
    newest: dict[tuple[int, int], int] = {}
    for s, r, o, t in world.facts:
        if r == 1:
            newest[s, o] = max(newest.get((s, o), t), t)
    bodies = [fact for fact in world.facts if fact[1] == 0]
    share = sum(newest.get((s, o), -1) > t for s, _, o, t in bodies) / len(bodies)
    rules = Supports(world, [1], ((0,), (0, 1)))
    supports = np.array([rules.count(500, seed)[0] for seed in range(200)])
    confidence = supports[:, 1] / supports[:, 0]
    assert abs(confidence.mean() - share) < 4 * math.sqrt(share * (1 - share) / supports[:, 0].sum())


def test_rules_that_share_a_body_share_its_samples() -> None:
    world = random_world(seed=2)
    body = ((0, 1), (0, 1, 2))
    together = Supports(world, range(world.n_relations), body).count(10, 1)
    assert together == [Supports(world, [head], body).count(10, 1)[0] for head in range(world.n_relations)]


def test_supports_do_not_depend_on_the_other_rules() -> None:
    """Rules with different bodies in one call get the same supports as alone."""
    world = random_world(seed=4)
    rules = [
        (0, ((0, 1), (0, 1, 2))),
        (1, ((0, 1), (0, 1, 2))),
        (1, ((0, 1), (0, 1, 0))),
        (1, ((1, 1), (0, 1, 0))),
    ]
    heads = np.array([head for head, _ in rules], np.int32)
    relations, variables = (np.array([body[i] for _, body in rules], np.int32) for i in range(2))
    counted = count_sampled_supports(training_edges(world), heads, relations, variables, 10, 1)
    assert [tuple(row) for row in counted.tolist()] == [
        Supports(world, [head], body).count(10, 1)[0] for head, body in rules
    ]


def test_ids_beyond_sixteen_bits_and_pairs_beyond_thirty_two() -> None:
    small = random_world(seed=1)
    n_entities, n_base = 70_000, 16_000
    facts = shifted(small.facts, n_entities - small.n_entities, n_base - small.n_base)
    world = World(facts, n_entities, n_base)
    heads = [n_base - 1, n_base - 2, 2 * n_base - 1, 2 * n_base - 2]
    for variables in [(0, 1, 2), (0, 1, 0)]:
        body = ((n_base - 1, 2 * n_base - 1), variables)
        bodies = possible_bodies(world, body)
        assert bodies
        exact = [naive.supports(world.facts, n_base, head, bodies) for head in heads]
        assert Supports(world, heads, body).count(20_000, 0) == exact
