"""Reliability: how far the probabilities of a model come true, for all queries and by their expected answers."""

from typing import Any, NamedTuple

import numpy as np

from tlogic.graph.arrays import Floats, Ints

N_BINS = 20
"""Bins of equal width, for reliability diagrams and the expected calibration error."""
GROUPS = ("at most 1", "up to 2", "up to 5", "more than 5")
"""Groups of queries by their expected number of answers."""
_GROUP_ENDS = (1.0, 2.0, 5.0)
_N_FINE_BINS = 200  # of equal width, which are joined to bins with about as many answers each
_MAX_ANSWER_BINS = 10
_MIN_BIN_ANSWERS = 100  # with fewer, chance alone makes a large error
_MEAN_OF_HALF_NORMAL = float(np.sqrt(2 / np.pi))  # the mean absolute value of a standard normal variable


class Reliability(NamedTuple):
    """By group of queries and fine bin of probability, what is known of the candidates.

    The calibration error weighted by answers is the mean absolute difference between probability and share of true
    candidates over bins of probability with about as many answers each, weighted by their answers. There are ten bins,
    or fewer so that each has 100 answers or more.
    """

    n: Floats
    """The number of candidates."""
    predicted: Floats
    """The sum of their probabilities."""
    n_true: Floats
    """The number of answers among them."""
    variance: Floats
    """The variance of that number, if probabilities are right and candidates independent."""
    n_queries: Floats
    """The number of queries, by group."""

    @classmethod
    def of(cls, start: Ints, probability: Floats, is_true: Ints, expected_answers: Floats) -> "Reliability":
        """The reliability of the probabilities of some queries' candidates.

        Args:
            start: Per query: the index of its first candidate.
            probability: Per candidate.
            is_true: Per candidate: 1 if it is an answer, else 0.
            expected_answers: Per query.
        """
        group = np.searchsorted(_GROUP_ENDS, expected_answers)
        fine = np.minimum((probability * _N_FINE_BINS).astype(np.int64), _N_FINE_BINS - 1)
        index = np.repeat(group, np.diff(start)) * _N_FINE_BINS + fine
        values = (np.ones(len(index)), probability, is_true, probability * (1.0 - probability))
        sums = [_sums(index, each, len(GROUPS) * _N_FINE_BINS).reshape(len(GROUPS), -1) for each in values]
        return cls(sums[0], sums[1], sums[2], sums[3], _sums(group, np.ones(len(group)), len(GROUPS)))

    def plus(self, other: "Reliability") -> "Reliability":
        """The reliability over the queries of both."""
        return Reliability(*(one + more for one, more in zip(self, other, strict=True)))

    @property
    def bins(self) -> tuple[Floats, Floats, Floats]:
        """Per bin of equal width: the candidates, the sum of their probabilities, and their answers."""
        n, predicted, n_true = (each.sum(axis=0).reshape(N_BINS, -1).sum(axis=1) for each in self[:3])
        return n, predicted, n_true

    @property
    def error(self) -> float:
        """The expected calibration error: the mean absolute difference between probabilities and frequencies."""
        n, predicted, n_true = self.bins
        return float(np.abs(predicted - n_true).sum() / max(n.sum(), 1))

    @property
    def error_by_answers(self) -> float:
        """The calibration error of all queries, weighted by answers."""
        return _errors(*(each.sum(axis=0) for each in self[:4]))[0]

    @property
    def error_by_chance(self) -> float:
        """What the calibration error weighted by answers would be by chance, if all probabilities were right."""
        return _errors(*(each.sum(axis=0) for each in self[:4]))[1]

    def to_dict(self) -> dict[str, Any]:
        """The errors, all bins that hold candidates, and all groups that hold queries, for JSON."""
        bins = zip(*(each.tolist() for each in self.bins), strict=True)
        rows = [{"candidates": n, "said": sum_ / n, "came_true": n_true / n} for n, sum_, n_true in bins if n]
        return {
            "error": self.error,
            "error_by_answers": self.error_by_answers,
            "bins": rows,
            "by_expected_answers": [self._group(k) for k in range(len(GROUPS)) if self.n_queries[k]],
        }

    def _group(self, k: int) -> dict[str, Any]:
        """One group of queries: its size, its error weighted by answers, and how large that would be by chance."""
        error, by_chance = _errors(*(each[k] for each in self[:4]))
        return {
            "expected_answers": GROUPS[k],
            "queries": int(self.n_queries[k]),
            "answers": int(self.n_true[k].sum()),
            "error_by_answers": error,
            "error_by_chance": by_chance,
        }


def _sums(index: Ints, values: Floats | Ints, n: int) -> Floats:
    """The sum of the values at each index."""
    return np.bincount(index, values, n).astype(np.float64)


def _errors(n: Floats, predicted: Floats, n_true: Floats, variance: Floats) -> tuple[float, float]:
    """The calibration error weighted by answers, and its expected value if all probabilities are right."""
    n_answers = max(n_true.sum(), 1)
    middle = (np.cumsum(n_true) - n_true / 2) / n_answers
    n_bins = int(np.clip(n_answers // _MIN_BIN_ANSWERS, 1, _MAX_ANSWER_BINS))
    index = np.minimum((middle * n_bins).astype(np.int64), n_bins - 1)
    sums = [_sums(index, each, n_bins) for each in (n, predicted, n_true, variance)]
    n, predicted, n_true, variance = (each[sums[0] > 0] for each in sums)
    error = (n_true * np.abs(predicted - n_true) / n).sum() / n_answers
    by_chance = (n_true * _MEAN_OF_HALF_NORMAL * np.sqrt(variance) / n).sum() / n_answers
    return float(error), float(by_chance)
