"""Calibration: from scores to probabilities that come true as often as they say."""

from typing import NamedTuple

import numpy as np

from tlogic.graph.arrays import Floats, Ints

_N_KNOTS = 40
_LEAST = 1e-9
_N_BINS = 20


class Calibration(NamedTuple):
    """How often candidates were right, by the logarithm of their share in the softmax over their query's scores."""

    log_share: Floats
    chance: Floats

    def probabilities(self, start: Ints, scores: Floats) -> Floats:
        """The probability of each candidate, those of each query together."""
        return np.interp(log_shares(start, scores), self.log_share, self.chance)


def calibrate(start: Ints, scores: Floats, right: Ints) -> Calibration:
    """What scores meant for queries that were not learned from; a score's share itself where there are none."""
    if not right.any():
        shares = np.geomspace(_LEAST, 1.0, _N_KNOTS)
        return Calibration(np.log(shares), shares)
    share = log_shares(start, scores)
    edges = np.unique(np.quantile(share[right == 1], np.linspace(0, 1, _N_KNOTS + 1)[1:-1]))
    group = np.searchsorted(edges, share)
    n = np.bincount(group, minlength=len(edges) + 1)
    there = n > 0
    means = (np.bincount(group, values, len(n))[there] / n[there] for values in (share, right))
    return Calibration(next(means), _never_falling(next(means), n[there]))


def log_shares(start: Ints, scores: Floats) -> Floats:
    """The logarithm of each candidate's share in the softmax over the scores of its query."""
    sizes = np.diff(start)
    some = np.flatnonzero(sizes)
    if len(some) == 0:
        return np.empty(0)
    first, size = start[:-1][some], sizes[some]
    shifted = scores - np.repeat(np.maximum.reduceat(scores, first), size)
    return shifted - np.repeat(np.log(np.add.reduceat(np.exp(shifted), first)), size)


def _never_falling(values: Floats, weights: Ints) -> Floats:
    """The nearest values that never fall: neighbours that do are put together."""
    blocks: list[list[float]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, n, i), (b, m, j) = blocks[-2:]
            blocks[-2:] = [[(a * n + b * m) / (n + m), n + m, i + j]]
    return np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])


class Reliability(NamedTuple):
    """Per bin of probability: how many candidates there were, what was said of them in sum, and how many were right."""

    n: Floats
    said: Floats
    right: Floats

    @classmethod
    def of(cls, probability: Floats, right: Ints) -> "Reliability":
        """From candidates and whether they were right."""
        bins = np.minimum((probability * _N_BINS).astype(np.int64), _N_BINS - 1)
        sums = (np.bincount(bins, values, _N_BINS) for values in (np.ones(len(bins)), probability, right))
        return cls(*(values.astype(np.float64) for values in sums))

    def plus(self, other: "Reliability") -> "Reliability":
        """Both together."""
        return Reliability(self.n + other.n, self.said + other.said, self.right + other.right)

    @property
    def error(self) -> float:
        """The expected calibration error: by how much, on average, what was said differs from what came true."""
        return float(np.abs(self.said - self.right).sum() / max(self.n.sum(), 1))

    def to_dict(self) -> dict[str, float | list[dict[str, float]]]:
        """The error and all bins that hold candidates, for JSON."""
        bins = zip(self.n.tolist(), self.said.tolist(), self.right.tolist(), strict=True)
        rows = [{"candidates": n, "said": said / n, "came_true": hits / n} for n, said, hits in bins if n]
        return {"error": self.error, "bins": rows}
