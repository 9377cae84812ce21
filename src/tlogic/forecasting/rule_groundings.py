"""The groundings of every rule of a query, with integer ages: the input of rescoring and of explanations.

``apply_rules`` stops as soon as it has enough candidates and keeps only their scores. Here every rule of the query's
relation is grounded, and each candidate keeps the age of the rule's best grounding.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.forecasting.application import QueryBatch, Rulebook, Workspace, begin_query, end_query, query_window
from tlogic.forecasting.candidates import INITIAL_CAPACITY, with_capacity
from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.grounding.grounding_state import ground_rule
from tlogic.forecasting.grounding.visible_facts import NEVER
from tlogic.graph.arrays import Ints, borrowed
from tlogic.graph.triples import TripleIndex


class RuleGroundings(NamedTuple):
    """The candidates of each rule of each query, rules in order of decreasing confidence."""

    first: Ints
    """Per query: the index in ``start`` of its first rule; there is one entry for each rule of its relation."""
    rule: Ints
    """Per query: the first rule of its relation."""
    start: Ints
    """Per query and rule: the index of its first candidate."""
    candidate: Ints
    age: Ints
    """Per candidate: the age t_q - t_1 of the rule's best grounding, in time steps."""


@kernel
def ground_rules(triples: TripleIndex, book: Rulebook, work: Workspace, queries: QueryBatch) -> RuleGroundings:
    """Ground every rule of each query (s, r, ?, t_q): its candidates c, each with the smallest age t_q - t_1."""
    book, work = borrowed(book), borrowed(work)
    head_start, n_queries = book.plans.head_start, len(queries.subject)
    rule = np.empty(n_queries, np.int64)
    first = np.zeros(n_queries + 1, np.int64)
    for q in range(n_queries):
        rule[q] = head_start[queries.relation[q]]
        first[q + 1] = first[q] + head_start[queries.relation[q] + 1] - rule[q]
    start = np.zeros(first[-1] + 1, np.int64)
    candidate: Ints = np.empty(INITIAL_CAPACITY, np.int32)
    age: Ints = np.empty(INITIAL_CAPACITY, np.int32)
    for q in range(n_queries):
        begin_query(triples, book, work, queries, q)
        candidate, age = _ground_query(
            book, work, queries, q, rule[q], start[first[q] : first[q + 1] + 1], candidate, age
        )
        end_query(work, queries, q)
    return RuleGroundings(first, rule, start, candidate[: start[-1]].copy(), age[: start[-1]].copy())


@helper
def _ground_query(
    book: Rulebook, work: Workspace, queries: QueryBatch, q: int, rule: int, start: Ints, candidate: Ints, age: Ints
) -> tuple[Ints, Ints]:
    """Ground the rules of one query from ``rule`` on; fills ``start``, returns the arrays, reallocated if too small."""
    book, work = borrowed(book), borrowed(work)
    subject, now, window = queries.subject[q], queries.time[q], query_window(book, queries, q)
    for i in range(len(start) - 1):
        n_found = ground_rule(work.grounding, book.plans, rule + i, subject, window, work.frontier)
        end = start[i] + n_found
        if end > len(candidate):
            candidate, age = with_capacity(candidate, start[i], end), with_capacity(age, start[i], end)
        _move_frontier(work.frontier, n_found, now, candidate[start[i] : end], age[start[i] : end])
        start[i + 1] = end
    return candidate, age


@helper
def _move_frontier(frontier: Frontier, n_found: int, now: int, candidate: Ints, age: Ints) -> None:
    """Write the entities of a frontier with their ages, and reset the frontier."""
    for i in range(n_found):
        c = frontier.entity[i]
        candidate[i], age[i] = c, now - frontier.best[c]
        frontier.best[c] = NEVER


def concatenate_groundings(parts: Sequence[RuleGroundings]) -> RuleGroundings:
    """The groundings of several query batches, one after the other."""
    if len(parts) == 1:
        return parts[0]
    n_rules = np.concatenate([np.diff(part.first) for part in parts])
    n_candidates = np.concatenate([np.diff(part.start) for part in parts])
    rule, candidate, age = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("rule", "candidate", "age")
    )
    return RuleGroundings(np.append(0, np.cumsum(n_rules)), rule, np.append(0, np.cumsum(n_candidates)), candidate, age)
