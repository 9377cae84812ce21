"""The ranked candidates of a query, by id and by name."""

from typing import Literal, NamedTuple

import numpy as np

from tlogic.forecasting.application import Scored
from tlogic.graph.arrays import Floats, Ints

AnsweredBy = Literal["rules", "fallback", "model"]
NOT_PROBABILITIES = "Scores rank candidates; they are not probabilities."
"""What forecasts by rules say of their scores."""


def as_percent(probability: float) -> str:
    """A probability in percent, never rounded to 0% or to 100%.

    >>> as_percent(0.3757), as_percent(0.0002), as_percent(0.9999)
    ('37.6%', '<0.1%', '>99.9%')
    """
    if 0 < probability < 0.0005:
        return "<0.1%"
    return ">99.9%" if 0.9995 <= probability < 1 else f"{probability:.1%}"


class Candidate(NamedTuple):
    """One candidate of a query. Candidates with equal scores share a rank.

    Attributes:
        rank: One more than the number of candidates with higher scores.
        name: The name of the entity.
        score: The score that candidates are ranked by.
        probability: The probability that it is an answer, of any number of answers, if a model made the forecast.

    Example:
        >>> Candidate(1, "Northlight Energy", 0.93).name
        'Northlight Energy'
    """

    rank: int
    name: str
    score: float
    probability: float | None = None


class Answers(NamedTuple):
    """The best candidates of one query by id, best first."""

    entity: Ints
    score: Floats
    by: AnsweredBy
    """What scored them: rules, the fallback if no rule leads to a candidate, or a model."""
    probability: Floats | None = None

    @property
    def rank(self) -> Ints:
        """Per candidate: one more than the number of candidates with higher scores."""
        return np.searchsorted(-self.score, -self.score) + 1


class ScoredQueries(NamedTuple):
    """Some queries of a batch with all their scored candidates."""

    query: Ints
    """The position of each query in the batch."""
    scored: Scored
    probability: Floats | None = None
    """Per candidate, if the forecaster gives probabilities."""
    expected_answers: Floats | None = None
    """Per query: its expected number of answers, if the forecaster gives probabilities."""

    def best(self, top: int | None, by: AnsweredBy, rank: Ints | None = None) -> list[tuple[int, Answers]]:
        """The best candidates of each query, with the position of the query in the batch.

        ``rank`` gives the position of each entity among the sorted names; None if ids follow the names.
        """
        starts = self.scored.start.tolist()
        return [
            (query, self._best(slice(start, end), top, by, rank))
            for query, start, end in zip(self.query.tolist(), starts[:-1], starts[1:], strict=True)
        ]

    def _best(self, own: slice, top: int | None, by: AnsweredBy, rank: Ints | None) -> Answers:
        probability = None if self.probability is None else self.probability[own]
        return best_answers(self.scored.entity[own], self.scored.score[own], top, by, probability, rank)


def best_answers(
    entity: Ints,
    score: Floats,
    top: int | None,
    by: AnsweredBy,
    probability: Floats | None = None,
    rank: Ints | None = None,
) -> Answers:
    """The candidates with the highest scores; equal scores are sorted by name.

    ``rank`` gives the position of each entity among the sorted names; None if ids follow the names.
    """
    order = np.lexsort((entity if rank is None else rank[entity], -score))[:top]
    return Answers(
        entity[order].astype(np.int64), score[order], by, None if probability is None else probability[order]
    )
