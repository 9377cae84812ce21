"""Calibration: probabilities that never fall with the score, and come true as often as they say."""

from itertools import pairwise

import numpy as np
import pytest
from benchmarks import worlds
from hypothesis import given, settings
from hypothesis import strategies as st

import tlogic
from tlogic.evaluation.reliability import Reliability
from tlogic.evidence.answer_history import HISTORY_COLUMNS, MEAN_ANSWERS
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.calibration import Calibration, calibrate, learn_expected_answers, thresholds

Drawn = tuple[Ints, Floats, Ints, Floats]


def drawn(seed: int, n_queries: int) -> Drawn:
    """Queries with scores, answers and histories. Log-odds are the scores on another scale, by the mean of answers."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 40, n_queries)
    start = np.append(0, np.cumsum(sizes))
    scores, history = random.normal(0, 2, start[-1]), np.zeros((n_queries, len(HISTORY_COLUMNS)))
    history[:, MEAN_ANSWERS] = np.log(random.choice([1, 2, 4, 8], n_queries))
    log_odds = 1.4 * scores + np.repeat(2 * history[:, MEAN_ANSWERS] - 5, sizes)
    is_true = (random.random(start[-1]) < 1 / (1 + np.exp(-log_odds))).astype(np.int8)
    return start, scores, is_true, history


def fitted(data: Drawn, n_similar: Floats | None = None) -> Calibration:
    start, _, is_true, history = data
    n_answers = np.array([is_true[first:end].sum() for first, end in pairwise(start)], np.int64)
    expected = learn_expected_answers(history, n_answers)
    return calibrate(expected, *data, np.ones(len(history)) if n_similar is None else n_similar)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 60))
def test_a_threshold_gives_as_many_answers_as_expected(seed: int, n_queries: int) -> None:
    start, scores, _, _ = drawn(seed, n_queries)
    expected = np.random.default_rng(seed).uniform(0.01, 0.95, n_queries) * np.diff(start)
    found = thresholds(start, scores * 10, expected)
    for (first, end), threshold, n in zip(pairwise(start), found, expected, strict=True):
        assert (1 / (1 + np.exp(threshold - 10 * scores[first:end]))).sum() == pytest.approx(n, rel=1e-4)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 60))
def test_probabilities_never_fall_with_the_score(seed: int, n_queries: int) -> None:
    calibration = fitted(drawn(seed, n_queries))
    start, scores, _, history = drawn(seed + 1, 60)
    scores, history = 4 * scores, 5 * history  # farther out than anything that the fit saw
    probabilities = calibration.probabilities(start, scores, history)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    for first, end in pairwise(start):
        order = np.argsort(scores[first:end])
        assert (np.diff(probabilities[first:end][order]) >= 0).all()


def test_probabilities_come_true_as_often_as_they_say() -> None:
    calibration = fitted(drawn(1, 4000))
    start, scores, is_true, history = drawn(2, 4000)
    expected = calibration.expected_answers(start, history)
    found = Reliability.of(start, calibration.probabilities(start, scores, history), is_true, expected)
    groups = found.to_dict()["by_expected_answers"]
    assert len(groups) == 4
    assert [group for group in groups if group["error_by_answers"] > 0.03] == []
    plain = Reliability.of(start, Calibration().probabilities(start, scores, history), is_true, expected)
    assert plain.error_by_answers > 0.1


def test_queries_with_many_answers_have_many_probable_candidates() -> None:
    """Four candidates that are always answers together are all near certain."""
    n_queries = 2000
    start, scores = np.arange(0, 30 * n_queries + 1, 30), np.tile(np.repeat([9.0, 0.0], [4, 26]), n_queries)
    is_true, history = (scores > 0).astype(np.int8), np.zeros((n_queries, len(HISTORY_COLUMNS)))
    history[:, MEAN_ANSWERS] = np.log(4)
    calibration = fitted((start, scores, is_true, history))
    assert calibration.probabilities(start[:2], scores[:30], history[:1])[:4] == pytest.approx(1.0, abs=0.02)


def test_a_query_that_stands_for_others_counts_as_often() -> None:
    """Of five candidates with the same score, all are answers to the one half of the queries, and one to the other."""
    n_queries = 2000
    start, scores = np.arange(0, 20 * n_queries + 1, 20), np.tile(np.repeat([3.0, -3.0], [5, 15]), n_queries)
    is_true = np.tile(np.repeat([1, 0, 1, 0], [5, 15, 1, 19]), n_queries // 2).astype(np.int8)
    history = np.zeros((n_queries, len(HISTORY_COLUMNS)))
    for n_similar, share in ((1.0, 6 / 10), (4.0, 21 / 25)):
        calibration = fitted((start, scores, is_true, history), np.tile([n_similar, 1.0], n_queries // 2))
        found = calibration.probabilities(start[:2], scores[:20], history[:1])
        assert found[:5] == pytest.approx(np.full(5, share), abs=0.03)


def test_without_anything_to_learn_from_one_answer_is_expected() -> None:
    nothing = np.empty((0, len(HISTORY_COLUMNS)))
    expected = learn_expected_answers(nothing, np.empty(0, np.int64))
    none = np.empty(0, np.int8)
    calibration = calibrate(expected, np.zeros(1, np.int64), np.empty(0), none, nothing, np.empty(0))
    start, scores, _, history = drawn(3, 50)
    probabilities = calibration.probabilities(start, scores, history)
    sums = [probabilities[first:end].sum() for first, end in pairwise(start) if end > first + 1]
    assert sums == pytest.approx(np.ones(len(sums)), rel=1e-4)


def test_a_calibration_is_kept_as_it_is() -> None:
    calibration = fitted(drawn(4, 300))
    again = Calibration.from_dict(calibration.to_dict())
    assert all(np.array_equal(one, other) for one, other in zip(calibration, again, strict=True))


def test_a_model_says_how_likely_its_candidates_are(world: TemporalGraph, model: tlogic.Model) -> None:
    """Almost all candidates are wrong and said to be; those that are said to be likely have to count alone."""
    reliability = tlogic.evaluate(world, model).reliability
    assert reliability is not None
    assert reliability.error < 0.01
    n, predicted, n_true = (each[2:] for each in reliability.bins)
    assert n.sum() > 200
    assert predicted.sum() == pytest.approx(n_true.sum(), rel=0.2)
    assert reliability.error_by_answers < 0.1


def test_regular_data_with_many_answers_is_calibrated() -> None:
    """Banks control the same instruments every week, or most weeks; histories grow longer with every week."""
    graph = worlds.weekly(2)
    reliability = tlogic.evaluate(graph, tlogic.fit(graph)).reliability
    assert reliability is not None
    assert reliability.error_by_answers < 0.02
    n, predicted, n_true = (each[-1] for each in reliability.bins)  # of 95% and more
    assert n > 500
    assert n_true / n > predicted / n - 0.02
