"""The likelihood of answers: each against the candidates of its query that are not answers (softmax)."""

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Floats, Ints
from tlogic.parallel import in_parallel

Array = TypeVar("Array", Ints, Floats)

_N_CHUNKS = 16  # fixed, so that sums do not depend on the number of threads
_MIN_CONTRIBUTION = 1e-5  # of a candidate to the gradient; smaller ones are skipped


class Examples(NamedTuple):
    """Queries to learn from: the bins of their candidates' evidence, and which candidates are answers."""

    start: Ints
    """Per query: the index of its first candidate."""
    bins: Ints
    """Per candidate and column: a bin of evidence, or a cell of a table."""
    is_true: Ints
    """Per candidate: 1 if it is an answer, else 0."""


def on_parts(function: Callable[[Ints], Array], rows: Ints, threads: int | None) -> Array:
    """The results of a function of rows, computed for parts of the rows by threads."""
    n_parts = min(_N_CHUNKS, max(len(rows), 1))  # none is empty
    results = in_parallel(lambda: function, np.array_split(rows, n_parts), threads)
    first: Array = next(results)
    found: Array = np.empty((len(rows), *first.shape[1:]), first.dtype)
    end = 0
    for part in chain([first], results):  # part by part, as all of them and their copy would take twice the memory
        found[end : end + len(part)] = part
        end += len(part)
    return found


@kernel
def scores_of(weight: Floats, bins: Ints) -> Floats:
    """The sum of weights of each candidate: four sums at a time, because each addition waits for the one before."""
    n, n_columns = bins.shape
    scores = np.zeros(n)
    for row in range(0, n - 3, 4):
        first = second = third = fourth = 0.0
        for column in range(n_columns):
            of_column = weight[column]
            first += of_column[bins[row, column]]
            second += of_column[bins[row + 1, column]]
            third += of_column[bins[row + 2, column]]
            fourth += of_column[bins[row + 3, column]]
        scores[row], scores[row + 1], scores[row + 2], scores[row + 3] = first, second, third, fourth
    for row in range(n - n % 4, n):
        for column in range(n_columns):
            scores[row] += weight[column, bins[row, column]]
    return scores


def softmax_loss(examples: Examples, base: Floats, n: int, threads: int | None, weight: Floats) -> tuple[float, Floats]:
    """The negative log-likelihood of all answers, estimated with every n-th query, and its gradient.

    Args:
        examples: The queries.
        base: Per candidate: the score that weights are added to.
        n: Every n-th query is used, and counts n times.
        threads: How many threads to use. The result does not depend on it.
        weight: The weight of each column and bin.
    """
    chunks = np.array_split(np.arange(0, len(examples.start) - 1, n), _N_CHUNKS)
    loss, gradient = 0.0, np.zeros_like(weight)
    single = weight.astype(np.float32)  # so small that it stays in the cache
    for part, change in in_parallel(lambda: partial(_loss_of_answers, examples, base, single), chunks, threads):
        loss += n * part
        gradient += n * change
    return loss, gradient


@kernel
def _loss_of_answers(examples: Examples, base: Floats, weight: Floats, queries: Ints) -> tuple[float, Floats]:
    """The loss of each answer, minus its log-softmax among itself and the candidates that are no answers; summed."""
    start, bins, is_true = examples
    gradient = np.zeros(weight.shape)
    loss = 0.0
    for q in queries:
        first, end = start[q], start[q + 1]
        scores = base[first:end] + scores_of(weight, bins[first:end])
        exponentials, others = exponentials_of(scores, is_true[first:end])
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
def exponentials_of(scores: Floats, is_true: Ints) -> tuple[Floats, float]:
    """The exponentials of scores, relative to the largest; and their sum over candidates that are no answers."""
    largest = scores[0]
    for score in scores:
        largest = max(largest, score)
    exponentials, others = np.exp(scores - largest), 0.0
    for i in range(len(scores)):
        if not is_true[i]:
            others += exponentials[i]
    return exponentials, others


@helper
def _add(gradient: Floats, bins: Ints, change: float) -> None:
    for column in range(len(bins)):
        gradient[column, bins[column]] += change


@kernel
def n_per_bin(bins: Ints, n_bins: int) -> Ints:
    """Per column and bin: the number of candidates."""
    n = np.zeros((bins.shape[1], n_bins), np.int64)
    for row in range(bins.shape[0]):
        for column in range(bins.shape[1]):
            n[column, bins[row, column]] += 1
    return n
