"""Forecasts by a model: queries in, ranked candidates with probabilities and their scoresheets out."""

from collections.abc import Iterator, Sequence
from typing import Any

from tlogic.evidence.extraction import Extracted
from tlogic.forecasting.forecast import Answered, Answers, best_answers
from tlogic.forecasting.queries import EncodedQuery, Query, encode_queries
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.model import Model
from tlogic.models.model_forecaster import ModelForecaster
from tlogic.models.scoresheet import Scoresheet, scoresheet
from tlogic.parallel import in_parallel


class ModelForecast(Answered):
    """The answers of a model to some queries. Made by ``tlogic.forecast``."""

    def __init__(self, forecaster: ModelForecaster, *answered: Any) -> None:
        super().__init__(forecaster.graph, *answered)
        self.forecaster = forecaster

    def explain(self, query: int | Query, candidate: str, *, groundings: int = 1) -> Scoresheet:
        """Why a candidate of a query has its score and its rank: the sum of what evidence says."""
        asked = self._find(query)
        [encoded] = encode_queries(self.graph, [asked])
        return scoresheet(self.forecaster, asked, encoded, candidate, n_facts=groundings)


def forecast_with_model(
    graph: TemporalGraph,
    model: Model,
    queries: Sequence[Query],
    encoded: Sequence[EncodedQuery],
    top: int | None,
    threads: int | None,
    cluster: str | None = None,
) -> ModelForecast:
    """Answer queries with a model; those of one relation together, because they learn from the same past queries."""
    forecaster = ModelForecaster(graph, model, until=max((query.time for query in encoded), default=0))
    return ModelForecast(forecaster, queries, encoded, answer(forecaster, encoded, top, threads, cluster))


def answer(
    forecaster: ModelForecaster,
    queries: Sequence[EncodedQuery],
    top: int | None = None,
    threads: int | None = None,
    cluster: str | None = None,
) -> list[Answers]:
    """The best candidates of each query."""
    by_relation: dict[int, list[int]] = {}
    for place, query in enumerate(queries):
        by_relation.setdefault(query.relation, []).append(place)

    def work(places: list[int]) -> list[tuple[int, Answers]]:
        own = sorted(places, key=lambda place: queries[place].time)
        parts = forecaster.evidence(queries[own[0]].relation, [queries[place] for place in own])
        found = (answers for part in parts for answers in _best(forecaster.model, part, top))
        return list(zip(own, found, strict=True))

    answered = in_parallel(lambda: work, list(by_relation.values()), threads, cluster)
    found = dict(pair for pairs in answered for pair in pairs)
    return [found[place] for place in range(len(queries))]


def _best(model: Model, part: Extracted, top: int | None) -> Iterator[Answers]:
    scores = model.scores(part.evidence)
    probabilities = model.probabilities(part.pairs.start, scores)
    for start, end in zip(part.pairs.start[:-1].tolist(), part.pairs.start[1:].tolist(), strict=True):
        own = slice(start, end)
        yield best_answers(part.pairs.candidate[own], scores[own], top, "model", probabilities[own])
