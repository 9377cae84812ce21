"""The questions of an evaluation: every fact of a split asked in both directions, and its true answers."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tlogic.errors import InputError, SettingsError
from tlogic.evaluation.ranks import RAW, STATIC, TIME_AWARE, RankCounts, TrueAnswers, rank_answers
from tlogic.forecasting.application import QueryBatch, Scored
from tlogic.forecasting.fallback import object_distributions
from tlogic.forecasting.forecaster import QUERIES_PER_CHUNK, Forecaster
from tlogic.graph.arrays import Ints
from tlogic.graph.temporal_graph import TemporalGraph

Filter = Literal["time-aware", "static", "raw"]
FILTERS = {"time-aware": TIME_AWARE, "static": STATIC, "raw": RAW}


class SplitQueries:
    """The queries of a split with their answers; they are taken in chunks, and their placings put together again."""

    def __init__(self, graph: TemporalGraph, split: str, filter: Filter, multi_step: bool) -> None:
        if filter not in FILTERS:
            raise SettingsError(f"filter must be one of {', '.join(FILTERS)}, not {filter!r}.")
        self._triples, self._filter = graph.triples, FILTERS[filter]
        self._queries, self._answers = split_queries(graph, split, multi_step)
        self._fallback = object_distributions(graph, graph.valid_from)
        self.described = {"split": split, "filter": filter, "multi_step": multi_step}

    def chunks(self, forecaster: Forecaster, size: int = QUERIES_PER_CHUNK) -> list[Ints]:
        """The queries in chunks as a forecaster likes them, each sorted by time."""
        return forecaster.chunks(self._queries.relation, size)

    def of(self, chunk: Ints) -> QueryBatch:
        """The queries of a chunk."""
        return QueryBatch(*(column[chunk] for column in self._queries))

    def place(self, chunk: Ints, queries: QueryBatch, scored: Scored) -> RankCounts:
        """The places of a chunk's true answers among its scored candidates."""
        sizes = self._sizes(chunk)
        answers = TrueAnswers(np.append(0, np.cumsum(sizes)), self._answers.entity[self._places(chunk)])
        return rank_answers(self._triples, queries, answers, scored, self._fallback, self._filter)

    def together(self, chunks: Sequence[Ints], rank_counts: Sequence[RankCounts]) -> RankCounts:
        """The placings of all chunks, in the order of the answers."""
        order = np.argsort(np.concatenate([self._places(chunk) for chunk in chunks]), kind="stable")
        return RankCounts(*(np.concatenate(column)[order] for column in zip(*rank_counts, strict=True)))

    def _sizes(self, chunk: Ints) -> Ints:
        return self._answers.start[chunk + 1] - self._answers.start[chunk]

    def _places(self, chunk: Ints) -> Ints:
        """Where the answers of some queries stand."""
        sizes = self._sizes(chunk)
        offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.repeat(self._answers.start[chunk], sizes) + offsets


def split_queries(graph: TemporalGraph, split: str, multi_step: bool) -> tuple[QueryBatch, TrueAnswers]:
    """The distinct queries of a split in both directions, sorted by time, and the true answers of each."""
    facts = graph.split(split)
    if len(facts.time) == 0:
        raise InputError(
            f"There are no {split} facts to evaluate on; give a folder with a {split} file, "
            "or say where the period begins."
        )
    half = len(graph.relations.base)
    subject = np.concatenate([facts.subject, facts.object]).astype(np.int64)
    relation = np.concatenate([facts.relation, facts.relation + half]).astype(np.int64)
    answer = np.concatenate([facts.object, facts.subject])
    when = np.concatenate([facts.time, facts.time]).astype(np.int64)
    order = np.lexsort((answer, relation, subject, when))
    subject, relation, answer, when = (column[order] for column in (subject, relation, answer, when))
    same = (when[1:] == when[:-1]) & (subject[1:] == subject[:-1]) & (relation[1:] == relation[:-1])
    first = np.flatnonzero(np.append(True, ~same))
    times = when[first]
    visible_until = np.minimum(times, facts.time[0]) if multi_step else times
    queries = QueryBatch(subject[first], relation[first], times, visible_until)
    return queries, TrueAnswers(np.append(first, len(answer)), answer)
