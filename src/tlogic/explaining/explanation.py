"""Explanation: why a candidate of a query has its score and its rank."""

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tlogic.events.timeline import Timeline
from tlogic.forecasting.queries import Query
from tlogic.notebook import html_text


class Fact(NamedTuple):
    """A dated fact as it stands in the data.

    Attributes:
        subject: The name of the subject.
        relation: The name of the relation.
        object: The name of the object.
        time: The date.

    Example:
        >>> print(Fact("Ann", "calls", "Bo", "2030-01-04"))
        2030-01-04  Ann — calls → Bo
    """

    subject: str
    relation: str
    object: str
    time: str

    def __str__(self) -> str:
        return f"{self.time}  {self.subject} — {self.relation} → {self.object}"


def citations(facts: Collection[Fact], cited: set[Fact]) -> list[str]:
    """The facts behind a reason as lines of text, with a mark if an earlier reason cites them; none if all are marked.

    Args:
        facts: The facts.
        cited: The facts that earlier reasons cite. These facts are added.

    Example:
        >>> ann, bo = Fact("Ann", "calls", "Bo", "2030-01-04"), Fact("Bo", "calls", "Ann", "2030-01-03")
        >>> cited = {ann}
        >>> citations([ann], cited)
        []
        >>> citations([ann, bo], cited)
        ['2030-01-04  Ann — calls → Bo (see above)', '2030-01-03  Bo — calls → Ann']
    """
    lines = [f"{fact} (see above)" if fact in cited else str(fact) for fact in facts]
    is_new = not cited.issuperset(facts)
    cited.update(facts)
    return lines if is_new else []


class Explanation(ABC):
    """Why a candidate has its score and its rank, with the dated facts behind it.

    ``Forecast.explain`` makes one: a ``RuleExplanation`` if rules made the forecast, a ``ModelExplanation`` if a model
    did. Print it, draw it, or turn it into JSON with ``to_dict``.

    Attributes:
        query: The query, with the names and the date that the data has for it.
        candidate: The name of the entity that is explained.
        score: Its score; 0 if it is not a candidate.
        rank: One more than the number of candidates with higher scores; None if it is not a candidate.
        n_candidates: How many candidates the query has.
        timeline: The dates of the time steps.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample()
        >>> forecast = tlogic.forecast(graph, tlogic.learn(graph, lengths=(1,)), [("Kite Aviation", "sue")])
        >>> forecast.explain(0, forecast[0][0].name).rank
        1
    """

    query: Query
    candidate: str
    score: float
    rank: int | None
    n_candidates: int
    timeline: Timeline

    @abstractmethod
    def text(self, n_reasons: int | None = 3) -> str:
        """The explanation as text, with the strongest reasons or all of them (None)."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The whole explanation, for JSON."""

    @abstractmethod
    def facts_behind(self, n_reasons: int | None = 3) -> list[Fact]:
        """The facts behind the strongest reasons or all of them (None), each once, in order of time."""

    @property
    @abstractmethod
    def figure(self) -> str:
        """The figure that the explanation is about: the score or the probability of the candidate."""

    def draw(self, path: str | os.PathLike[str], n_reasons: int = 3) -> None:
        """Draw the facts behind the strongest reasons along time.

        Args:
            path: The .svg or .png file to write.
            n_reasons: How many reasons to draw.
        """
        from tlogic.explaining.picture import draw

        draw(self, self.facts_behind(n_reasons), Path(path))

    def _in_order_of_time(self, facts: Iterable[Fact]) -> list[Fact]:
        return sorted(set(facts), key=lambda fact: (self.timeline.step_of(fact.time), fact))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_text(self.text())
