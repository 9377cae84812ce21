"""Predictors: answer queries over the live graph with rules, or with a model."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import groupby
from threading import Lock
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.live_evidence import LiveQueryEvidence
from tlogic.evidence.query_evidence import QueryEvidence
from tlogic.evidence.relation_numbers import encode_relations
from tlogic.explaining import ModelExplanation, RuleExplanation, explain_by_model, explain_by_rules
from tlogic.forecasting import ApplicationSettings, Query
from tlogic.forecasting.forecast import Forecast, forecast_queries
from tlogic.forecasting.live_forecaster import LiveRuleForecaster
from tlogic.forecasting.queries import encode_queries
from tlogic.graph.live_graph import LiveGraph
from tlogic.models import CountedRule, Model, ModelForecaster
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
from tlogic.rules import Rule, RuleSet
from tlogic.serving.engine.past_forecaster import PastForecaster
from tlogic.serving.engine.stored_memories import StoredMemories
from tlogic.serving.engine.time_limit import TimeLimit

Kind = Literal["rules", "model"]
_NO_PROBABILITIES = (
    "Rules are in use, which rank candidates but give no probabilities of events; start the service with --model MODEL."
)


class Predictor(Protocol):
    """Answers queries over a live graph, with some rules or kinds of evidence switched off.

    The caller holds the read lock while it uses the live graph, so that the graph does not change meanwhile.
    """

    kind: Kind
    version: int

    @property
    def data(self) -> Mapping[str, Any]:
        """The description of the facts that the rules or the model were learned from."""

    @property
    def n_rules(self) -> int:
        """The number of rules, or of the rules that the evidence of a model counts."""

    @property
    def all_rules(self) -> Sequence[Rule | CountedRule]:
        """The rules, or the rules that the evidence of a model counts."""

    def forecaster(self, graph: LiveGraph) -> Any:
        """Answers queries over the live graph."""

    def past_forecaster(self, graph: LiveGraph, queries: Sequence[Query]) -> PastForecaster[Any] | None:
        """Answers queries over a copy of the graph; None if the live graph answers these queries as fast."""

    def forecast(
        self, forecaster: Any, queries: Sequence[Query], top: int, without: Collection[str], limit: TimeLimit
    ) -> Forecast[Any]:
        """Rank the candidates of queries with one of its forecasters."""

    def explain(
        self, forecaster: Any, query: Query, candidate: str, without: Collection[str], n: int, limit: TimeLimit
    ) -> RuleExplanation | ModelExplanation:
        """Explain a candidate with one of its forecasters, with up to n groundings or facts per reason."""

    @property
    def has_occurrence(self) -> bool:
        """Whether it gives probabilities of events, with nobody having asked."""

    def occurrence(self, graph: LiveGraph) -> OccurrenceForecaster:
        """Judges events after the last one. Raises `InputError` if there are no probabilities of events."""

    def past_occurrence(self, graph: LiveGraph) -> PastForecaster[OccurrenceForecaster]:
        """Judges events of the past. Raises `InputError` if there are no probabilities of events."""

    def catch_up(self, graph: LiveGraph) -> int:
        """Learn from events that arrived; returns how many late ones forecasts do not use yet."""

    def save_memory(self) -> None:
        """Store what was learned from events, so that the next start is fast."""


class RulePredictor:
    """Applies rules to the live graph."""

    kind: Kind = "rules"

    def __init__(self, rules: RuleSet, settings: ApplicationSettings, version: int) -> None:
        self.rules, self.settings, self.version = rules, settings, version
        self.id_of = {rule: str(index) for index, rule in enumerate(rules)}
        self._forecaster: LiveRuleForecaster | None = None
        self._lock = Lock()

    @property
    def data(self) -> Mapping[str, Any]:
        """The description of the facts that the rules were learned from."""
        return self.rules.data

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.rules)

    @property
    def all_rules(self) -> Sequence[Rule]:
        """The rules."""
        return self.rules.rules

    def forecaster(self, graph: LiveGraph) -> LiveRuleForecaster:
        """Answers queries over the live graph."""
        with self._lock:
            if self._forecaster is None or self._forecaster.graph is not graph or not self._forecaster.is_up_to_date:
                self._forecaster = LiveRuleForecaster(graph, self.rules, self.settings)
            return self._forecaster

    def past_forecaster(self, graph: LiveGraph, queries: Sequence[Query]) -> None:  # noqa: ARG002
        """Rules have no memory to build, so the live graph answers queries about the past as well."""
        return

    def forecast(
        self,
        forecaster: LiveRuleForecaster,
        queries: Sequence[Query],
        top: int,
        without: Collection[str],
        limit: TimeLimit,
    ) -> Forecast[Any]:
        """Rank the candidates of queries."""
        fewer = self._without(forecaster, without)
        return forecast_queries(fewer, explain_by_rules, queries, top, limit.execution)

    def explain(
        self,
        forecaster: LiveRuleForecaster,
        query: Query,
        candidate: str,
        without: Collection[str],
        n: int,
        limit: TimeLimit,
    ) -> RuleExplanation:
        """Explain a candidate, with up to n groundings per rule."""
        limit.check()
        return explain_by_rules(self._without(forecaster, without), query, candidate, n)

    @property
    def has_occurrence(self) -> bool:
        """Rules give no probabilities."""
        return False

    def occurrence(self, graph: LiveGraph) -> OccurrenceForecaster:  # noqa: ARG002
        """Rules give no probabilities."""
        raise InputError(_NO_PROBABILITIES)

    def past_occurrence(self, graph: LiveGraph) -> PastForecaster[OccurrenceForecaster]:  # noqa: ARG002
        """Rules give no probabilities."""
        raise InputError(_NO_PROBABILITIES)

    def catch_up(self, graph: LiveGraph) -> int:  # noqa: ARG002
        """Nothing is learned from single events, so none is late."""
        return 0

    def save_memory(self) -> None:
        """Nothing is stored."""

    def _without(self, forecaster: LiveRuleForecaster, without: Collection[str]) -> LiveRuleForecaster:
        return forecaster.without([self._rule(rule_id) for rule_id in without]) if without else forecaster

    def _rule(self, rule_id: str) -> Rule:
        if not (rule_id.isascii() and rule_id.isdecimal()) or int(rule_id) >= len(self.rules):
            raise InputError(
                f"Unknown rule id {rule_id!r}: version {self.version} has {len(self.rules):,} rules, numbered from 0."
            )
        return self.rules[int(rule_id)]


class _Past(NamedTuple):
    """Forecasters of the past, over a copy of the live graph at a version."""

    version: int
    occurrence: PastForecaster[OccurrenceForecaster]
    queries: PastForecaster[ModelForecaster]


class ModelPredictor:
    """Applies a model to the live graph. Its memory learns from events as they arrive."""

    kind: Kind = "model"

    def __init__(self, model: Model, version: int, memories: StoredMemories) -> None:
        self.model, self.version, self._memories = model, version, memories
        self._evidence: LiveQueryEvidence | None = None
        self._past: _Past | None = None
        self._lock = Lock()

    @property
    def data(self) -> Mapping[str, Any]:
        """The description of the facts that the model was fitted to."""
        return self.model.data

    @property
    def n_rules(self) -> int:
        """The number of rules that the evidence counts."""
        return sum(len(counts.body) for counts in self.model.counted.counts)

    @property
    def all_rules(self) -> Sequence[CountedRule]:
        """The rules that the evidence counts."""
        return self.model.rules

    def forecaster(self, graph: LiveGraph) -> ModelForecaster:
        """Answers queries over the live graph, with the memory of all events."""
        return ModelForecaster(graph, self.model, self._evidence_of(graph))

    def past_forecaster(self, graph: LiveGraph, queries: Sequence[Query]) -> PastForecaster[ModelForecaster] | None:
        """Answers queries over a copy of the graph, if the memory of all events cannot answer some of these."""
        newest = graph.end - 1
        is_past = any(encoded.time < newest for encoded in encode_queries(graph, queries))
        return self._past_of(graph).queries if is_past else None

    def forecast(
        self,
        forecaster: ModelForecaster,
        queries: Sequence[Query],
        top: int,
        without: Collection[str],
        limit: TimeLimit,
    ) -> Forecast[Any]:
        """Rank the candidates of queries."""
        fewer = forecaster.without(without) if without else forecaster
        return forecast_queries(fewer, explain_by_model, queries, top, limit.execution)

    def explain(
        self,
        forecaster: ModelForecaster,
        query: Query,
        candidate: str,
        without: Collection[str],
        n: int,
        limit: TimeLimit,
    ) -> ModelExplanation:
        """Explain a candidate, with up to n facts per kind of evidence."""
        graph = forecaster.graph
        [encoded] = encode_queries(graph, [query])
        heads = encode_relations(np.array([encoded.relation]), len(graph.relations.base))
        with forecaster.evidence.memory_at(encoded.time, heads, limit.execution):
            pass  # a memory of the past takes long; the explanation uses the same
        return explain_by_model(forecaster.without(without) if without else forecaster, query, candidate, n)

    @property
    def has_occurrence(self) -> bool:
        """Whether the model file has an occurrence model."""
        return self.model.occurrence is not None

    def occurrence(self, graph: LiveGraph) -> OccurrenceForecaster:
        """Judges events after the last one, with the memory that forecasts use as well."""
        return OccurrenceForecaster(graph, self.model, self._evidence_of(graph))

    def past_occurrence(self, graph: LiveGraph) -> PastForecaster[OccurrenceForecaster]:
        """Judges events of the past, over a copy of the graph."""
        return self._past_of(graph).occurrence

    def catch_up(self, graph: LiveGraph) -> int:
        """Learn from events that arrived; returns how many late ones wait until the memory is built anew."""
        with self._lock:
            if self._past is not None and self._past.version != graph.version:
                self._past = None
        evidence = self._evidence_of(graph)
        evidence.catch_up()
        return evidence.n_late

    def save_memory(self) -> None:
        """Store the memory, so that the next start need not learn from all events again."""
        if self._evidence is not None:
            self._memories.save(self._evidence, self.model)

    def _past_of(self, graph: LiveGraph) -> "_Past":
        """The forecasters of the past, over a copy of the graph that is kept until events arrive."""
        with self._lock:
            if self._past is None or self._past.version != graph.version:
                copy, model = cache(graph.snapshot().graph), self.model
                self._past = _Past(
                    graph.version,
                    PastForecaster(lambda: OccurrenceForecaster.over_time(copy(), model)),
                    PastForecaster(
                        lambda: ModelForecaster(copy(), model, QueryEvidence(copy(), model.memory_settings))
                    ),
                )
            return self._past

    def _evidence_of(self, graph: LiveGraph) -> LiveQueryEvidence:
        with self._lock:
            if self._evidence is None or self._evidence.graph is not graph:
                self._evidence = self._memories.evidence(graph, self.model)
            return self._evidence


def forecast_each(
    predictor: Predictor,
    forecaster: Any,
    queries: Sequence[tuple[Query, Collection[str]]],
    top: int,
    limit: TimeLimit,
) -> list[tuple[Forecast[Any], int]]:
    """For each query and what it switches off: a forecast and the query's index in it.

    Queries that switch off the same are answered together.
    """
    found: dict[int, tuple[Forecast[Any], int]] = {}
    by_without = sorted(range(len(queries)), key=lambda index: sorted(queries[index][1]))
    for _, group in groupby(by_without, key=lambda index: sorted(queries[index][1])):
        indices = list(group)
        forecast = predictor.forecast(forecaster, [queries[i][0] for i in indices], top, queries[indices[0]][1], limit)
        found |= {index: (forecast, position) for position, index in enumerate(indices)}
    return [found[index] for index in range(len(queries))]
