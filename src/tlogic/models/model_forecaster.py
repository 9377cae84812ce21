"""ModelForecaster: a graph and a model, ready to answer. What a relation's past queries taught is kept from one query
to the next, so that a query costs milliseconds once its relation was asked before."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock

import numpy as np

from tlogic.evidence.extraction import Extracted, Extraction
from tlogic.evidence.family import Family
from tlogic.evidence.histories import build_histories, ready_until
from tlogic.evidence.history_queries import HistoryQueries, relation_queries
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.model import Model


class ModelForecaster:
    """Gives the evidence for queries, each from what came before it."""

    def __init__(self, graph: TemporalGraph, model: Model, *, until: int = 0) -> None:
        self.graph, self.model = graph, model
        self.histories = build_histories(graph, model.half_lives, max(graph.end, until))
        self._learned: dict[int, tuple[int, Extraction]] = {}
        self._locks = [Lock() for _ in range(len(graph.relations))]
        self._growing = Lock()

    def evidence(self, relation: int, queries: Sequence[EncodedQuery]) -> list[Extracted]:
        """The evidence of queries of one relation that are sorted by time."""
        with self._locks[relation]:
            return self._advance(relation, queries)

    @contextmanager
    def asking(self, query: EncodedQuery) -> Iterator[tuple[Extracted, dict[str, Family]]]:
        """The evidence of one query, and what families had learned before it, which nobody else changes meanwhile."""
        with self._locks[query.relation]:
            [part] = self._advance(query.relation, [query])
            yield part, self._learned[query.relation][1].families

    def _advance(self, relation: int, queries: Sequence[EncodedQuery]) -> list[Extracted]:
        with self._growing:  # another relation's queries may reach further, and must not be cut short
            self.histories = ready_until(self.histories, self.model.half_lives, queries[-1].time)
        extraction, past = self._since_then(relation, queries)
        parts = [part for part in extraction.advance(self.histories, past) if len(part.pairs.query)]
        self._learned[relation] = (queries[-1].time, extraction)
        return parts

    def _since_then(self, relation: int, queries: Sequence[EncodedQuery]) -> tuple[Extraction, HistoryQueries]:
        """What was learned before the first query, and what was asked from then on, the queries in their places."""
        first = queries[0].time
        until, extraction = self._learned.pop(relation, (0, None))  # so that what fails halfway is forgotten
        if extraction is None or until > first:
            until, extraction = 0, Extraction(self.model.families, len(self.graph.relations))
        facts, half = self.graph.facts.between(until, queries[-1].time), len(self.graph.relations.base)
        return extraction, _with_queries(relation_queries(facts, half, relation, self.graph.end + 1), queries)


def _with_queries(past: HistoryQueries, queries: Sequence[EncodedQuery]) -> HistoryQueries:
    """Past queries and queries without answers together, in order of time."""
    subject = np.concatenate([past.subject, [query.subject for query in queries]])
    time = np.concatenate([past.time, [query.time for query in queries]])
    n_answers = np.concatenate([np.diff(past.answer_start), np.zeros(len(queries), np.int64)])
    order = np.argsort(time, kind="stable")
    return past._replace(
        subject=subject[order].astype(np.int32),
        time=time[order].astype(np.int32),
        answer_start=np.append(0, np.cumsum(n_answers[order])).astype(np.int64),
        scored=order >= len(past.time),
    )
