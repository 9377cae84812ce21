"""Comparison of samples with exact probabilities, for tests."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np
from numba import njit
from scipy.stats import chisquare

from tests.strategies import World
from tlogic.graph.arrays import Bools, Ints
from tlogic.learning.training_edges import TrainingEdges, edges_before
from tlogic.learning.walks import WalkIndex, WalkSettings, sample_walk

MINIMUM_EXPECTED = 5.0

Outcome = TypeVar("Outcome", bound=Hashable)


def training_edges(world: World, until: int | None = None) -> TrainingEdges:
    """The edges of a world before a time, by default all."""
    until = world.end if until is None else until
    return edges_before(until, world.triples(), world.views(until), world.n_relations)


def walk_index(world: World, until: int | None = None) -> WalkIndex:
    views = world.views(until)
    return WalkIndex(training_edges(world, until), world.in_order(), views.sources, views.pairs, world.n_base)


@njit(cache=True)
def many_walks(index: WalkIndex, settings: WalkSettings, head: int) -> tuple[Ints, Ints, Bools]:
    """Body relations and entities of all walks of a head, and which of them closed; compiled, to sample thousands."""
    body = np.empty((settings.n_walks, settings.length), np.int32)
    entities = np.empty((settings.n_walks, settings.length + 1), np.int32)
    found = np.empty(settings.n_walks, np.bool_)
    for walk in range(settings.n_walks):
        found[walk] = sample_walk(index, settings, head, walk, body[walk], entities[walk])
    return body, entities, found


def p_value(observed: Counter[Outcome], exact: Mapping[Outcome, float]) -> float:
    """The p-value of a chi-square test against exact probabilities; 0 if the sample has an impossible outcome.

    Outcomes too rare for the chi-square test are pooled, with others if they are too rare even together.
    """
    if any(exact.get(outcome, 0.0) <= 0.0 for outcome in observed):
        return 0.0
    total = observed.total()
    bins: list[tuple[int, float]] = []
    pooled_count, pooled_expected = 0, 0.0
    for outcome, probability in sorted(exact.items(), key=lambda item: item[1]):
        pooled_count, pooled_expected = (
            pooled_count + observed[outcome],
            pooled_expected + total * probability,
        )
        if pooled_expected >= MINIMUM_EXPECTED:
            bins.append((pooled_count, pooled_expected))
            pooled_count, pooled_expected = 0, 0.0
    counts, expected = [count for count, _ in bins], [value for _, value in bins]
    counts[-1] += pooled_count
    expected[-1] += pooled_expected
    if len(bins) == 1:
        return 1.0
    scale = sum(counts) / sum(expected)  # the probabilities add up to 1 only within rounding
    return float(chisquare(counts, [value * scale for value in expected]).pvalue)
