"""Calibration: probabilities that never fall with the score, and come true as often as they say."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tlogic
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.calibration import Reliability, calibrate, log_shares


def drawn(seed: int, n_queries: int) -> tuple[Ints, Floats, Ints]:
    """Queries with scores, whose answers are drawn from the softmax of another scale, so that shares are off."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 9, n_queries)
    start = np.append(0, np.cumsum(sizes))
    scores, is_true = random.normal(0, 2, start[-1]), np.zeros(start[-1], np.int8)
    for first, end in pairwise(start):
        if first < end:
            chances = np.exp(scores[first:end] / 3)
            is_true[random.choice(np.arange(first, end), p=chances / chances.sum())] = 1
    return start, scores, is_true


def test_shares_are_those_of_a_softmax() -> None:
    start, scores, _ = drawn(1, 30)
    shares = log_shares(start, scores + 1000)
    for first, end in pairwise(start):
        raised = np.exp(scores[first:end])
        assert np.exp(shares[first:end]) == pytest.approx(raised / raised.sum())
    assert len(log_shares(np.zeros(3, np.int64), np.empty(0))) == 0


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(0, 60))
def test_probabilities_never_fall_with_the_score(seed: int, n_queries: int) -> None:
    start, scores, is_true = drawn(seed, n_queries)
    probabilities = calibrate(start, scores, is_true).probabilities(start, scores)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    for first, end in pairwise(start):
        order = np.argsort(scores[first:end])
        assert (np.diff(probabilities[first:end][order]) >= 0).all()


def test_probabilities_come_true_as_often_as_they_say() -> None:
    calibration = calibrate(*drawn(1, 4000))
    start, scores, is_true = drawn(2, 4000)
    calibrated = Reliability.of(calibration.probabilities(start, scores), is_true).error
    plain = Reliability.of(np.exp(log_shares(start, scores)), is_true).error
    assert calibrated < 0.02
    assert plain > 0.1


def test_without_answers_a_share_stands_for_itself() -> None:
    start, scores, is_true = drawn(3, 50)
    probabilities = calibrate(start, scores, np.zeros_like(is_true)).probabilities(start, scores)
    assert probabilities == pytest.approx(np.exp(log_shares(start, scores)), abs=0.06)


def test_reliability_counts_by_what_was_said() -> None:
    first = Reliability.of(np.array([0.0, 0.02, 0.51, 1.0]), np.array([0, 0, 1, 1]))
    both = first.plus(Reliability.of(np.array([0.54]), np.array([0])))
    assert both.n.tolist() == [2] + 9 * [0] + [2] + 8 * [0] + [1]
    assert both.n_true.sum() == 2
    assert both.error == pytest.approx((0.02 + 0.05 + 0) / 5)
    told = both.to_dict()
    assert told["error"] == both.error
    assert told["bins"][1] == {"candidates": 2, "said": pytest.approx(0.525), "came_true": 0.5}  # type: ignore[index]
    assert Reliability.of(np.empty(0), np.empty(0, np.int8)).error == 0


def test_a_model_says_how_likely_its_candidates_are(world: TemporalGraph, model: tlogic.Model) -> None:
    """Almost all candidates are wrong and said to be; those that are said to be likely have to count alone."""
    reliability = tlogic.evaluate(world, model).reliability
    assert reliability is not None
    assert reliability.error < 0.01
    likely = Reliability(*(column[2:] for column in reliability))
    assert likely.n.sum() > 200
    assert likely.predicted.sum() == pytest.approx(likely.n_true.sum(), rel=0.2)
    assert likely.error < 0.1
