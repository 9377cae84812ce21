"""The scorecard: each bin of each kind of evidence has a weight, and a score is the sum of weights.

The weights minimise the negative log-likelihood of the answers of past queries, each against the candidates that are
not answers, with penalties on large weights and on differences between neighbouring bins. The problem is convex.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.models.bins import N_BINS
from tlogic.models.optimiser import minimise
from tlogic.parallel import in_parallel

_L2_PENALTY = 3.0
_ROUGHNESS_PENALTY = 2000.0  # on squared differences between the weights of neighbouring bins
_MAX_ITERATIONS = 50  # with a part of the queries, or with all if they are few
_MAX_LAST_ITERATIONS = 10  # with all queries, from there
_PART = 4  # every fourth query is in that part
_MIN_QUERIES = 20_000  # with fewer, a part of them says too little about the rest
_N_CHUNKS = 16  # fixed, so that sums do not depend on the number of threads
_MIN_CONTRIBUTION = 1e-5  # of a candidate to the gradient; smaller ones are skipped


class Examples(NamedTuple):
    """Queries to learn from: the bins of their candidates' evidence, and which candidates are answers."""

    start: Ints
    """Per query: the index of its first candidate."""
    bins: Ints
    is_true: Ints
    """Per candidate: 1 if it is an answer, else 0."""


def learn_weights(examples: Examples, sizes: Ints, threads: int | None = None) -> Floats:
    """Learn the weights of each column's bins, given the number of bins of each column."""
    shape = len(sizes), N_BINS + 1
    neighbours = (np.arange(1, N_BINS + 1) > 1) & (np.arange(1, N_BINS + 1) < sizes[:, None])
    found: Floats = np.zeros(shape)
    n_iterations = _MAX_ITERATIONS
    if len(examples.start) > _MIN_QUERIES:
        part, _ = every_nth(examples, _PART)
        found = minimise(partial(_loss, part, _PART, neighbours, threads), found, _MAX_ITERATIONS)
        n_iterations = _MAX_LAST_ITERATIONS
    found = minimise(partial(_loss, examples, 1, neighbours, threads), found, n_iterations)
    n = _n_per_bin(examples.bins)
    found -= (found * n).sum(axis=1, keepdims=True) / len(examples.bins)  # relative to the average candidate
    return np.where(n > 0, found, 0.0)


@kernel
def _n_per_bin(bins: Ints) -> Ints:
    """Per column and bin: the number of candidates."""
    n = np.zeros((bins.shape[1], N_BINS + 1), np.int64)
    for row in range(bins.shape[0]):
        for column in range(bins.shape[1]):
            n[column, bins[row, column]] += 1
    return n


def every_nth(examples: Examples, n: int) -> tuple[Examples, Bools]:
    """Every n-th query, and which candidates are theirs."""
    sizes = np.diff(examples.start)
    is_chosen = np.arange(len(sizes)) % n == 0
    rows = np.repeat(is_chosen, sizes)
    return Examples(np.append(0, np.cumsum(sizes[is_chosen])), examples.bins[rows], examples.is_true[rows]), rows


@kernel
def scores_of(weight: Floats, bins: Ints) -> Floats:
    """The sum of weights of each candidate."""
    scores = np.zeros(len(bins))
    for row in range(bins.shape[0]):
        for column in range(bins.shape[1]):
            scores[row] += weight[column, bins[row, column]]
    return scores


def _loss(
    examples: Examples, times: int, neighbours: Bools, threads: int | None, weight: Floats
) -> tuple[float, Floats]:
    """The loss, which counts each query several times, with its penalties, and its gradient."""
    chunks = np.array_split(np.arange(len(examples.start) - 1), _N_CHUNKS)
    loss, gradient = 0.0, np.zeros_like(weight)
    single = weight.astype(np.float32)  # so small that it stays in the cache
    for part, change in in_parallel(lambda: partial(_loss_of_answers, examples, single), chunks, threads):
        loss += times * part
        gradient += times * change
    rough = np.diff(weight, axis=1) * neighbours
    loss += _L2_PENALTY / 2 * float((weight**2).sum()) + _ROUGHNESS_PENALTY / 2 * float((rough**2).sum())
    gradient += _L2_PENALTY * weight
    gradient[:, 1:] += _ROUGHNESS_PENALTY * rough
    gradient[:, :-1] -= _ROUGHNESS_PENALTY * rough
    return loss, gradient


@kernel
def _loss_of_answers(examples: Examples, weight: Floats, queries: Ints) -> tuple[float, Floats]:
    """The loss of each answer, minus its log-softmax among itself and the candidates that are no answers; summed."""
    start, bins, is_true = examples
    gradient = np.zeros(weight.shape)
    loss = 0.0
    for q in queries:
        first, end = start[q], start[q + 1]
        scores = scores_of(weight, bins[first:end])
        exponentials = np.exp(scores - scores.max())
        others = exponentials[is_true[first:end] == 0].sum()
        inverse_totals = 0.0
        for i in range(end - first):
            if is_true[first + i]:
                total = exponentials[i] + others
                loss += np.log(total) - np.log(exponentials[i])
                inverse_totals += 1.0 / total
                _add(gradient, bins[first + i], exponentials[i] / total - 1.0)
        for i in range(end - first):
            if not is_true[first + i] and exponentials[i] * inverse_totals > _MIN_CONTRIBUTION:
                _add(gradient, bins[first + i], exponentials[i] * inverse_totals)
    return loss, gradient


@helper
def _add(gradient: Floats, bins: Ints, change: float) -> None:
    for column in range(len(bins)):
        gradient[column, bins[column]] += change
