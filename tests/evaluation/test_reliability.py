"""Reliability equals its definition, as a whole and in groups of queries."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tlogic.evaluation.reliability import GROUPS, Reliability
from tlogic.graph.arrays import Floats, Ints

Candidate = tuple[float, int]
"""A probability, and 1 for an answer."""


def drawn(seed: int, n_queries: int) -> tuple[Ints, Floats, Ints, Floats]:
    """Queries with candidates whose answers are drawn by other probabilities than those that are predicted."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 30, n_queries)
    start = np.append(0, np.cumsum(sizes))
    probability = random.beta(0.4, 2, start[-1]) if seed % 5 else np.zeros(start[-1])
    is_true = (random.random(start[-1]) < np.minimum(probability * random.choice([0.5, 1.0, 2.0]), 1)).astype(np.int8)
    return start, probability, is_true, random.choice([0.3, 1.0, 1.5, 2.0, 4.0, 5.0, 9.0], n_queries)


def naive_errors(candidates: list[Candidate]) -> tuple[float, float]:
    """The error weighted by answers, and its mean by chance: bins are made of all candidates, two hundredths first."""
    n_answers = sum(answer for _, answer in candidates)
    if not n_answers:
        return 0.0, 0.0
    n_bins = min(max(n_answers // 100, 1), 10)
    bins: dict[int, list[Candidate]] = {}
    seen = 0
    for fine in range(200):
        own = [one for one in candidates if min(int(one[0] * 200), 199) == fine]
        n_own = sum(answer for _, answer in own)
        bins.setdefault(min(int((seen + n_own / 2) / n_answers * n_bins), n_bins - 1), []).extend(own)
        seen += n_own
    error = by_chance = 0.0
    for own in (each for each in bins.values() if each):
        n_own = sum(answer for _, answer in own)
        difference = abs(sum(p for p, _ in own) - n_own) / len(own)
        deviation = (2 / np.pi * sum(p * (1 - p) for p, _ in own)) ** 0.5 / len(own)
        error, by_chance = error + n_own / n_answers * difference, by_chance + n_own / n_answers * deviation
    return error, by_chance


def group_of(expected: float) -> str:
    return GROUPS[0] if expected <= 1 else GROUPS[1] if expected <= 2 else GROUPS[2] if expected <= 5 else GROUPS[3]


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(0, 300))
def test_errors_are_those_of_their_definition(seed: int, n_queries: int) -> None:
    start, probability, is_true, expected = drawn(seed, n_queries)
    found = Reliability.of(start, probability, is_true, expected)
    candidates = list(zip(probability.tolist(), is_true.tolist(), strict=True))
    assert found.error_by_answers == pytest.approx(naive_errors(candidates)[0])
    groups: dict[str, list[list[Candidate]]] = {}
    for (first, end), each in zip(pairwise(start.tolist()), expected.tolist(), strict=True):
        groups.setdefault(group_of(each), []).append(candidates[first:end])
    told = {each["expected_answers"]: each for each in found.to_dict()["by_expected_answers"]}
    assert told.keys() == groups.keys()
    for name, queries in groups.items():
        own = [candidate for query in queries for candidate in query]
        error, by_chance = naive_errors(own)
        assert (told[name]["queries"], told[name]["answers"]) == (len(queries), sum(answer for _, answer in own))
        assert told[name]["error_by_answers"] == pytest.approx(error)
        assert told[name]["error_by_chance"] == pytest.approx(by_chance)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(0, 60))
def test_parts_add_up_to_the_whole(seed: int, n_queries: int, cut: int) -> None:
    start, probability, is_true, expected = drawn(seed, n_queries)
    cut = min(cut, n_queries)
    at = start[cut]
    first = Reliability.of(start[: cut + 1], probability[:at], is_true[:at], expected[:cut])
    second = Reliability.of(start[cut:] - at, probability[at:], is_true[at:], expected[cut:])
    for one, other in zip(first.plus(second), Reliability.of(start, probability, is_true, expected), strict=True):
        assert one == pytest.approx(other)


def test_right_probabilities_err_by_chance_alone() -> None:
    random = np.random.default_rng(3)
    start = np.arange(0, 40_001, 4)
    probability = random.beta(0.5, 2, 40_000)
    is_true = (random.random(40_000) < probability).astype(np.int8)
    [group] = Reliability.of(start, probability, is_true, np.ones(10_000)).to_dict()["by_expected_answers"]
    assert group["error_by_answers"] == pytest.approx(group["error_by_chance"], rel=0.6)
    too_low = Reliability.of(start, probability * 0.8, is_true, np.ones(10_000))
    assert too_low.error_by_answers > 8 * group["error_by_chance"]


def test_bins_of_equal_width_give_the_calibration_error() -> None:
    probability, is_true = np.array([0.0, 0.02, 0.51, 1.0, 0.54]), np.array([0, 0, 1, 1, 0])
    found = Reliability.of(np.array([0, 2, 5]), probability, is_true, np.array([1.0, 3.0]))
    n, _, n_true = found.bins
    assert n.tolist() == [2] + 9 * [0] + [2] + 8 * [0] + [1]
    assert n_true.sum() == 2
    assert found.error == pytest.approx((0.02 + 0.05 + 0) / 5)
    told = found.to_dict()
    assert told["error"] == found.error
    assert told["bins"][1] == {"candidates": 2, "said": pytest.approx(0.525), "came_true": 0.5}
    assert Reliability.of(np.zeros(1, np.int64), np.empty(0), np.empty(0, np.int8), np.empty(0)).error == 0
