"""The scorecard: bins, the sum of weights, and weights that are the best ones for what is learned from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tlogic.graph.arrays import Floats, Ints
from tlogic.models.bins import N_BINS, Bins
from tlogic.models.optimiser import minimise
from tlogic.models.scorecard import learn_weights
from tlogic.models.softmax import Examples, scores_of

L2_PENALTY, ROUGHNESS_PENALTY = 3.0, 2000.0


def test_bins_hold_about_as_many_each() -> None:
    evidence = np.random.default_rng(1).normal(size=(2400, 2)).astype(np.float32)
    evidence[::3, 1] = np.nan
    bins = Bins.cut(evidence)
    assert bins.sizes.tolist() == [N_BINS + 1] * 2
    found = bins.of(evidence)
    assert np.ptp(np.bincount(found[:, 0])[1:]) <= 2
    assert (found[:, 1] == 0).sum() == 800


@settings(max_examples=60)
@given(st.lists(st.floats(-10, 10, width=16) | st.just(np.nan), min_size=1, max_size=40), st.data())
def test_a_bin_is_one_more_than_the_edges_below(values: list[float], data: st.DataObject) -> None:
    bins = Bins.cut(np.array(values, np.float32)[:, None])
    asked = np.array(data.draw(st.lists(st.floats(-12, 12, width=32) | st.just(np.nan), min_size=1)), np.float32)
    expected = [0 if np.isnan(value) else 1 + sum(edge < value for edge in bins.edge) for value in asked]
    assert bins.of(asked[:, None])[:, 0].tolist() == expected
    assert max(expected) < bins.sizes[0]


def test_columns_that_say_nothing_or_always_the_same_are_no_trouble() -> None:
    evidence = np.array([[np.nan, 7.0]] * 5, np.float32)
    bins = Bins.cut(evidence)
    assert bins.sizes.tolist() == [2, 2]
    assert bins.of(evidence).tolist() == [[0, 1]] * 5


def test_scores_are_sums_of_weights() -> None:
    random = np.random.default_rng(0)
    bins, weight = random.integers(0, 25, (30, 4)).astype(np.uint8), random.normal(size=(4, 25))
    by_hand = [sum(weight[column, bins[row, column]] for column in range(4)) for row in range(30)]
    assert scores_of(weight, bins) == pytest.approx(by_hand)


def some_examples(n_queries: int = 150, n_columns: int = 2) -> tuple[Examples, Ints]:
    """Queries of several sizes, some with two answers and one with none; the first column tells answers apart."""
    random = np.random.default_rng(5)
    sizes = random.integers(2, 7, n_queries)
    start = np.append(0, np.cumsum(sizes))
    is_true = np.zeros(start[-1], np.int8)
    is_true[start[1:-1]] = 1
    is_true[start[1:-1:3] + 1] = 1
    evidence = random.normal(size=(len(is_true), n_columns)).astype(np.float32)
    evidence[:, 0] += 2 * is_true
    evidence[::11, 0] = np.nan
    bins = Bins.cut(evidence)
    return Examples(start, bins.of(evidence), is_true), bins.sizes


def loss_of(examples: Examples, sizes: Ints, flat: Floats) -> float:
    """By its definition: the answers' unlikeliness, each against the candidates that are none, and rough weights."""
    weight = flat.reshape(len(sizes), N_BINS + 1)
    scores = weight[np.arange(len(sizes)), examples.bins].sum(axis=1)
    loss = L2_PENALTY / 2 * (weight**2).sum()
    for column, size in enumerate(sizes.tolist()):
        loss += ROUGHNESS_PENALTY / 2 * (np.diff(weight[column, 1:size]) ** 2).sum()
    raised, is_true = np.exp(scores), examples.is_true == 1
    wrong = np.add.reduceat(np.where(is_true, 0, raised), examples.start[:-1])
    against = np.repeat(wrong, np.diff(examples.start))
    return float(loss + (np.log(raised + against) - scores)[is_true].sum())


def test_weights_are_as_good_as_any() -> None:
    examples, sizes = some_examples()
    weight = learn_weights(examples, sizes)
    best = minimize(lambda flat: loss_of(examples, sizes, flat), np.zeros(weight.size), method="L-BFGS-B")
    centred = best.x.reshape(weight.shape).copy()
    for column, bins in enumerate(examples.bins.T):
        centred[column] -= centred[column, bins].mean()
        assert weight[column, bins].mean() == pytest.approx(0, abs=1e-9)
    used = np.arange(N_BINS + 1) < sizes[:, None]
    assert weight[used] == pytest.approx(centred[used], abs=0.02 * np.ptp(centred))


def test_threads_do_not_change_one_bit_of_the_weights() -> None:
    examples, sizes = some_examples()
    assert learn_weights(examples, sizes, 1).tobytes() == learn_weights(examples, sizes, 2).tobytes()


def test_weights_learn_what_tells_answers_from_others() -> None:
    random = np.random.default_rng(5)
    is_true = np.tile([1, 0, 0, 0], 500).astype(np.int8)
    told = np.where(is_true == 1, random.normal(1, 1, 2000), random.normal(-1, 1, 2000))
    evidence = np.stack([told, random.normal(size=2000)], axis=1).astype(np.float32)
    bins = Bins.cut(evidence)
    weight = learn_weights(Examples(np.arange(0, 2001, 4), bins.of(evidence), is_true), bins.sizes)
    assert np.corrcoef(np.arange(1, 25), weight[0, 1:25])[0, 1] > 0.9
    assert np.ptp(weight[0, 1:]) > 3 * np.ptp(weight[1, 1:])


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 12))
def test_optimiser_ends_where_scipy_does(seed: int, n: int) -> None:
    """On random convex functions: a quadratic form and a logarithm of a sum of exponentials."""
    random = np.random.default_rng(seed)
    root, shift, directions = random.normal(size=(n, n)), random.normal(size=n), random.normal(size=(2 * n, n))

    def function(point: Floats) -> tuple[float, Floats]:
        far, raised = point - shift, np.exp(directions @ point)
        value = 0.5 * ((root @ far) ** 2).sum() + 0.05 * (far**2).sum() + np.log1p(raised.sum())
        return float(value), root.T @ (root @ far) + 0.1 * far + directions.T @ raised / (1 + raised.sum())

    best = minimize(function, np.zeros(n), jac=True, method="BFGS")
    found, _ = function(minimise(function, np.zeros(n), 200))
    assert found - best.fun <= 1e-4 * abs(best.fun)


def test_optimiser_stays_where_nothing_is_lower() -> None:
    assert minimise(lambda x: (0.0, np.zeros_like(x)), np.ones(3), 10).tolist() == [1, 1, 1]
