"""Learning from the edges before a time equals learning from a graph without later facts."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learning.sampling import training_edges, walk_index
from tests.strategies import LAST_TIME, World, worlds
from tlogic.learning.sampled_support import sample_supports
from tlogic.learning.training_edges import count_edges, nth_edge
from tlogic.learning.walks import WalkSettings, sample_rules


def before(world: World, until: int) -> World:
    return World(frozenset(fact for fact in world.facts if fact[3] < until), world.n_entities, world.n_base)


@settings(deadline=None, max_examples=100)
@given(worlds(), st.integers(0, LAST_TIME + 1))
def test_edges_of_relations_are_those_before_the_time(world: World, until: int) -> None:
    training, alone = training_edges(world, until), training_edges(before(world, until))
    for relation in range(world.n_relations):
        n_edges = count_edges(training.relations, relation)
        assert n_edges == count_edges(alone.relations, relation)
        for number in range(n_edges):
            (edge, source), (same, source_there) = (
                nth_edge(training, relation, number),
                nth_edge(alone, relation, number),
            )
            assert source == source_there
            assert training.slots.target[edge] == alone.slots.target[same]
            assert training.slots.time[edge] == alone.slots.time[same] < until


@settings(deadline=None, max_examples=100)
@given(worlds(), st.integers(0, LAST_TIME + 1), st.integers(1, 3), st.booleans(), st.integers(0, 2**40))
def test_nothing_later_changes_rules_or_supports(
    world: World, until: int, length: int, exponential: bool, seed: int
) -> None:
    alone, heads = before(world, until), np.arange(world.n_relations)
    how = WalkSettings(length, 20, exponential, seed)
    rules = sample_rules(walk_index(world, until), how, heads)
    assert rules.tolist() == sample_rules(walk_index(alone), how, heads).tolist()
    rules = np.ascontiguousarray(rules[np.lexsort(rules.T[::-1])])
    supports = sample_supports(training_edges(world, until), rules, 20, seed)
    assert supports.tolist() == sample_supports(training_edges(alone), rules, 20, seed).tolist()
