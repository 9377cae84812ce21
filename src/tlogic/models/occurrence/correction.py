"""Correction of log-odds by what came true later: a continuous, increasing function that is linear between knots.

A sum of weights cannot say everything. Where it exceeds what happens, most of all for events that never happened
before, the correction lowers it; where penalties hold it back, as for events that happen every week, it raises it.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from tlogic.graph.arrays import Floats
from tlogic.models.linear_losses import logistic_loss
from tlogic.models.optimiser import minimise

_KNOT_QUANTILES = (0.2, 0.5, 0.8)  # of the log-odds of events, at which the slope may change
_L2_PENALTY = 10.0  # on the difference of slopes from 1
_MIN_EVENTS = 100  # with fewer, log-odds are left as they are
_MIN_SLOPE = 0.1  # keeps the function increasing
_MAX_ITERATIONS = 100


class Correction(NamedTuple):
    """Corrected log-odds: a constant, and a slope per interval between knots. By default, they stay as they are."""

    knot: Floats = np.zeros(0)
    offset: float = 0.0
    slope: Floats = np.ones(1)

    def of(self, log_odds: Floats) -> Floats:
        """The corrected log-odds."""
        found: Floats = (_intervals(self.knot, log_odds) * self.slope).sum(axis=1) + self.offset
        return found


def learn_correction(log_odds: Floats, happened: Floats, weight: Floats) -> Correction:
    """The correction with which weighted cases, none of which the log-odds were learned from, are most likely."""
    events = np.sort(log_odds[happened == 1])
    if len(events) < _MIN_EVENTS:
        return Correction()
    knot = np.unique(events[[int(share * len(events)) for share in _KNOT_QUANTILES]])
    design = np.column_stack([np.ones(len(log_odds)), _intervals(knot, log_odds)])
    loss = partial(_penalised_loss, design, log_odds, happened, weight)
    change = minimise(loss, np.zeros(design.shape[1]), _MAX_ITERATIONS)
    return Correction(knot, float(change[0]), np.maximum(1.0 + change[1:], _MIN_SLOPE))


def _intervals(knot: Floats, log_odds: Floats) -> Floats:
    """The part of each number that lies in each interval between knots; they sum to the number."""
    if not len(knot):
        return log_odds[:, None]
    inner = np.clip(log_odds[:, None] - knot[:-1], 0.0, np.diff(knot))
    return np.column_stack([np.minimum(log_odds, knot[0]), inner, np.maximum(log_odds - knot[-1], 0.0)])


def _penalised_loss(
    design: Floats, log_odds: Floats, happened: Floats, weight: Floats, change: Floats
) -> tuple[float, Floats]:
    """The negative log-likelihood of changed log-odds, with the penalty, and its gradient."""
    loss, gradient = logistic_loss(design, log_odds, happened, weight, change)
    slopes = np.append(0.0, change[1:])
    return loss + _L2_PENALTY / 2 * float((slopes**2).sum()), gradient + _L2_PENALTY * slopes
