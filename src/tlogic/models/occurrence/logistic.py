"""Additive logistic regression on bins of evidence: the log-odds are an intercept plus one weight per column."""

from functools import partial
from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.models.bins import N_BINS
from tlogic.models.occurrence.correction import Correction
from tlogic.models.optimiser import minimise_in_stages
from tlogic.models.softmax import scores_of

_L2_PENALTY = 1.0
_ROUGHNESS_PENALTY = 500.0  # on squared differences between the weights of neighbouring bins
_STAGES = ((8, 60), (1, 20))  # every n-th case is used, and the largest number of iterations
_STAGES_OF_FEW = ((1, 60),)
_MIN_CASES = 50_000  # with fewer, a part of them says too little about the rest


class Cases(NamedTuple):
    """Weighted cases to learn from."""

    bins: Ints
    """Per case: the bin of each column."""
    happened: Floats
    """Per case: 1 if the event happened, else 0."""
    weight: Floats
    """Per case: how many cases it stands for."""

    def every_nth(self, n: int) -> "Cases":
        """Every n-th case, which stands for n times as many."""
        return Cases(self.bins[::n].copy(), self.happened[::n].copy(), n * self.weight[::n])


class Logistic(NamedTuple):
    """The log-odds of an event: an intercept, and a weight per column and bin; then corrected."""

    intercept: float
    weight: Floats
    correction: Correction = Correction()

    def log_odds(self, bins: Ints) -> Floats:
        """The corrected log-odds of each row."""
        return self.correction.of(self.intercept + scores_of(self.weight, bins))

    def contributions(self, bins: Ints) -> tuple[float, Floats]:
        """The log-odds without evidence, and what each column of one row adds to them. Both are corrected.

        The correction changes all contributions in proportion.
        """
        own = self.weight[np.arange(len(bins)), bins]
        base, end = self.correction.of(np.array([self.intercept, self.intercept + own.sum()])).tolist()
        return base, own * ((end - base) / own.sum() if own.sum() else 1.0)


def fit_logistic(cases: Cases, sizes: Ints) -> Logistic:
    """The maximum of the penalised likelihood, given the number of bins of each column. The problem is convex."""
    neighbours = (np.arange(1, N_BINS + 1) > 1) & (np.arange(1, N_BINS + 1) < sizes[:, None])
    start = np.zeros((len(sizes) + 1, N_BINS + 1))  # the last row holds the intercept
    n_happened, n = float((cases.weight * cases.happened).sum()), float(cases.weight.sum())
    if not 0.0 < n_happened < n:  # all or none happened, which few cases do not prove to be so always
        return Logistic(float(np.log((n_happened + 0.5) / (n - n_happened + 0.5))), start[:-1])
    start[-1, 0] = np.log(n_happened / (n - n_happened))
    stages = _STAGES if len(cases.bins) > _MIN_CASES else _STAGES_OF_FEW
    losses = ((partial(_penalised_loss, cases.every_nth(n), neighbours), most) for n, most in stages)
    found = minimise_in_stages(losses, start)
    in_bin = _weight_per_bin(cases.bins, cases.weight)
    means = (found[:-1] * in_bin).sum(axis=1, keepdims=True) / n
    weight = np.where(in_bin > 0, found[:-1] - means, 0.0)  # relative to the average case
    return Logistic(float(found[-1, 0] + means.sum()), weight)


def _penalised_loss(cases: Cases, neighbours: Bools, point: Floats) -> tuple[float, Floats]:
    loss, gradient = _loss(cases, point)
    weight = point[:-1]
    rough = np.diff(weight, axis=1) * neighbours
    loss += _L2_PENALTY / 2 * float((weight**2).sum()) + _ROUGHNESS_PENALTY / 2 * float((rough**2).sum())
    gradient[:-1] += _L2_PENALTY * weight
    gradient[:-1, 1:] += _ROUGHNESS_PENALTY * rough
    gradient[:-1, :-1] -= _ROUGHNESS_PENALTY * rough
    return loss, gradient


@kernel
def _loss(cases: Cases, point: Floats) -> tuple[float, Floats]:
    """The negative log-likelihood and its gradient."""
    bins, happened, weight = cases
    last = len(point) - 1
    gradient = np.zeros(point.shape)
    loss = 0.0
    sums = scores_of(point, bins)
    for i in range(len(bins)):
        log_odds = point[last, 0] + sums[i]
        loss += weight[i] * (max(log_odds, 0.0) + np.log1p(np.exp(-abs(log_odds))) - happened[i] * log_odds)
        error = weight[i] * (1.0 / (1.0 + np.exp(-log_odds)) - happened[i])
        gradient[last, 0] += error
        for column in range(last):
            gradient[column, bins[i, column]] += error
    return loss, gradient


@kernel
def _weight_per_bin(bins: Ints, weight: Floats) -> Floats:
    """Per column and bin: the weight of its cases."""
    total = np.zeros((bins.shape[1], N_BINS + 1))
    for i in range(len(bins)):
        for column in range(bins.shape[1]):
            total[column, bins[i, column]] += weight[i]
    return total
