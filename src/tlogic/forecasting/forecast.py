"""Forecast: the ranked candidates of queries, by name, with an explanation for each."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

import numpy as np
import polars as pl

from tlogic.checks import check_count
from tlogic.execution import Execution
from tlogic.forecasting.answers import NOT_PROBABILITIES, AnsweredBy, Answers, Candidate
from tlogic.forecasting.forecaster import Forecaster
from tlogic.forecasting.queries import EncodedQuery, Query, as_queries, encode_queries, with_names
from tlogic.notebook import html_table

ExplanationT_co = TypeVar("ExplanationT_co", covariant=True)
ForecasterT = TypeVar("ForecasterT", bound=Forecaster)


class Forecast(Generic[ExplanationT_co]):
    """The ranked candidates of some queries, made by ``tlogic.forecast`` from rules or a model.

    ``forecast[i]`` holds the candidates of query ``i``, best first; iterating gives the candidates of each query.

    Attributes:
        queries: The queries, with the names and dates that the data has for them.
        graph: The graph that holds the facts.
        forecaster: What answered the queries.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample()
        >>> forecast = tlogic.forecast(graph, tlogic.learn(graph, lengths=(1,)), [("Kite Aviation", "sue")], top=3)
        >>> print(forecast.queries[0], len(forecast[0]))
        (Kite Aviation, sue, ?, 2031-03-27) 3
    """

    def __init__(
        self,
        forecaster: Forecaster,
        explain: Callable[[Query, str, int], ExplanationT_co],
        queries: Sequence[Query],
        encoded: Sequence[EncodedQuery],
        answers: Sequence[Answers],
    ) -> None:
        self.forecaster = forecaster
        self.graph = forecaster.graph
        self.queries = [with_names(self.graph, *pair) for pair in zip(queries, encoded, strict=True)]
        self._explain = explain
        self._encoded = encoded
        self._answers = answers

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        found = sum(len(answers.entity) for answers in self._answers)
        queries, candidates = "query" if len(self) == 1 else "queries", "candidate" if found == 1 else "candidates"
        return f"Forecast({len(self):,} {queries}, {found:,} {candidates})"

    def _repr_html_(self) -> str:
        columns = [name for name in self.frame.columns if name not in {"query", *Query._fields}]
        rows = (
            [str(self.queries[query]), *values] for query, *values in self.frame.select("query", *columns).iter_rows()
        )
        return html_table(repr(self), ["query", *columns], rows)

    def __getitem__(self, index: int) -> list[Candidate]:
        """The candidates of one query, best first."""
        answers, name = self._answers[index], self.graph.entities.name_of
        probability = [None] * len(answers.entity) if answers.probability is None else answers.probability.tolist()
        rows = zip(answers.rank.tolist(), answers.entity.tolist(), answers.score.tolist(), probability, strict=True)
        return [Candidate(rank, name(entity), score, own) for rank, entity, score, own in rows]

    def __iter__(self) -> Iterator[list[Candidate]]:
        return (self[index] for index in range(len(self)))

    def explain(self, query: int | Query, candidate: str, *, groundings: int = 1) -> ExplanationT_co:
        """Explain why a candidate of a query has its score and its rank.

        Args:
            query: The position of a query in this forecast, or any query over the same graph.
            candidate: The name of an entity; it need not be among the candidates.
            groundings: How many groundings of each rule, or facts of each kind of evidence, the explanation holds.

        Returns:
            The explanation: by rules if rules made the forecast, by evidence if a model did.

        Raises:
            UnknownNameError: If no entity has this name.
        """
        return self._explain(self._find(query), candidate, groundings)

    def explain_all(self, *, groundings: int = 1) -> list[list[ExplanationT_co]]:
        """Explain the first candidate of every query, and its true answers if the data holds facts of its time.

        This takes less time than single explanations, because it goes through the queries in order of time.

        Args:
            groundings: How many groundings of each rule, or facts of each kind of evidence, the explanations hold.

        Returns:
            The explanations of each query.

        Example:
            >>> import tlogic
            >>> graph = tlogic.sample()
            >>> queries = [("Kite Aviation", "sue", None, "2031-02-10"), ("Kite Aviation", "bid_for")]
            >>> forecast = tlogic.forecast(graph, tlogic.learn(graph, lengths=(1,)), queries)
            >>> [why.candidate for why in forecast.explain_all()[0]]
            ['Lantern Pharma', 'Northlight Energy']
        """
        self.forecaster.prepare(self._encoded)
        found: list[list[ExplanationT_co]] = [[] for _ in self.queries]
        for index in sorted(range(len(self)), key=lambda index: self._encoded[index].time):
            names = dict.fromkeys([*(each.name for each in self[index][:1]), *self.true_answers(index)])
            found[index] = [self.explain(index, name, groundings=groundings) for name in names]
        return found

    @property
    def steps(self) -> list[int]:
        """The time step of each query."""
        return [encoded.time for encoded in self._encoded]

    def by(self, index: int) -> AnsweredBy:
        """What scored the candidates of a query: rules, the fallback if no rule leads to a candidate, or a model."""
        return self._answers[index].by

    def true_answers(self, index: int) -> list[str]:
        """The true answers of a query, if the data holds facts of its time."""
        return [self.graph.entities.name_of(entity) for entity in self.graph.answers_at(*self._encoded[index])]

    def to_dict(self, index: int) -> dict[str, Any]:
        """One query with its candidates, for JSON."""
        return {
            "query": self.queries[index]._asdict(),
            "by": self._answers[index].by,
            "candidates": [
                {name: value for name, value in candidate._asdict().items() if value is not None}
                for candidate in self[index]
            ],
        } | ({} if self._answers[index].by == "model" else {"note": NOT_PROBABILITIES})

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All candidates of all queries as a polars data frame, one candidate per row; the end in question is null."""
        row = np.repeat(np.arange(len(self)), [len(answers.entity) for answers in self._answers])
        queries = pl.DataFrame(self.queries, schema=dict.fromkeys(Query._fields, pl.String), orient="row")
        name = pl.Series(self.graph.entities.names, dtype=pl.String)
        probability = [answers.probability for answers in self._answers if answers.probability is not None]
        return (
            queries.select(pl.all().gather(row))
            .with_columns(
                pl.Series("rank", _stacked([answers.rank for answers in self._answers], np.int64)),
                name.gather(_stacked([answers.entity for answers in self._answers], np.int64)).alias("candidate"),
                pl.Series("score", _stacked([answers.score for answers in self._answers], np.float64)),
                *([pl.Series("probability", _stacked(probability, np.float64))] if probability else []),
                by=pl.Series([answers.by for answers in self._answers], dtype=pl.String).gather(row),
            )
            .insert_column(0, pl.Series("query", row))
        )

    def _find(self, query: int | Query) -> Query:
        if isinstance(query, int):
            return self.queries[query]
        [given] = as_queries(query)
        return with_names(self.graph, given, encode_queries(self.graph, [given])[0])


def forecast_queries(
    forecaster: ForecasterT,
    explain: Callable[[ForecasterT, Query, str, int], ExplanationT_co],
    queries: Any,
    top: int | None = 10,
    execution: Execution = Execution(),
) -> Forecast[ExplanationT_co]:
    """Answer queries with a forecaster; ``explain`` explains its candidates, with a number of groundings each."""
    if top is not None:
        check_count(top, "The number of candidates to keep")
    given = as_queries(queries)
    encoded = encode_queries(forecaster.graph, given)
    answers = forecaster.answer(encoded, top, execution)
    return Forecast(forecaster, partial(explain, forecaster), given, encoded, answers)


def _stacked(columns: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate([*columns, np.empty(0, dtype)])
