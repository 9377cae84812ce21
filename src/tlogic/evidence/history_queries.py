"""The queries of one relation in order of time, their true answers, and the candidates of those that are scored."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Bools, Ints
from tlogic.graph.facts import Facts


class HistoryQueries(NamedTuple):
    """Queries (subject, relation, ?, time), sorted by time, with their true answers."""

    relation: int
    inverse: int
    """The relation in the other direction."""
    subject: Ints
    time: Ints
    answer_start: Ints
    """Per query: the index of its first answer."""
    answer: Ints
    """Empty for queries whose answers are not known yet."""
    scored: Bools
    """Per query: does it need evidence? If not, families only learn from its answers."""


class CandidatePairs(NamedTuple):
    """The candidates of the scored queries."""

    query: Ints
    """Per scored query: its index among all queries."""
    start: Ints
    """Per scored query: the index of its first candidate."""
    candidate: Ints


def relation_queries(facts: Facts, n_base_relations: int, relation: int, scored_from: int) -> HistoryQueries:
    """All queries of a relation, or of an inverse one, that facts answer; those from a time on are scored."""
    base = relation % n_base_relations
    own = np.flatnonzero(facts.relation == base)
    subject, answer = facts.subject[own], facts.object[own]
    if relation >= n_base_relations:
        subject, answer = answer, subject
    time = facts.time[own]
    order = np.lexsort((answer, subject, time))
    subject, answer, time = subject[order], answer[order], time[order]
    first = np.flatnonzero(np.append(True, (subject[1:] != subject[:-1]) | (time[1:] != time[:-1]))[: len(time)])
    inverse = base if relation >= n_base_relations else base + n_base_relations
    starts = np.append(first, len(answer))
    return HistoryQueries(relation, inverse, subject[first], time[first], starts, answer, time[first] >= scored_from)


def query_chunks(queries: HistoryQueries, max_scored: int) -> Iterator[HistoryQueries]:
    """Split queries between time steps, into chunks of about so many scored queries."""
    n_scored = np.cumsum(queries.scored)
    first = 0
    while first < len(queries.time):
        done = n_scored[first - 1] if first else 0
        end = int(np.searchsorted(n_scored, done + max_scored)) + 1
        end = int(np.searchsorted(queries.time, queries.time[min(end, len(queries.time)) - 1], side="right"))
        yield _chunk(queries, first, end)
        first = end


def _chunk(queries: HistoryQueries, first: int, end: int) -> HistoryQueries:
    start = queries.answer_start[first : end + 1]
    own = slice(first, end)
    return queries._replace(
        subject=queries.subject[own],
        time=queries.time[own],
        answer_start=start - start[0],
        answer=queries.answer[start[0] : start[-1]],
        scored=queries.scored[own],
    )


@njit(cache=True, nogil=True)
def answers_of(queries: HistoryQueries, first: int, end: int) -> Ints:
    """The true answers of the queries in ``[first, end)``."""
    return queries.answer[queries.answer_start[first] : queries.answer_start[end]]


@njit(cache=True, nogil=True)
def end_of_step(queries: HistoryQueries, first: int) -> int:
    """The end of the queries of one time step, given the first of them."""
    end = first
    while end < len(queries.time) and queries.time[end] == queries.time[first]:
        end += 1
    return end
