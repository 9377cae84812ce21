"""Forecasts: queries in, ranked candidates with names out."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
import polars as pl

from tlogic.errors import InputError, SettingsError
from tlogic.forecasting.application import QueryBatch, Scored
from tlogic.forecasting.forecaster import Forecaster, RuleForecaster
from tlogic.forecasting.queries import EncodedQuery, Query, as_queries, encode_queries, query_batch, told
from tlogic.forecasting.settings import ApplicationSettings
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.graph_protocol import Graph
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.parallel import in_parallel
from tlogic.rules import RuleSet

if TYPE_CHECKING:
    from tlogic.explaining import Explanation
    from tlogic.models.forecasting import ModelForecast
    from tlogic.models.model import Model

AnsweredBy = Literal["rules", "fallback", "model"]


class Candidate(NamedTuple):
    """One answer to a query. Candidates with equal scores share their rank."""

    rank: int
    name: str
    score: float
    probability: float | None = None
    """By a model: how likely it is to come true."""


class Answers(NamedTuple):
    """The best candidates of one query, in numbers, best first."""

    entity: Ints
    score: Floats
    by: AnsweredBy
    """What gave them: rules, where none leads anywhere the fallback, or a model."""
    probability: Floats | None = None
    """By a model: how likely each is to come true."""

    @property
    def rank(self) -> Ints:
        """Per candidate: one more than there are candidates with higher scores."""
        return np.searchsorted(-self.score, -self.score) + 1


class Answered:
    """The answers to some queries, whatever gave them."""

    def __init__(
        self,
        graph: Graph,
        queries: Sequence[Query],
        encoded: Sequence[EncodedQuery],
        answers: Sequence[Answers],
    ) -> None:
        self.graph = graph
        self.queries = [told(graph, *pair) for pair in zip(queries, encoded, strict=True)]
        self._numbered = encoded
        self._answers = answers

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        found = sum(len(answers.entity) for answers in self._answers)
        queries, candidates = "query" if len(self) == 1 else "queries", "candidate" if found == 1 else "candidates"
        return f"{type(self).__name__}({len(self):,} {queries}, {found:,} {candidates})"

    def __getitem__(self, place: int) -> list[Candidate]:
        """The candidates of one query, best first."""
        answers, name = self._answers[place], self.graph.entities.name_of
        likely = [None] * len(answers.entity) if answers.probability is None else answers.probability.tolist()
        rows = zip(answers.rank.tolist(), answers.entity.tolist(), answers.score.tolist(), likely, strict=True)
        return [Candidate(rank, name(entity), score, probability) for rank, entity, score, probability in rows]

    def __iter__(self) -> Iterator[list[Candidate]]:
        return (self[place] for place in range(len(self)))

    def by(self, place: int) -> AnsweredBy:
        """What gave the candidates of a query: rules, the fallback where no rule leads anywhere, or a model."""
        return self._answers[place].by

    def true_answers(self, place: int) -> list[str]:
        """What really happened, where the data holds it: the answers at the time of the query."""
        return [self.graph.entities.name_of(entity) for entity in self.graph.answers_at(*self._numbered[place])]

    def to_dict(self, place: int) -> dict[str, Any]:
        """The answer to one query, for JSON."""
        return {
            "query": self.queries[place]._asdict(),
            "by": self._answers[place].by,
            "candidates": [
                {name: value for name, value in candidate._asdict().items() if value is not None}
                for candidate in self[place]
            ],
        }

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All candidates of all queries, as a polars data frame; what a query asks for is null."""
        sizes = [len(answers.entity) for answers in self._answers]
        row = np.repeat(np.arange(len(self)), sizes)
        asked = pl.DataFrame(self.queries, schema=dict.fromkeys(Query._fields, pl.String), orient="row")
        name = pl.Series(self.graph.entities.names, dtype=pl.String)
        likely = [answers.probability for answers in self._answers if answers.probability is not None]
        return (
            asked.select(pl.all().gather(row))
            .with_columns(
                pl.Series("rank", _stacked([answers.rank for answers in self._answers], np.int64)),
                name.gather(_stacked([answers.entity for answers in self._answers], np.int64)).alias("candidate"),
                pl.Series("score", _stacked([answers.score for answers in self._answers], np.float64)),
                *([pl.Series("probability", _stacked(likely, np.float64))] if likely else []),
                by=pl.Series([answers.by for answers in self._answers], dtype=pl.String).gather(row),
            )
            .insert_column(0, pl.Series("query", row))
        )

    def _find(self, query: int | Query) -> Query:
        if isinstance(query, int):
            return self.queries[query]
        [asked] = as_queries(query)
        return told(self.graph, asked, encode_queries(self.graph, [asked])[0])


class Forecast(Answered):
    """The answers of rules to some queries. Made by ``tlogic.forecast``."""

    def __init__(self, forecaster: RuleForecaster, *answered: Any) -> None:
        super().__init__(forecaster.graph, *answered)
        self.forecaster = forecaster

    def explain(self, query: int | Query, candidate: str, *, groundings: int = 1) -> "Explanation":
        """Why a candidate of a query has its score and its rank, with up to ``groundings`` groundings of each rule."""
        from tlogic.explaining import explain

        return explain(self.forecaster, self._find(query), candidate, groundings=groundings)


@overload
def forecast(graph: TemporalGraph, rules: RuleSet, queries: Any, *args: Any, **changes: Any) -> Forecast: ...


@overload
def forecast(graph: TemporalGraph, rules: "Model", queries: Any, *args: Any, **changes: Any) -> "ModelForecast": ...


def forecast(
    graph: TemporalGraph,
    rules: "RuleSet | Model",
    queries: Any,
    settings: ApplicationSettings | None = None,
    *,
    top: int | None = 10,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[..., Any] | None = None,
    **changes: Any,
) -> "Forecast | ModelForecast":
    """Answer queries with rules, or a model, from the facts before the time of each.

    ``queries`` is a ``Query``, a list of them (or of tuples or mappings), or a data frame with the columns subject,
    relation, object and at, where what is asked is null. The ``top`` best candidates are kept, or all (None). Settings
    can be given whole or one by one: ``forecast(graph, rules, queries, window=200)``. With ``cluster``, the address of
    a Ray cluster or ``auto``, it runs there; the answers are the same.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> rules = tlogic.learn(graph, lengths=(1,))
    >>> answers = tlogic.forecast(graph, rules, [("Kite Aviation", "sue")], top=1)
    >>> print(answers.queries[0])
    (Kite Aviation, sue, ?, 2031-03-27)
    >>> [candidate.rank for candidate in answers[0]]
    [1]
    >>> answers
    Forecast(1 query, 1 candidate)
    """
    if top is not None and top < 1:
        raise InputError(f"The number of candidates to keep must be 1 or more, not {top}.")
    asked = as_queries(queries)
    encoded = encode_queries(graph, asked)
    if not isinstance(rules, RuleSet):
        from tlogic.models.forecasting import forecast_with_model

        if settings or changes:
            raise SettingsError("A model has its settings in itself.")
        return forecast_with_model(graph, rules, asked, encoded, top, threads, cluster)
    settings = settings or ApplicationSettings(**changes)
    last = max((query.time for query in encoded), default=0)
    forecaster = Forecaster(graph, rules, settings, until=last)
    arrays = query_batch(encoded)
    in_time = np.argsort(arrays.time, kind="stable")
    chunks = [in_time[chunk] for chunk in forecaster.chunks(arrays.relation[in_time])]
    work = partial(_new_worker, forecaster, arrays, top)
    follow = progress or (lambda items, **_: items)
    answered = follow(in_parallel(work, chunks, threads, cluster), total=len(chunks), description="queries")
    answers: dict[int, Answers | None] = {}
    for chunk, found in zip(chunks, answered, strict=True):
        answers.update(zip(chunk.tolist(), found, strict=True))
    return Forecast(
        forecaster,
        asked,
        encoded,
        [answers[place] or fallback_answers(forecaster, query, top) for place, query in enumerate(encoded)],
    )


def _new_worker(forecaster: Forecaster, queries: QueryBatch, top: int | None) -> Callable[[Ints], list[Answers | None]]:
    worker = forecaster.new_worker()

    def answer(chunk: Ints) -> list[Answers | None]:
        return answers_by_rules(worker(QueryBatch(*(column[chunk] for column in queries))), top)

    return answer


def answers_by_rules(scored: Scored, top: int | None) -> list[Answers | None]:
    """The best candidates of each query; None where no rule leads to any."""
    parts = zip(scored.start[:-1].tolist(), scored.start[1:].tolist(), strict=True)
    return [
        best_answers(scored.entity[start:end], scored.score[start:end], top, by="rules") if end > start else None
        for start, end in parts
    ]


def fallback_answers(forecaster: RuleForecaster, query: EncodedQuery, top: int | None) -> Answers:
    """The best candidates where rules give none."""
    return best_answers(*forecaster.fallback.of(query.relation, query.time), top, by="fallback")


def best_answers(
    entity: Ints, score: Floats, top: int | None, by: AnsweredBy, probability: Floats | None = None
) -> Answers:
    """The candidates with the highest scores, the lowest number first among equals."""
    order = np.lexsort((entity, -score))[:top]
    likely = None if probability is None else probability[order]
    return Answers(entity[order].astype(np.int64), score[order], by, likely)


def _stacked(columns: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate([*columns, np.empty(0, dtype)])
