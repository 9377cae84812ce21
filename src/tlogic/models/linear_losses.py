"""Losses of linear models and their gradients, in one pass over the rows.

Plain loops, because the sums of BLAS depend on its number of threads, and its threads keep cores busy while they wait.
"""

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Floats

MAX_LOG_MEAN = 8.0
"""Of a Poisson distribution: larger ones are cut."""


@kernel
def logistic_loss(
    design: Floats, known: Floats, happened: Floats, times: Floats, weight: Floats
) -> tuple[float, Floats]:
    """The negative log-likelihood of log-odds of which a part is known, and its gradient by the weights of the rest.

    Args:
        design: One row per case.
        known: Per case: the known part of its log-odds.
        happened: Per case: 1 if it happened, else 0.
        times: Per case: how often it counts.
        weight: One per column of the design.
    """
    loss, gradient = 0.0, np.zeros(len(weight))
    for i in range(len(design)):
        log_odds = known[i]
        for k in range(len(weight)):
            log_odds += design[i, k] * weight[k]
        odds = np.exp(-abs(log_odds))  # of the less probable outcome
        loss += times[i] * (max(log_odds, 0.0) + np.log1p(odds) - happened[i] * log_odds)
        probability = (1.0 if log_odds > 0.0 else odds) / (1.0 + odds)
        error = times[i] * (probability - happened[i])
        for k in range(len(weight)):
            gradient[k] += error * design[i, k]
    return loss, gradient


@kernel
def poisson_loss(design: Floats, n: Floats, times: Floats, weight: Floats) -> tuple[float, Floats]:
    """The negative log-likelihood of numbers with a log-linear mean, up to a constant, and its gradient.

    Args:
        design: One row per case.
        n: Per case: the number.
        times: Per case: how often it counts.
        weight: One per column of the design.
    """
    loss, gradient = 0.0, np.zeros(len(weight))
    for i in range(len(design)):
        log_mean = 0.0
        for k in range(len(weight)):
            log_mean += design[i, k] * weight[k]
        log_mean = min(log_mean, MAX_LOG_MEAN)
        mean = np.exp(log_mean)
        loss += times[i] * (mean - n[i] * log_mean)
        error = times[i] * (mean - n[i])
        for k in range(len(weight)):
            gradient[k] += error * design[i, k]
    return loss, gradient
