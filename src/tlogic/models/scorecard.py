"""The scorecard: each kind of evidence is cut into bins, each bin has a weight, and a score is the sum of weights."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Floats, Ints

N_BINS = 24
_STEP = 0.03
_SHRINK = 1e-5
_NEGLIGIBLE = 1e-4


class Scorecard(NamedTuple):
    """Per column of evidence: the edges of its bins, and their weights; bin 0 is for evidence that is not there."""

    edge_start: Ints
    edge: Floats
    weight: Floats
    """Per column and bin."""


class Examples(NamedTuple):
    """Queries to learn from: the bins of their candidates' evidence, and which candidates were right."""

    start: Ints
    bins: Ints
    right: Ints


def cut_into_bins(evidence: Floats) -> tuple[Ints, Floats]:
    """Edges at the quantiles of each column, where they differ: the start of each column's edges, and the edges."""
    edges = []
    for column in evidence.T:
        there = column[~np.isnan(column)]
        quantiles = np.quantile(there, np.linspace(0, 1, N_BINS + 1)[1:-1]) if len(there) else np.empty(0)
        edges.append(np.unique(quantiles.astype(np.float32)))
    return np.append(0, np.cumsum([len(each) for each in edges])), np.concatenate(edges)


@njit(cache=True, nogil=True)
def bins_of(edge_start: Ints, edge: Floats, evidence: Floats) -> Ints:
    """The bin of each piece of evidence: 0 where there is none, else one more than the edges below it."""
    bins = np.zeros(evidence.shape, np.uint8)
    for row in range(evidence.shape[0]):
        for column in range(evidence.shape[1]):
            value = evidence[row, column]
            if not np.isnan(value):
                own = edge[edge_start[column] : edge_start[column + 1]]
                bins[row, column] = 1 + np.searchsorted(own, value)
    return bins


@njit(cache=True, nogil=True)
def scores_of(weight: Floats, bins: Ints) -> Floats:
    """The sum of weights of each candidate."""
    scores = np.zeros(len(bins))
    for row in range(bins.shape[0]):
        for column in range(bins.shape[1]):
            scores[row] += weight[column, bins[row, column]]
    return scores


def learn_weights(examples: Examples, epochs: int, seed: int) -> Floats:
    """Weights that raise answers above the candidates that were none, by gradient steps in random order of queries."""
    n_columns = examples.bins.shape[1]
    weight, squares = np.zeros((2, n_columns, N_BINS + 1))
    random = np.random.default_rng(seed)
    for _ in range(epochs):
        _learn_once(examples, random.permutation(len(examples.start) - 1), weight, squares)
    for column, bins in enumerate(examples.bins.T):
        weight[column] -= weight[column, bins].mean()  # so that a weight is for or against, compared with what is usual
    return weight


@njit(cache=True, nogil=True)
def _learn_once(examples: Examples, order: Ints, weight: Floats, squares: Floats) -> None:
    """One pass: for each answer the softmax over it and the candidates that were no answers."""
    start, bins, right = examples
    for q in order:
        first, end = start[q], start[q + 1]
        scores = scores_of(weight, bins[first:end])
        raised = np.exp(scores - scores.max())
        wrong = raised[right[first:end] == 0].sum()
        pull = 0.0
        for i in range(end - first):
            if right[first + i]:
                pull += 1.0 / (raised[i] + wrong)
                _step(weight, squares, bins[first + i], raised[i] / (raised[i] + wrong) - 1.0)
        for i in range(end - first):
            if not right[first + i] and raised[i] * pull > _NEGLIGIBLE:
                _step(weight, squares, bins[first + i], raised[i] * pull)


@njit(cache=True, nogil=True)
def _step(weight: Floats, squares: Floats, bins: Ints, gradient: float) -> None:
    """Adagrad: a weight moves the less the more it has moved."""
    for column in range(len(bins)):
        place = bins[column]
        slope = gradient + _SHRINK * weight[column, place]
        squares[column, place] += slope * slope
        weight[column, place] -= _STEP * slope / np.sqrt(squares[column, place] + 1e-8)
