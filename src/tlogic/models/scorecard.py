"""The scorecard: each bin of each kind of evidence has a weight, and a score is the sum of weights.

Weights are those under which the answers of past queries were most likely, each against the candidates that were none,
while the weights of neighbouring bins differ little. There is one best such scorecard, and it is found by descent.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.models.bins import N_BINS
from tlogic.models.optimiser import minimise
from tlogic.parallel import in_parallel

_SHRINK = 3.0
_SMOOTH = 2000.0
_STEPS = 50
_N_CHUNKS = 16  # a fixed number, so that sums are the same with any number of threads
_NEGLIGIBLE = 1e-5


class Examples(NamedTuple):
    """Queries to learn from: the bins of their candidates' evidence, and which candidates were right."""

    start: Ints
    bins: Ints
    right: Ints


def learn_weights(examples: Examples, sizes: Ints, threads: int | None = None) -> Floats:
    """The weights of each column's bins, of which there are as many as its size."""
    shape = len(sizes), N_BINS + 1
    neighbours = (np.arange(1, N_BINS + 1) > 1) & (np.arange(1, N_BINS + 1) < sizes[:, None])
    found = minimise(partial(_loss, examples, neighbours, threads), np.zeros(shape), _STEPS)
    for column, bins in enumerate(examples.bins.T):
        found[column] -= found[column, bins].mean()  # so that a weight is for or against, compared with what is usual
        found[column, np.setdiff1d(np.arange(N_BINS + 1), bins)] = 0.0  # nothing is known of bins that never occurred
    return found


@njit(cache=True, nogil=True)
def scores_of(weight: Floats, bins: Ints) -> Floats:
    """The sum of weights of each candidate."""
    scores = np.zeros(len(bins))
    for row in range(bins.shape[0]):
        for column in range(bins.shape[1]):
            scores[row] += weight[column, bins[row, column]]
    return scores


def _loss(examples: Examples, neighbours: Bools, threads: int | None, weight: Floats) -> tuple[float, Floats]:
    """How unlikely the answers are and how rough the weights, and how that changes with each weight."""
    chunks = np.array_split(np.arange(len(examples.start) - 1), _N_CHUNKS)
    loss, slope = 0.0, np.zeros_like(weight)
    for part, change in in_parallel(lambda: partial(_loss_of_answers, examples, weight), chunks, threads):
        loss += part
        slope += change
    rough = np.diff(weight, axis=1) * neighbours
    loss += _SHRINK / 2 * float((weight**2).sum()) + _SMOOTH / 2 * float((rough**2).sum())
    slope += _SHRINK * weight
    slope[:, 1:] += _SMOOTH * rough
    slope[:, :-1] -= _SMOOTH * rough
    return loss, slope


@njit(cache=True, nogil=True)
def _loss_of_answers(examples: Examples, weight: Floats, queries: Ints) -> tuple[float, Floats]:
    """For each answer, minus the logarithm of its share in the softmax over it and the candidates that were none."""
    start, bins, right = examples
    slope = np.zeros_like(weight)
    loss = 0.0
    for q in queries:
        first, end = start[q], start[q + 1]
        scores = scores_of(weight, bins[first:end])
        raised = np.exp(scores - scores.max())
        wrong = raised[right[first:end] == 0].sum()
        pull = 0.0
        for i in range(end - first):
            if right[first + i]:
                all_of_it = raised[i] + wrong
                loss += np.log(all_of_it) - np.log(raised[i])
                pull += 1.0 / all_of_it
                _add(slope, bins[first + i], raised[i] / all_of_it - 1.0)
        for i in range(end - first):
            if not right[first + i] and raised[i] * pull > _NEGLIGIBLE:
                _add(slope, bins[first + i], raised[i] * pull)
    return loss, slope


@njit(cache=True, nogil=True)
def _add(slope: Floats, bins: Ints, change: float) -> None:
    for column in range(len(bins)):
        slope[column, bins[column]] += change
