"""The rank of a true answer among the candidates of its query, with ties resolved in three ways."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.forecasting.application import QueryBatch, Scored
from tlogic.forecasting.fallback import ObjectDistributions
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.binary_search import find
from tlogic.graph.triples import TripleIndex

RAW, STATIC, TIME_AWARE = 0, 1, 2


class TrueAnswers(NamedTuple):
    """The true answers of each query."""

    start: Ints
    entity: Ints


class RankCounts(NamedTuple):
    """Per answer: how many candidates score higher, how many score the same, and whether the fallback was used."""

    higher: Ints
    same: Ints
    fell_back: Bools


@kernel
def rank_answers(
    triples: TripleIndex,
    queries: QueryBatch,
    answers: TrueAnswers,
    scored: Scored,
    fallback: ObjectDistributions,
    filtering: int,
) -> RankCounts:
    """Count the candidates that rank above each answer. Queries without candidates use those of the fallback.

    The filter removes other true answers from the comparison: those of the same time (TIME_AWARE), of any time (STATIC)
    or none (RAW). An answer that is not a candidate ranks last among all entities.
    """
    n_entities = len(triples.slot_start) - 1
    n = len(answers.entity)
    rank_counts = RankCounts(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_))
    hidden = np.zeros(n_entities, np.bool_)
    for q in range(len(queries.subject)):
        start, end = scored.start[q], scored.start[q + 1]
        entity, score = scored.entity, scored.score
        fell_back = start == end
        if fell_back:
            row = queries.relation[q]
            if fallback.start[row] == fallback.start[row + 1]:
                row = len(fallback.start) - 2  # all relations together
            start, end = fallback.start[row], fallback.start[row + 1]
            entity, score = fallback.entity, fallback.share
        _hide(triples, queries, answers, q, filtering, hidden, True)
        for a in range(answers.start[q], answers.start[q + 1]):
            rank_counts.fell_back[a] = fell_back
            rank_counts.higher[a] = n_entities - 1
            for i in range(start, end):
                if entity[i] == answers.entity[a]:
                    rank_counts.higher[a], rank_counts.same[a] = _compare(entity, score, start, end, i, hidden)
        _hide(triples, queries, answers, q, filtering, hidden, False)
    return rank_counts


@helper
def _hide(
    triples: TripleIndex,
    queries: QueryBatch,
    answers: TrueAnswers,
    q: int,
    filtering: int,
    hidden: Bools,
    value: bool,
) -> None:
    """Mark or unmark the true answers of a query that the filter removes."""
    if filtering != RAW:
        for a in range(answers.start[q], answers.start[q + 1]):
            hidden[answers.entity[a]] = value
    if filtering == STATIC:
        slot = find(triples.slot_start, triples.slot_relation, queries.subject[q], queries.relation[q])
        if slot >= 0:
            for triple in range(triples.triple_start[slot], triples.triple_start[slot + 1]):
                hidden[triples.target[triple]] = value


@helper
def _compare(entity: Ints, score: Floats, start: int, end: int, candidate: int, hidden: Bools) -> tuple[int, int]:
    """How many unfiltered candidates score higher than one of them, and how many others score the same."""
    higher, same = 0, 0
    for i in range(start, end):
        if i != candidate and not hidden[entity[i]]:
            higher += score[i] > score[candidate]
            same += score[i] == score[candidate]
    return higher, same


@dataclass(frozen=True)
class Ranks:
    """The ranks of answers, from how many candidates score higher and how many score the same.

    Attributes:
        higher: Per answer: how many candidates score higher.
        same: Per answer: how many other candidates score the same.

    Example:
        >>> ranks = Ranks(np.array([0, 2]), np.array([2, 0]))
        >>> ranks.optimistic.tolist(), ranks.realistic.tolist(), ranks.pessimistic.tolist()
        ([1, 3], [2.0, 3.0], [3, 3])
        >>> summary(ranks.optimistic)
        {'mrr': 0.6666666666666666, 'hits@1': 0.5, 'hits@3': 1.0, 'hits@10': 1.0}
    """

    higher: Ints
    same: Ints

    @cached_property
    def optimistic(self) -> Ints:
        """The answer ranks first among candidates with its score."""
        return self.higher + 1

    @cached_property
    def pessimistic(self) -> Ints:
        """The answer ranks last among candidates with its score."""
        return self.higher + self.same + 1

    @cached_property
    def realistic(self) -> Floats:
        """The mean of the optimistic and the pessimistic rank."""
        return self.higher + 1 + self.same / 2


def summary(ranks: Ints | Floats) -> dict[str, float]:
    """The mean reciprocal rank, and the shares of ranks up to 1, 3 and 10."""
    if len(ranks) == 0:
        return {"mrr": 0.0, "hits@1": 0.0, "hits@3": 0.0, "hits@10": 0.0}
    return {"mrr": float((1 / ranks).mean())} | {f"hits@{n}": float((ranks <= n).mean()) for n in (1, 3, 10)}
