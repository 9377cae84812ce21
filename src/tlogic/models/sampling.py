"""Sampling: which queries and candidates a model learns from, drawn at random.

Random numbers are hashes of names and times, so they depend neither on ids nor on the order of the facts.
"""

from typing import Any, NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.answer_history import MEAN_ANSWERS
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.memory import Evidence
from tlogic.evidence.relation_numbers import decode_relations, encode_relations
from tlogic.forecasting.application import QueryBatch
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.binary_search import find_within, first_at_least
from tlogic.graph.facts import Facts
from tlogic.graph.hashing import further_hashes, mixed_hashes
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.bins import Bins
from tlogic.names import name_keys

_MAX_OTHERS_PER_QUERY, _MAX_ANSWERS_PER_QUERY = 60, 20
MAX_PER_QUERY = _MAX_OTHERS_PER_QUERY + _MAX_ANSWERS_PER_QUERY
"""The largest number of candidates of an example."""
_HELD_BACK_SHARE = 0.1  # of the queries, which are no examples, but calibrate
_MIN_CALIBRATION_QUERIES = 6000  # some examples calibrate, too, if fewer are held back
_MANY_ANSWERS = np.log(2.0)  # in the mean, beyond which queries are rare, so that all of them calibrate

_CHOSEN, _HELD_BACK, _DRAWN = range(3)  # what random numbers are for


class AnswerCounts(NamedTuple):
    """All queries, in the order of the examples and of those that calibrate."""

    history: Floats
    """One row per query: how many answers it had before."""
    n_answers: Ints
    """Per query: its answers among its candidates."""
    n_similar: Floats
    """Per query: how many queries it stands for in the calibration; 0 if it is not used there."""


class Sample(NamedTuple):
    """Queries with the evidence of their candidates."""

    sizes: Ints
    """Per query: its number of candidates."""
    values: Any
    """Per candidate: its evidence, or the bins of its evidence."""
    is_true: Ints
    """Per candidate: 1 if it is an answer, else 0."""


class Samples(NamedTuple):
    """What some queries of one time step are used for."""

    example: Sample
    to_calibrate: Sample
    counts: AnswerCounts


class Sampler:
    """Draws queries, and then some of the candidates of each.

    Args:
        graph: What was before the end of the training time.
        facts: The facts to learn from.
        max_queries: About how many queries are drawn, if there are as many.
        seed: The seed of the random numbers.
    """

    def __init__(self, graph: TemporalGraph, facts: Facts, max_queries: int, seed: int) -> None:
        self._graph, self._facts, self._max_queries, self._seed = graph, facts, max_queries, seed
        self.bins: Bins | None = None
        """The bins of the evidence, as soon as they are chosen."""
        self._calibration_share = _HELD_BACK_SHARE
        self._entity_key, self._relation_key = name_keys(graph.entities.names), name_keys(graph.relations.names)

    def queries(self) -> QueryBatch:
        """About as many queries as are to be drawn, sorted by time."""
        facts, half = self._facts, len(self._graph.relations.base)
        subject = np.concatenate([facts.subject, facts.object]).astype(np.int64)
        relation = np.concatenate([facts.relation, facts.relation + half]).astype(np.int64)
        time = np.concatenate([facts.time, facts.time]).astype(np.int64)
        order = np.lexsort((encode_relations(relation, half), subject, time))  # as evidence is: blocks keep the order
        subject, relation, time = subject[order], relation[order], time[order]
        new = np.append(True, (np.diff(subject) != 0) | (np.diff(relation) != 0) | (np.diff(time) != 0))[: len(time)]
        share = min(self._max_queries / max(len(time), 1), 1.0)
        kept = new & (_as_random(self._hashes(_CHOSEN, subject, relation, time)) < share)
        self._calibration_share = min(max(_MIN_CALIBRATION_QUERIES / max(kept.sum(), 1), _HELD_BACK_SHARE), 1.0)
        return QueryBatch(subject[kept], relation[kept], time[kept], time[kept])

    def __call__(self, part: Evidence) -> Samples:
        """Examples, which have an answer, with some candidates; and queries for calibration, with all of them."""
        context, n = part.context, len(part.query)
        sizes, time = np.diff(context.start), np.full(n, context.now)
        relation = decode_relations(context.relation, len(self._graph.relations.base))
        is_true, n_answers = self._answers(context)
        random = _as_random(self._hashes(_HELD_BACK, context.subject, relation, time))
        share = np.where(part.history[:, MEAN_ANSWERS] >= _MANY_ANSWERS, 1.0, self._calibration_share)
        calibrates, is_example = random < share, (random >= _HELD_BACK_SHARE) & (n_answers > 0)
        of_query = np.repeat(self._hashes(_DRAWN, context.subject, relation, time), sizes)
        draw = _as_random(further_hashes(of_query, self._entity_key[context.candidate]))
        rows, n_rows = _some(context.start, is_true, draw, is_example)
        all_rows = np.flatnonzero(np.repeat(calibrates, sizes))
        return Samples(
            Sample(n_rows[is_example], self._values(part.values, rows), is_true[rows]),
            Sample(sizes[calibrates], self._values(part.values, all_rows), is_true[all_rows]),
            AnswerCounts(part.history, n_answers, calibrates / share),
        )

    def _values(self, evidence: Floats, rows: Ints) -> Any:
        """Some rows of evidence, or their bins as soon as they are chosen."""
        return evidence[rows] if self.bins is None else self.bins.of(evidence, rows)

    def _answers(self, context: QueryContext) -> tuple[Ints, Ints]:
        """Per candidate: 1 if it is a true answer to its query, else 0; and per query: the number of these."""
        facts, half = self._graph.facts.between(context.now, context.now + 1), len(self._graph.relations.base)
        subject = np.concatenate([facts.subject, facts.object])
        relation = encode_relations(np.concatenate([facts.relation, facts.relation + half]), half)
        n = len(self._graph.entities)  # an edge is a number: those of a query follow each other
        edges = np.sort((relation * n + subject) * n + np.concatenate([facts.object, facts.subject]))
        found: tuple[Ints, Ints] = _answers_among(
            edges, (context.relation * n + context.subject) * n, n, context.start, context.candidate
        )
        return found

    def _hashes(self, what: int, subject: Ints, relation: Ints, time: Ints) -> Ints:
        n = len(time)
        keys = self._entity_key[subject], self._relation_key[relation]
        return mixed_hashes([np.full(n, self._seed), np.full(n, what), *keys, time])


def _as_random(hashes: Ints) -> Floats:
    """Numbers between 0 and 1."""
    return hashes / 2.0**64


@kernel
def _answers_among(edges: Ints, query: Ints, n_entities: int, start: Ints, candidate: Ints) -> tuple[Ints, Ints]:
    """Per candidate: 1 if it is an answer, else 0; and per query: the number of these.

    Args:
        edges: All answers to all queries, ascending: the number of the query plus the entity.
        query: The numbers of queries.
        n_entities: The number of entities.
        start: Per query: the index of its first candidate.
        candidate: Their candidates.
    """
    is_true, n_answers = np.zeros(len(candidate), np.int8), np.zeros(len(query), np.int64)
    for q in range(len(query)):
        low = first_at_least(edges, 0, len(edges), query[q])
        high = first_at_least(edges, low, len(edges), query[q] + n_entities)
        for p in range(start[q], start[q + 1]):
            if find_within(edges, low, high, query[q] + candidate[p]) >= 0:
                is_true[p] = 1
                n_answers[q] += 1
    return is_true, n_answers


@kernel
def _some(start: Ints, is_true: Ints, draw: Floats, is_used: Bools) -> tuple[Ints, Ints]:
    """A random choice among the answers of each query that is used, and among its other candidates.

    Returns:
        The rows of those with the smallest random numbers, and how many there are per query.
    """
    rows, n_rows, n = np.empty(len(draw), np.int64), np.zeros(len(is_used), np.int64), 0
    for q in range(len(is_used)):
        if is_used[q]:
            own, own_draw = is_true[start[q] : start[q + 1]], draw[start[q] : start[q + 1]]
            limits = (
                _limit(own_draw, own, 0, _MAX_OTHERS_PER_QUERY),
                _limit(own_draw, own, 1, _MAX_ANSWERS_PER_QUERY),
            )
            for i in range(len(own)):
                if own_draw[i] <= limits[own[i]]:
                    rows[n] = start[q] + i
                    n += 1
                    n_rows[q] += 1
    return rows[:n], n_rows


@helper
def _limit(draw: Floats, is_true: Ints, wanted: int, n: int) -> float:
    """The n-th smallest random number of the wanted candidates; 1 if there are fewer."""
    smallest = np.ones(n)  # ascending; an insertion takes less time to compile than np.partition
    for i in range(len(draw)):
        if is_true[i] == wanted and draw[i] < smallest[-1]:
            at = n - 1
            while at > 0 and smallest[at - 1] > draw[i]:
                smallest[at] = smallest[at - 1]
                at -= 1
            smallest[at] = draw[i]
    return smallest[-1]
