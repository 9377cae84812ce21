"""Calibration: from scores to probabilities that match observed frequencies."""

from typing import NamedTuple

import numpy as np

from tlogic.graph.arrays import Floats, Ints

_N_KNOTS = 40  # points of the calibration curve
_MIN_SHARE = 1e-9  # softmax share at the first knot, if there are no answers to calibrate on
_N_BINS = 20  # of probability, for reliability


class Calibration(NamedTuple):
    """The frequency of true answers, by the log-softmax of a candidate's score within its query."""

    log_share: Floats
    chance: Floats
    """The frequency at each value. The fields have the names of the keys in model files."""

    def probabilities(self, start: Ints, scores: Floats) -> Floats:
        """The probability of each candidate, those of each query together."""
        return np.interp(log_shares(start, scores), self.log_share, self.chance)


def calibrate(start: Ints, scores: Floats, is_true: Ints) -> Calibration:
    """Fit a calibration on queries that were held back; without true answers, it is the softmax itself."""
    if not is_true.any():
        shares = np.geomspace(_MIN_SHARE, 1.0, _N_KNOTS)
        return Calibration(np.log(shares), shares)
    share = log_shares(start, scores)
    edges = np.unique(np.quantile(share[is_true == 1], np.linspace(0, 1, _N_KNOTS + 1)[1:-1]))
    group = np.searchsorted(edges, share)
    n = np.bincount(group, minlength=len(edges) + 1)
    used = n > 0
    means = (np.bincount(group, values, len(n))[used] / n[used] for values in (share, is_true))
    return Calibration(next(means), _isotonic(next(means), n[used]))


def log_shares(start: Ints, scores: Floats) -> Floats:
    """The log-softmax of each candidate's score over the candidates of its query."""
    sizes = np.diff(start)
    some = np.flatnonzero(sizes)
    if len(some) == 0:
        return np.empty(0)
    first, size = start[:-1][some], sizes[some]
    shifted = scores - np.repeat(np.maximum.reduceat(scores, first), size)
    return shifted - np.repeat(np.log(np.add.reduceat(np.exp(shifted), first)), size)


def _isotonic(values: Floats, weights: Ints) -> Floats:
    """The isotonic regression of values: neighbours that decrease are pooled."""
    blocks: list[list[float]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, n, i), (b, m, j) = blocks[-2:]
            blocks[-2:] = [[(a * n + b * m) / (n + m), n + m, i + j]]
    return np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])


class Reliability(NamedTuple):
    """Per bin of predicted probability: candidates, the sum of their probabilities, and the true answers."""

    n: Floats
    predicted: Floats
    n_true: Floats

    @classmethod
    def of(cls, probability: Floats, is_true: Ints) -> "Reliability":
        """The reliability of some candidates' probabilities."""
        bins = np.minimum((probability * _N_BINS).astype(np.int64), _N_BINS - 1)
        sums = (np.bincount(bins, values, _N_BINS) for values in (np.ones(len(bins)), probability, is_true))
        return cls(*(values.astype(np.float64) for values in sums))

    def plus(self, other: "Reliability") -> "Reliability":
        """The reliability over the candidates of both."""
        return Reliability(self.n + other.n, self.predicted + other.predicted, self.n_true + other.n_true)

    @property
    def error(self) -> float:
        """The expected calibration error: the mean absolute difference between probabilities and frequencies."""
        return float(np.abs(self.predicted - self.n_true).sum() / max(self.n.sum(), 1))

    def to_dict(self) -> dict[str, float | list[dict[str, float]]]:
        """The error and all bins that hold candidates, for JSON."""
        bins = zip(self.n.tolist(), self.predicted.tolist(), self.n_true.tolist(), strict=True)
        rows = [{"candidates": n, "said": sum_ / n, "came_true": n_true / n} for n, sum_, n_true in bins if n]
        return {"error": self.error, "bins": rows}
