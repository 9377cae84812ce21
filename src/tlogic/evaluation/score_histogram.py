"""ScoreHistogram: how scores of many cases relate to what happened, in little memory.

Cases are counted in fine bins of their scores. Average precision and calibration follow from the bins, whose width is
far below the differences that matter.
"""

import numpy as np

from tlogic.graph.arrays import Bools, Floats, Ints

_N_BINS = 8192


class ScoreHistogram:
    """Counts cases, the sum of their probabilities and those that happened, per bin of a score.

    Args:
        low: The lowest score with a bin of its own.
        high: The highest one.
    """

    def __init__(self, low: float, high: float) -> None:
        self._low, self._scale = low, _N_BINS / (high - low)
        self.n, self.n_happened, self.predicted, self.squared_error = np.zeros((4, _N_BINS))

    def add(self, score: Floats, probability: Floats, happened: Bools) -> None:
        """Count some cases."""
        bins: Ints = np.clip((score - self._low) * self._scale, 0, _N_BINS - 1).astype(np.int64)
        self.n += np.bincount(bins, minlength=_N_BINS)
        self.n_happened += np.bincount(bins, happened, _N_BINS)
        self.predicted += np.bincount(bins, probability, _N_BINS)
        self.squared_error += np.bincount(bins, (probability - happened) ** 2, _N_BINS)

    def average_precision(self, n_more: float = 0.0) -> float | None:
        """The average precision over the bins, the highest scores first; None if nothing happened.

        Args:
            n_more: How many further events happened that are no cases: they are never found.
        """
        n, found = np.cumsum(self.n[::-1]), np.cumsum(self.n_happened[::-1])
        n_events, used = found[-1] + n_more, self.n[::-1] > 0
        if not n_events:
            return None
        gain = self.n_happened[::-1][used] / n_events
        return float((gain * found[used] / n[used]).sum())

    @property
    def base_rate(self) -> float:
        """The share of cases that happened."""
        return float(self.n_happened.sum() / max(self.n.sum(), 1.0))

    @property
    def brier(self) -> float:
        """The mean squared difference between probabilities and what happened."""
        return float(self.squared_error.sum() / max(self.n.sum(), 1.0))

    @property
    def brier_of_base_rate(self) -> float:
        """The same for the base rate as everybody's probability."""
        return self.base_rate * (1 - self.base_rate)

    def brier_with_hindsight(self, n_groups: int = 20) -> float:
        """The same if each group of neighbouring bins had the frequency that it turned out to have."""
        n, _, happened = self.groups(n_groups).T
        return float((happened * (1 - happened / np.maximum(n, 1.0))).sum() / max(n.sum(), 1.0))

    def groups(self, n_groups: int) -> Floats:
        """Neighbouring bins in groups with about equally many events.

        Returns:
            Per group: cases, the sum of their probabilities, and those that happened.
        """
        before = np.cumsum(self.n_happened) - self.n_happened
        group = np.minimum(before * n_groups // max(self.n_happened.sum(), 1.0), n_groups - 1).astype(np.int64)
        sums = [np.bincount(group, each, n_groups) for each in (self.n, self.predicted, self.n_happened)]
        return np.stack(sums).T.astype(np.float64)

    def calibration_error(self, n_groups: int = 20) -> float | None:
        """The mean difference between probabilities and frequencies, weighted by events; None if no case happened."""
        n, predicted, happened = self.groups(n_groups).T
        if not happened.any():
            return None
        difference = np.abs(predicted - happened) / np.maximum(n, 1.0)
        return float((difference * happened).sum() / happened.sum())
