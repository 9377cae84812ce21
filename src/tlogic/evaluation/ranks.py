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

RAW, STATIC, TIME_AWARE, TGB = 0, 1, 2, 3


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

    The filter removes other true answers from the comparison: those of the same time (TIME_AWARE, TGB), of any time
    (STATIC) or none (RAW). An answer that is not a candidate ranks last among all entities; with TGB, it has the same
    score as all entities that are not candidates.
    """
    n_entities = len(triples.slot_start) - 1
    n = len(answers.entity)
    rank_counts = RankCounts(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_))
    hidden = np.zeros(n_entities, np.bool_)
    for q in range(len(queries.subject)):
        entity, score, fell_back = _candidates(queries, scored, fallback, q)
        _hide(triples, queries, answers, q, filtering, hidden, True)
        for a in range(answers.start[q], answers.start[q + 1]):
            rank_counts.fell_back[a] = fell_back
            rank_counts.higher[a] = n_entities - 1
            if filtering == TGB:
                rank_counts.higher[a] = _count_visible(entity, hidden)
                n_others = n_entities - (answers.start[q + 1] - answers.start[q])
                rank_counts.same[a] = n_others - rank_counts.higher[a]
            for i in range(len(entity)):
                if entity[i] == answers.entity[a]:
                    rank_counts.higher[a], rank_counts.same[a] = _compare(entity, score, i, hidden)
        _hide(triples, queries, answers, q, filtering, hidden, False)
    return rank_counts


@kernel
def rank_among_negatives(
    n_entities: int,
    queries: QueryBatch,
    answers: TrueAnswers,
    scored: Scored,
    fallback: ObjectDistributions,
    negative_start: Ints,
    negative: Ints,
) -> RankCounts:
    """Count the negatives of its query that rank above each answer; all entities without a score have the same."""
    n = len(answers.entity)
    rank_counts = RankCounts(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_))
    score_of = np.full(n_entities, -np.inf)
    for q in range(len(queries.subject)):
        entity, score, fell_back = _candidates(queries, scored, fallback, q)
        score_of[entity] = score
        for a in range(answers.start[q], answers.start[q + 1]):
            rank_counts.fell_back[a] = fell_back
            own = score_of[answers.entity[a]]
            for i in range(negative_start[q], negative_start[q + 1]):
                rank_counts.higher[a] += score_of[negative[i]] > own
                rank_counts.same[a] += score_of[negative[i]] == own
        score_of[entity] = -np.inf
    return rank_counts


@helper
def _candidates(
    queries: QueryBatch, scored: Scored, fallback: ObjectDistributions, q: int
) -> tuple[Ints, Floats, bool]:
    """The candidates of a query and their scores; and whether they are those of the fallback."""
    start, end = scored.start[q], scored.start[q + 1]
    if start < end:
        return scored.entity[start:end], scored.score[start:end], False
    row = queries.relation[q]
    if fallback.start[row] == fallback.start[row + 1]:
        row = len(fallback.start) - 2  # all relations together
    start, end = fallback.start[row], fallback.start[row + 1]
    return fallback.entity[start:end], fallback.share[start:end], True


@helper
def _count_visible(entity: Ints, hidden: Bools) -> int:
    count = 0
    for i in range(len(entity)):
        count += not hidden[entity[i]]
    return count


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
def _compare(entity: Ints, score: Floats, candidate: int, hidden: Bools) -> tuple[int, int]:
    """How many unfiltered candidates score higher than one of them, and how many others score the same."""
    higher, same = 0, 0
    for i in range(len(entity)):
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
