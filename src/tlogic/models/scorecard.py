"""The scorecard: each bin of each kind of evidence has a weight, and a score is the sum of weights.

The weights minimise the negative log-likelihood of the answers of past queries, each against the candidates that are
not answers, with penalties on large weights and on differences between neighbouring bins. The problem is convex.
"""

from functools import partial

import numpy as np

from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.models.bins import N_BINS
from tlogic.models.optimiser import minimise_in_stages
from tlogic.models.softmax import Examples, n_per_bin, softmax_loss

_L2_PENALTY = 3.0
_ROUGHNESS_PENALTY = 2000.0  # on squared differences between the weights of neighbouring bins
_STAGES = ((16, 60), (4, 20), (1, 8))  # every n-th query is used, and the largest number of iterations
_STAGES_OF_FEW = ((1, 50),)
_MIN_QUERIES = 20_000  # with fewer, a part of them says too little about the rest


def learn_weights(examples: Examples, sizes: Ints, threads: int | None = None) -> Floats:
    """Learn the weights of each column's bins, given the number of bins of each column."""
    shape = len(sizes), N_BINS + 1
    neighbours = (np.arange(1, N_BINS + 1) > 1) & (np.arange(1, N_BINS + 1) < sizes[:, None])
    stages = _STAGES if len(examples.start) > _MIN_QUERIES else _STAGES_OF_FEW
    base = np.zeros(len(examples.bins))
    losses = [(partial(_loss, examples, base, n, neighbours, threads), most) for n, most in stages]
    found = minimise_in_stages(losses, np.zeros(shape))
    n = n_per_bin(examples.bins, N_BINS + 1)
    found -= (found * n).sum(axis=1, keepdims=True) / len(examples.bins)  # relative to the average candidate
    return np.where(n > 0, found, 0.0)


def _loss(
    examples: Examples, base: Floats, n: int, neighbours: Bools, threads: int | None, weight: Floats
) -> tuple[float, Floats]:
    """The loss with its penalties, and its gradient."""
    loss, gradient = softmax_loss(examples, base, n, threads, weight)
    rough = np.diff(weight, axis=1) * neighbours
    loss += _L2_PENALTY / 2 * float((weight**2).sum()) + _ROUGHNESS_PENALTY / 2 * float((rough**2).sum())
    gradient += _L2_PENALTY * weight
    gradient[:, 1:] += _ROUGHNESS_PENALTY * rough
    gradient[:, :-1] -= _ROUGHNESS_PENALTY * rough
    return loss, gradient
