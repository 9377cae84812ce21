"""The queries of an evaluation: every fact of a split in both directions, with its true answers."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from tlogic.errors import InputError, SettingsError
from tlogic.evaluation.ranks import (
    RAW,
    STATIC,
    TGB,
    TIME_AWARE,
    RankCounts,
    TrueAnswers,
    rank_among_negatives,
    rank_answers,
)
from tlogic.evaluation.sampled_negatives import sampled_negatives
from tlogic.forecasting.application import QueryBatch, Scored
from tlogic.forecasting.fallback import object_distributions
from tlogic.forecasting.queries import part_of
from tlogic.graph.arrays import Ints
from tlogic.graph.temporal_graph import TemporalGraph

Filter = Literal["time-aware", "static", "raw"]
Protocol = Literal["paper", "tgb"]
PROTOCOLS: tuple[Protocol, ...] = ("paper", "tgb")
_FILTERS = {"time-aware": TIME_AWARE, "static": STATIC, "raw": RAW}


class SplitQueries:
    """The distinct queries of a split, sorted by time, with their true answers."""

    def __init__(
        self, graph: TemporalGraph, split: str, filter: Filter, multi_step: bool, protocol: Protocol = "paper"
    ) -> None:
        if filter not in _FILTERS:
            raise SettingsError(f"filter must be one of {', '.join(_FILTERS)}, not {filter!r}.")
        self._triples, self._filter = graph.triples, _FILTERS[filter]
        self.batch, self._answers = split_queries(graph, split, multi_step)
        self._negatives = None
        if protocol == "tgb":
            self._filter, self._negatives = TGB, sampled_negatives(graph, split)
        self._fallback = object_distributions(graph, graph.valid_from)
        self.description: dict[str, Any] = {"split": split, "filter": filter, "multi_step": multi_step}
        self.description |= {} if protocol == "paper" else {"protocol": protocol}

    def rank(self, index: Ints, scored: Scored) -> RankCounts:
        """Rank the true answers of some queries among their scored candidates."""
        answers, queries = self._answers_of(index), part_of(self.batch, index)
        if self._negatives is not None:
            n_entities = len(self._triples.slot_start) - 1
            negatives = self._negatives.of(queries)
            return rank_among_negatives(n_entities, queries, answers, scored, self._fallback, *negatives)
        return rank_answers(self._triples, queries, answers, scored, self._fallback, self._filter)

    def is_true(self, index: Ints, scored: Scored) -> Ints:
        """Per scored candidate of some queries: 1 if it is a true answer, else 0."""
        answers, query = self._answers_of(index), np.arange(len(index))
        n_entities = len(self._triples.slot_start) - 1
        true = np.repeat(query, np.diff(answers.start)) * n_entities + answers.entity
        candidates = np.repeat(query, np.diff(scored.start)) * n_entities + scored.entity
        return np.isin(candidates, true).astype(np.int8)

    def in_order(self, index: Sequence[Ints], counts: Sequence[RankCounts]) -> RankCounts:
        """The rank counts of parts of the queries, put into the order of the split's answers."""
        positions = np.concatenate([self._positions(part) for part in index])
        order = np.argsort(positions, kind="stable")
        return RankCounts(*(np.concatenate(column)[order] for column in zip(*counts, strict=True)))

    def _answers_of(self, index: Ints) -> TrueAnswers:
        sizes = self._answers.start[index + 1] - self._answers.start[index]
        return TrueAnswers(np.append(0, np.cumsum(sizes)), self._answers.entity[self._positions(index)])

    def _positions(self, index: Ints) -> Ints:
        """The positions of the answers of some queries."""
        sizes = self._answers.start[index + 1] - self._answers.start[index]
        offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.repeat(self._answers.start[index], sizes) + offsets


def split_queries(graph: TemporalGraph, split: str, multi_step: bool) -> tuple[QueryBatch, TrueAnswers]:
    """The distinct queries of a split in both directions, sorted by time, and the true answers of each."""
    facts = graph.split(split)
    if len(facts.time) == 0:
        raise InputError(
            f"There are no {split} facts to evaluate on. Give a folder with a {split} file, "
            f"or set where the period begins: {split}_from=DATE (--{split}-from DATE)."
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
