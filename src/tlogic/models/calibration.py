"""Calibration: from scores to the probability that a candidate is an answer, of any number of answers.

First, the history of a query gives its expected number of answers m, by a Poisson regression. Then a threshold within
the query turns scores into log-odds, so that the probabilities of its candidates sum to m. At last a logistic
regression corrects these log-odds, by how large they are and by what is known of the query.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.evidence.answer_history import HISTORY_COLUMNS, MEAN_ANSWERS
from tlogic.graph.arrays import Floats, Ints, copy_items
from tlogic.models.linear_losses import MAX_LOG_MEAN, logistic_loss, poisson_loss
from tlogic.models.optimiser import minimise

_FEATURES = (*HISTORY_COLUMNS, "log expected answers", "log expected answers above 1", "threshold")
_ANSWER_KNOTS = np.log([1.3, 2.0])  # mean answers at which their effect on the next ones changes
_ANSWER_TERMS = (
    *HISTORY_COLUMNS,
    *(f"{HISTORY_COLUMNS[MEAN_ANSWERS]} above {np.exp(knot):.1f}" for knot in _ANSWER_KNOTS),
)
_KNOTS = np.array([-5.0, -3.0, -1.5, 0.0, 1.5])  # log-odds at which the slope of the correction changes
_L2_PENALTY_OF_ANSWERS = 1.0  # on the weights of terms that are scaled to unit variance
_L2_PENALTY = 100.0  # on those of the correction, which is learned from few queries
_MAX_ITERATIONS = 100
_MIN_DEVIATION = 1e-6  # of a column, relative to its mean; rounding makes smaller ones
_MAX_SHARE = 0.95  # of the candidates that are expected to be answers
_MIN_EXPECTED = 1e-3  # answers
_MIN_SLOPE = 0.05  # keeps probabilities increasing with the score
_IMPROBABLE = -5.0  # log-odds below which a part of the candidates is enough to learn from
_PART = 8  # every eighth candidate is in that part
_MAX_THRESHOLD_STEPS = 60
_THRESHOLD_TOLERANCE = 1e-7  # relative to the expected number of answers


class Calibration(NamedTuple):
    """The parameters that turn scores into probabilities. By default, each query has one expected answer."""

    answers: Floats = np.zeros(1 + len(_ANSWER_TERMS))
    """The log of the expected number of answers: a constant, a weight per column of the history, and its change at each
    knot of the mean number of answers."""
    offset: Floats = np.zeros(1 + len(_FEATURES))
    """What is added to the log-odds: a constant, and a weight per feature of the query."""
    slope: Floats = np.zeros(1 + len(_FEATURES))
    """What is added, times the log-odds: a constant, and a weight per feature."""
    bend: Floats = np.zeros(len(_KNOTS))
    """The change of the slope at each knot."""
    low: Floats = np.zeros(len(_FEATURES))
    high: Floats = np.zeros(len(_FEATURES))
    """The range of each feature in the data of the fit; beyond it, features count as its ends."""

    def expected_answers(self, start: Ints, history: Floats) -> Floats:
        """Per query: its expected number of answers among its candidates, given one row of history per query."""
        found: Floats = _expected_answers(self, start, history)
        return found

    def probabilities(self, start: Ints, scores: Floats, history: Floats) -> Floats:
        """The probability of each candidate, those of each query together, given one row of history per query."""
        expected = self.expected_answers(start, history)
        threshold = thresholds(start, scores, expected)
        corrected: Floats = np.empty(len(scores))
        _correct(self, start, scores, history, expected, threshold, corrected)
        return corrected

    def to_dict(self) -> dict[str, Any]:
        """All parameters by name, for JSON."""
        columns = zip(_FEATURES, *(each[-len(_FEATURES) :].tolist() for each in self[1:3] + self[4:]), strict=True)
        names = ("name", "offset", "slope", "low", "high")
        return {
            "expected_answers": dict(zip(("constant", *_ANSWER_TERMS), self.answers.tolist(), strict=True)),
            "offset": float(self.offset[0]),
            "slope": float(self.slope[0]),
            "knots": dict(zip(map(str, _KNOTS.tolist()), self.bend.tolist(), strict=True)),
            "features": [dict(zip(names, column, strict=True)) for column in columns],
        }

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> "Calibration":
        """The calibration that ``to_dict`` described.

        Raises:
            KeyError: If a parameter is missing.
        """
        features = {each["name"]: each for each in found["features"]}
        columns = {
            name: np.array([float(features[feature][name]) for feature in _FEATURES])
            for name in ("offset", "slope", "low", "high")
        }
        answers = found["expected_answers"]
        return cls(
            np.array([float(answers[name]) for name in ("constant", *_ANSWER_TERMS)]),
            np.append(float(found["offset"]), columns["offset"]),
            np.append(float(found["slope"]), columns["slope"]),
            np.array([float(found["knots"][str(knot)]) for knot in _KNOTS.tolist()]),
            columns["low"],
            columns["high"],
        )


def learn_expected_answers(history: Floats, n_answers: Ints) -> Calibration:
    """Learn the expected number of answers from queries in order of time.

    Args:
        history: One row per query.
        n_answers: Per query: its answers among its candidates.
    """
    terms = _answer_terms(history)
    mean, deviation = _scale(terms)
    design = np.column_stack([np.ones(len(history)), (terms - mean) / deviation])
    loss = partial(_penalised_poisson_loss, design, n_answers.astype(np.float64), _later_weigh_more(len(history)))
    found = minimise(loss, np.zeros(design.shape[1]), _MAX_ITERATIONS)
    return Calibration(
        answers=_unscaled(found, mean, deviation),
        low=_padded(history.min(axis=0, initial=0.0)),
        high=_padded(history.max(axis=0, initial=0.0)),
    )


def calibrate(
    expected: Calibration, start: Ints, scores: Floats, is_true: Ints, history: Floats, n_similar: Floats
) -> Calibration:
    """Correct probabilities on some queries with all their candidates, in order of time.

    Args:
        expected: How many answers queries are expected to have, from ``learn_expected_answers``.
        start: Per query: the index of its first candidate.
        scores: Per candidate.
        is_true: Per candidate: 1 if it is an answer, else 0.
        history: One row per query.
        n_similar: Per query: how many queries it stands for, itself included.
    """
    if not len(scores):
        return expected
    n_answers = expected.expected_answers(start, history)
    threshold = thresholds(start, scores, n_answers)
    query = np.repeat(np.arange(len(history)), np.diff(start))
    log_odds = scores - threshold[query]
    features = _features(history, n_answers, threshold)
    mean, deviation = _scale(features)
    is_common = (log_odds < _IMPROBABLE) & (is_true == 0)
    chosen = np.flatnonzero(~is_common | (np.arange(len(scores)) % _PART == 0))
    x, z = log_odds[chosen, None], ((features - mean) / deviation)[query[chosen]]
    design = np.hstack([np.ones_like(x), z, x, z * x, _hinges(log_odds[chosen])])
    weight = np.where(is_common[chosen], _PART, 1.0) * _query_weights(n_similar)[query[chosen]]
    loss = partial(_penalised_logistic_loss, design, log_odds[chosen], is_true[chosen].astype(np.float64), weight)
    found = minimise(loss, np.zeros(design.shape[1]), _MAX_ITERATIONS)
    offset, slope, bend = np.split(found, [1 + z.shape[1], 2 + 2 * z.shape[1]])
    n_columns = history.shape[1]
    return expected._replace(
        offset=_unscaled(offset, mean, deviation),
        slope=_unscaled(slope, mean, deviation),
        bend=bend,
        low=np.append(expected.low[:n_columns], features.min(axis=0)[n_columns:]),
        high=np.append(expected.high[:n_columns], features.max(axis=0)[n_columns:]),
    )


def _later_weigh_more(n: int) -> Floats:
    """Weights of queries in order of time, 1 on average: later ones are more like those to come."""
    return (2 * np.arange(n) + 1) / n


def _query_weights(n_similar: Floats) -> Floats:
    """Weights of queries in order of time, by how many queries each stands for."""
    return _later_weigh_more(len(n_similar)) * n_similar / n_similar.mean()


def _answer_terms(history: Floats) -> Floats:
    """Per query: what its expected number of answers depends on, as `_expected_answers` computes it."""
    return np.hstack([history, np.maximum(history[:, [MEAN_ANSWERS]] - _ANSWER_KNOTS, 0.0)])


def _padded(history: Floats) -> Floats:
    """Values of the columns of a history, and 0 for the other features."""
    return np.append(history, np.zeros(len(_FEATURES) - len(history)))


def _features(history: Floats, expected: Floats, threshold: Floats) -> Floats:
    """Per query: what the correction of its probabilities depends on, as `_correct` computes it."""
    log_expected = np.log(expected)
    return np.column_stack([history, log_expected, np.maximum(log_expected, 0.0), threshold])


def _hinges(log_odds: Floats) -> Floats:
    return np.maximum(log_odds[:, None] - _KNOTS, 0.0)


def _scale(columns: Floats) -> tuple[Floats, Floats]:
    """The mean and the standard deviation of each column; 0 and 1 if there are no rows, and 1 for a constant column."""
    if not len(columns):
        return np.zeros(columns.shape[1]), np.ones(columns.shape[1])
    mean, deviation = columns.mean(axis=0), columns.std(axis=0)
    is_constant = deviation <= _MIN_DEVIATION * np.maximum(np.abs(mean), 1.0)
    return mean, np.where(is_constant, 1.0, deviation)


def _unscaled(weight: Floats, mean: Floats, deviation: Floats) -> Floats:
    """A constant and weights of columns as they are, from those of scaled columns."""
    own = weight[1:] / deviation
    return np.append(weight[0] - own @ mean, own)


def _penalised_poisson_loss(design: Floats, n: Floats, times: Floats, weight: Floats) -> tuple[float, Floats]:
    loss, gradient = poisson_loss(design, n, times, weight)
    return loss + _L2_PENALTY_OF_ANSWERS / 2 * float((weight**2).sum()), gradient + _L2_PENALTY_OF_ANSWERS * weight


def _penalised_logistic_loss(
    design: Floats, known: Floats, is_true: Floats, times: Floats, weight: Floats
) -> tuple[float, Floats]:
    loss, gradient = logistic_loss(design, known, is_true, times, weight)
    return loss + _L2_PENALTY / 2 * float((weight**2).sum()), gradient + _L2_PENALTY * weight


# Each query is computed on its own, number by number, so that its result does not depend on others.


@kernel
def _expected_answers(calibration: Calibration, start: Ints, history: Floats) -> Floats:
    answers, low, high = calibration.answers, calibration.low, calibration.high
    expected = np.empty(len(history))
    for q in range(len(history)):
        log_expected = answers[0]
        for k in range(history.shape[1]):
            log_expected += answers[1 + k] * min(max(history[q, k], low[k]), high[k])
        mean = min(max(history[q, MEAN_ANSWERS], low[MEAN_ANSWERS]), high[MEAN_ANSWERS])
        for k in range(len(_ANSWER_KNOTS)):
            log_expected += answers[1 + history.shape[1] + k] * max(mean - _ANSWER_KNOTS[k], 0.0)
        largest = max(_MAX_SHARE * (start[q + 1] - start[q]), _MIN_EXPECTED)
        expected[q] = min(max(np.exp(min(log_expected, MAX_LOG_MEAN)), _MIN_EXPECTED), largest)
    return expected


@kernel
def _correct(
    calibration: Calibration,
    start: Ints,
    scores: Floats,
    history: Floats,
    expected: Floats,
    threshold: Floats,
    out: Floats,
) -> None:
    """Write the probability of each candidate."""
    bend = calibration.bend
    least = min(np.cumsum(bend).min(), 0.0)
    n_columns, features = history.shape[1], np.empty(len(calibration.low))
    for q in range(len(expected)):
        copy_items(history[q], n_columns, features)
        features[n_columns] = np.log(expected[q])
        features[n_columns + 1] = max(np.log(expected[q]), 0.0)
        features[n_columns + 2] = threshold[q]
        offset, slope = calibration.offset[0], 1.0 + calibration.slope[0]
        for k in range(len(features)):
            feature = min(max(features[k], calibration.low[k]), calibration.high[k])
            offset += calibration.offset[1 + k] * feature
            slope += calibration.slope[1 + k] * feature
        slope = max(slope, _MIN_SLOPE - least)
        for i in range(start[q], start[q + 1]):
            log_odds = scores[i] - threshold[q]
            corrected = offset + slope * log_odds
            for k in range(len(bend)):
                corrected += bend[k] * max(log_odds - _KNOTS[k], 0.0)
            out[i] = 1.0 / (1.0 + np.exp(-corrected))


@kernel
def thresholds(start: Ints, scores: Floats, expected: Floats) -> Floats:
    """Per query: the score with even odds, so that the probabilities of its candidates sum to what is expected.

    Newton's method, within bounds that shrink.
    """
    found = np.zeros(len(expected))
    for q in range(len(expected)):
        own = scores[start[q] : start[q + 1]]
        if len(own) == 0:
            continue
        odds = np.log(expected[q] / (len(own) - expected[q]))
        low, high = own.min() - odds, own.max() - odds  # the probabilities of equal scores would sum to it
        point = high
        for _ in range(_MAX_THRESHOLD_STEPS):
            total, change = 0.0, 0.0
            for i in range(len(own)):
                probability = 1.0 / (1.0 + np.exp(point - own[i]))
                total += probability
                change += probability * (1.0 - probability)
            if abs(total - expected[q]) <= _THRESHOLD_TOLERANCE * expected[q]:
                break
            if total > expected[q]:
                low = point
            else:
                high = point
            point += (total - expected[q]) / change if change > 0.0 else np.inf
            if not low < point < high:
                point = (low + high) / 2
        found[q] = point
    return found
