"""What answers questions: rules over the live graph, or a model over its facts."""

from collections.abc import Collection, Sequence
from copy import copy
from itertools import groupby
from threading import Lock
from typing import Any, Literal, Protocol

from tlogic.errors import InputError
from tlogic.explaining import Explanation as RuleExplanation
from tlogic.forecasting import ApplicationSettings, Query
from tlogic.forecasting.forecast import Answered
from tlogic.forecasting.live_forecaster import LiveForecaster
from tlogic.forecasting.queries import encode_queries
from tlogic.graph.live_graph import LiveGraph
from tlogic.models import Model
from tlogic.models.forecasting import ModelForecast, answer
from tlogic.models.model_forecaster import ModelForecaster
from tlogic.models.scoresheet import Scoresheet
from tlogic.rules import Rule, RuleSet

Kind = Literal["rules", "model"]


class Predictor(Protocol):
    """Answers questions over a live graph that is at rest, with some of its reasons switched off."""

    kind: Kind
    version: int

    def ask(self, graph: LiveGraph, queries: Sequence[Query], top: int, without: Collection[str]) -> Answered:
        """The answers to some queries."""

    def explain(self, graph: LiveGraph, query: Query, candidate: str, without: Collection[str], n: int) -> Any:
        """Why a candidate stands where it does, with up to n groundings or facts for each reason."""


class RulePredictor:
    """Rules, applied as the paper does."""

    kind: Kind = "rules"

    def __init__(self, rules: RuleSet, settings: ApplicationSettings, version: int) -> None:
        self.rules, self.settings, self.version = rules, settings, version
        self.id_of = {rule: str(place) for place, rule in enumerate(rules)}
        self._forecaster: LiveForecaster | None = None
        self._making = Lock()

    def ask(self, graph: LiveGraph, queries: Sequence[Query], top: int, without: Collection[str]) -> Answered:
        """The answers to some queries."""
        return self._without(graph, without).ask(queries, top)

    def explain(
        self, graph: LiveGraph, query: Query, candidate: str, without: Collection[str], n: int
    ) -> RuleExplanation:
        """Why a candidate stands where it does."""
        return self._without(graph, without).ask([query], 1).explain(0, candidate, groundings=n)

    def _without(self, graph: LiveGraph, without: Collection[str]) -> LiveForecaster:
        forecaster = self._ready(graph)
        return forecaster.without([self._rule(number) for number in without]) if without else forecaster

    def _ready(self, graph: LiveGraph) -> LiveForecaster:
        with self._making:
            if self._forecaster is None or self._forecaster.graph is not graph or not self._forecaster.is_up_to_date:
                self._forecaster = LiveForecaster(graph, self.rules, self.settings)
            return self._forecaster

    def _rule(self, number: str) -> Rule:
        if not (number.isascii() and number.isdecimal()) or int(number) >= len(self.rules):
            raise InputError(f"There is no rule {number!r} in version {self.version}, which has {len(self.rules):,}.")
        return self.rules[int(number)]


class ModelPredictor:
    """A model. What it knows is built anew from all facts when the first question after a change comes in."""

    kind: Kind = "model"

    def __init__(self, model: Model, version: int) -> None:
        self.model, self.version = model, version
        self._forecaster: ModelForecaster | None = None
        self._of: tuple[LiveGraph, int] | None = None
        self._making = Lock()

    def ask(self, graph: LiveGraph, queries: Sequence[Query], top: int, without: Collection[str]) -> Answered:
        """The answers to some queries."""
        forecaster = self._without(graph, without)
        encoded = encode_queries(forecaster.graph, queries)
        return ModelForecast(forecaster, queries, encoded, answer(forecaster, encoded, top, threads=1))

    def explain(self, graph: LiveGraph, query: Query, candidate: str, without: Collection[str], n: int) -> Scoresheet:
        """Why a candidate stands where it does."""
        forecaster = self._without(graph, without)
        encoded = encode_queries(forecaster.graph, [query])
        return ModelForecast(forecaster, [query], encoded, answer(forecaster, encoded, 1)).explain(
            0, candidate, groundings=n
        )

    def _without(self, graph: LiveGraph, without: Collection[str]) -> ModelForecaster:
        forecaster = self._ready(graph)
        if without:
            forecaster = copy(forecaster)
            forecaster.model = self.model.without(without)
        return forecaster

    def _ready(self, graph: LiveGraph) -> ModelForecaster:
        with self._making:
            if self._forecaster is None or self._of != (graph, graph.version):
                self._forecaster = ModelForecaster(graph.snapshot().graph(), self.model)
                self._of = (graph, graph.version)
            return self._forecaster


def forecast_each(
    predictor: Predictor, graph: LiveGraph, asked: Sequence[tuple[Query, Collection[str]]], top: int
) -> list[tuple[Answered, int]]:
    """The answers to queries with their own reasons switched off each; those with the same are asked together."""
    found: dict[int, tuple[Answered, int]] = {}
    by_without = sorted(range(len(asked)), key=lambda place: sorted(asked[place][1]))
    for _, group in groupby(by_without, key=lambda place: sorted(asked[place][1])):
        places = list(group)
        answers = predictor.ask(graph, [asked[place][0] for place in places], top, asked[places[0]][1])
        found |= {place: (answers, number) for number, place in enumerate(places)}
    return [found[place] for place in range(len(asked))]
