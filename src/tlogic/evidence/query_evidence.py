"""QueryEvidence: the evidence for any query over one graph, from earlier facts.

Families that count learn from past queries of the same relation. What they have counted for a relation is kept from
one query to the next, so that a query takes milliseconds once its relation was queried before.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np

from tlogic.evidence.extraction import Extracted, Extraction
from tlogic.evidence.family import Family
from tlogic.evidence.histories import build_histories, ready_until
from tlogic.evidence.history_queries import HistoryQueries, relation_queries
from tlogic.execution import Execution
from tlogic.forecasting.application import QueryBatch
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.temporal_graph import TemporalGraph

Result = TypeVar("Result")


class EvidencePart(NamedTuple):
    """The evidence of some queries of a batch, all of one relation."""

    query: Ints
    """The position of each query in the batch."""
    extracted: Extracted


class QueryEvidence:
    """Extracts the evidence for queries over one graph."""

    def __init__(self, graph: TemporalGraph, families: Sequence[str], half_lives: Floats) -> None:
        self.graph, self.families = graph, tuple(families)
        self._half_lives = half_lives
        self.histories = build_histories(graph, half_lives, graph.end)
        self._counted: dict[int, tuple[int, Extraction]] = {}
        self._relation_locks = [Lock() for _ in range(len(graph.relations))]
        self._histories_lock = Lock()

    def map(
        self, queries: QueryBatch, function: Callable[[EvidencePart], Result], execution: Execution, *, keep: bool
    ) -> Iterator[list[Result]]:
        """Apply a function to the evidence of distinct queries, sorted by time; one list of results per relation.

        Args:
            queries: The queries.
            function: What to compute from a part of them; it runs where the evidence was extracted.
            execution: How work is spread over threads or a cluster, and who is shown its progress.
            keep: Whether to keep what was counted for later queries. It takes memory for each relation.
        """
        self._prepare_histories(int(queries.time.max(initial=0)))
        by_relation = [np.flatnonzero(queries.relation == r) for r in self._largest_first(queries.relation)]

        def work(own: Ints) -> list[Result]:
            batch = QueryBatch(*(column[own] for column in queries))
            relation = int(batch.relation[0])
            with self._relation_locks[relation]:
                parts = self._advance(relation, batch, keep=keep)
                return [function(EvidencePart(own[index], part)) for index, part in parts]

        return execution.run(lambda: work, by_relation, "queries")

    @contextmanager
    def at(self, query: EncodedQuery) -> Iterator[tuple[Extracted, dict[str, Family]]]:
        """The evidence of one query, with the families as they were before it; no other thread changes that."""
        batch = QueryBatch(*(np.array([value], np.int64) for value in (*query, query.time)))
        self._prepare_histories(query.time)
        with self._relation_locks[query.relation]:
            [(_, part)] = self._advance(query.relation, batch, keep=True)
            yield part, self._counted[query.relation][1].families

    def _prepare_histories(self, until: int) -> None:
        with self._histories_lock:  # queries of another thread may reach further, and must not be cut short
            self.histories = ready_until(self.histories, self._half_lives, until)

    def _largest_first(self, relations: Ints) -> list[int]:
        """The distinct relations, those with most facts first, so that workers end at about the same time."""
        n_facts = np.tile(np.bincount(self.graph.facts.relation, minlength=len(self.graph.relations.base)), 2)
        distinct = np.unique(relations)
        return distinct[np.argsort(-n_facts[distinct], kind="stable")].tolist()

    def _advance(self, relation: int, queries: QueryBatch, *, keep: bool) -> Iterator[tuple[Ints, Extracted]]:
        """The evidence of queries of one relation, in parts, each with the positions of its queries."""
        first, last = int(queries.time[0]), int(queries.time[-1])
        until, extraction = self._counted.pop(relation, (0, None))  # popped, so that a failure leaves nothing half done
        if extraction is None or until > first:
            until, extraction = 0, Extraction(self.families, len(self.graph.relations))
        facts, half = self.graph.facts.between(until, last), len(self.graph.relations.base)
        history, index = _with_queries(relation_queries(facts, half, relation, self.graph.end + 1), queries)
        done = 0
        for part in extraction.advance(self.histories, history):
            n_queries = len(part.pairs.query)
            if n_queries:
                yield index[done : done + n_queries], part
            done += n_queries
        if keep:
            self._counted[relation] = (last, extraction)


def _with_queries(history: HistoryQueries, queries: QueryBatch) -> tuple[HistoryQueries, Ints]:
    """Past queries together with queries to be scored, sorted by time, and the order in which the latter come.

    A query that is among the past ones is scored there; the others are added without answers.
    """
    at = np.searchsorted(_keys(history.time, history.subject), _keys(queries.time, queries.subject))
    keys = np.append(_keys(history.time, history.subject), -1)
    is_past = keys[at] == _keys(queries.time, queries.subject)
    scored = np.zeros(len(history.time), np.bool_)
    scored[at[is_past]] = True
    new = np.flatnonzero(~is_past)
    time = np.concatenate([history.time, queries.time[new]])
    order = np.argsort(time, kind="stable")
    n_answers = np.concatenate([np.diff(history.answer_start), np.zeros(len(new), np.int64)])
    position = np.full(len(history.time), -1)
    position[at[is_past]] = np.flatnonzero(is_past)
    position = np.concatenate([position, new])[order]
    merged = history._replace(
        subject=np.concatenate([history.subject, queries.subject[new]])[order].astype(np.int32),
        time=time[order].astype(np.int32),
        answer_start=np.append(0, np.cumsum(n_answers[order])).astype(np.int64),
        scored=np.concatenate([scored, np.ones(len(new), np.bool_)])[order],
    )
    return merged, position[position >= 0]


def _keys(time: Ints, subject: Ints) -> Ints:
    """One number per query of a relation, ascending with time and subject."""
    return (time.astype(np.int64) << 32) + subject
