"""ModelForecaster: a model that is ready to answer queries over one graph."""

from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from functools import partial
from itertools import chain
from typing import Any, TypeVar
from weakref import ref

import numpy as np

from tlogic.errors import SettingsError
from tlogic.evidence.memory import Evidence
from tlogic.evidence.query_evidence import BaseQueryEvidence, QueryEvidence
from tlogic.execution import Execution
from tlogic.forecasting.answers import Answers, ScoredQueries
from tlogic.forecasting.application import QueryBatch, Scored
from tlogic.forecasting.queries import EncodedQuery, distinct_in_time
from tlogic.graph.graph_protocol import Graph
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.boosting import lightgbm
from tlogic.models.model import Model

Result = TypeVar("Result")


class ModelForecaster:
    """Answers queries over one graph with one model, each from the facts before its time.

    Args:
        graph: The graph: a ``TemporalGraph``, or any graph if its evidence is given.
        model: The model.
        evidence: The evidence for queries over the graph.
    """

    def __init__(self, graph: Any, model: Model, evidence: BaseQueryEvidence | None = None) -> None:
        if model.trees is not None:
            lightgbm()  # missing packages are noticed before the events are learned, which may take minutes
        self.graph: Graph = graph
        self.model = model
        self.evidence = evidence or evidence_of(graph, model)

    @property
    def description(self) -> dict[str, Any]:
        """How the model was fitted."""
        return dict(self.model.settings)

    def without(self, families: Collection[str]) -> "ModelForecaster":
        """The same forecaster with some families of evidence switched off; both share what was counted."""
        fewer = copy(self)
        fewer.model = self.model.without(families)
        return fewer

    def answer(
        self, queries: Sequence[EncodedQuery], top: int | None, execution: Execution = Execution()
    ) -> list[Answers]:
        """The best candidates of each query, with their probabilities."""
        distinct, batch = distinct_in_time(queries)
        results = self.evidence.map(batch, partial(self._best, top), execution)
        found = {distinct[index]: answers for index, answers in chain.from_iterable(chain.from_iterable(results))}
        return [found[query] for query in queries]

    def prepare(self, queries: Sequence[EncodedQuery]) -> None:
        """Begin with a memory of the past that serves the queries of all relations, in order of time."""
        if queries:
            self.evidence.prepare(min(query.time for query in queries), np.array([query.relation for query in queries]))

    def map_scored(
        self, queries: QueryBatch, function: Callable[[ScoredQueries], Result], execution: Execution = Execution()
    ) -> Iterator[Result]:
        """Score a batch that is sorted by time, some queries at a time, and apply a function to each part."""
        if (queries.visible_until != queries.time).any():
            raise SettingsError("A model forecasts a single step: it cannot leave out the facts of a split.")
        results = self.evidence.map(queries, lambda part: function(self._scored(part)), execution)
        return chain.from_iterable(results)

    def _best(self, top: int | None, part: Evidence) -> list[tuple[int, Answers]]:
        return self._scored(part).best(top, by="model", rank=self.graph.entity_rank)

    def _scored(self, part: Evidence) -> ScoredQueries:
        query, context, evidence, history = part
        scores = self.model.scores(evidence)
        probability = self.model.probabilities(context.start, scores, history)
        expected = self.model.expected_answers(context.start, history)
        no_rules = np.zeros(len(query), np.int64)
        return ScoredQueries(query, Scored(context.start, context.candidate, scores, no_rules), probability, expected)


_latest: list[tuple[ref[TemporalGraph], QueryEvidence]] = []
"""The evidence that was used last: its memory serves the next model with the same families, too."""


def evidence_of(graph: TemporalGraph, model: Model) -> QueryEvidence:
    """The evidence for a graph, with the memory of the last time if that was of the same graph."""
    for known, evidence in _latest:
        if known() is graph and evidence.settings == model.memory_settings:
            return evidence
    evidence = QueryEvidence(graph, model.memory_settings)
    _latest[:] = [(ref(graph), evidence)]
    return evidence
