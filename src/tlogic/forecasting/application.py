"""Rule application: queries in, scored candidates out."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.candidates import Candidates, add_scores, has_enough, new_candidates, write_candidates
from tlogic.forecasting.grounding.frontier import Frontier, new_frontier
from tlogic.forecasting.grounding.grounding_state import (
    GroundingState,
    advance_state_to,
    ground_rule,
    index_subject_slots,
    new_grounding_state,
    reset_subject_slots,
)
from tlogic.forecasting.grounding.rule_plans import RulePlans
from tlogic.forecasting.grounding.visible_facts import TimeWindow
from tlogic.graph.arrays import Floats, Ints, borrowed
from tlogic.graph.triples import TripleIndex


class QueryBatch(NamedTuple):
    """Queries (subject, relation, ?, time), sorted by time. Only facts before ``visible_until`` may be used."""

    subject: Ints
    relation: Ints
    time: Ints
    visible_until: Ints


class Scored(NamedTuple):
    """The candidates of each query and their scores."""

    start: Ints
    """Per query: its first candidate."""
    entity: Ints
    score: Floats
    n_rules: Ints
    """Per query: how many of its relation's rules were tried before stopping."""


class Rulebook(NamedTuple):
    """How rules are applied: what does not change from query to query."""

    plans: RulePlans
    alpha: float
    decay: Floats
    """(1 - alpha) * exp(-lambda * age), per age."""
    window: int
    limit: int
    k: int
    published_stop: bool


class Workspace(NamedTuple):
    """Scratch memory of one worker."""

    grounding: GroundingState
    frontier: Frontier
    candidates: Candidates


def new_workspace(triples: TripleIndex, n_entities: int, n_relations: int, book: Rulebook) -> Workspace:
    """Scratch memory for a graph, with nothing known yet."""
    return Workspace(
        grounding=new_grounding_state(triples, n_entities, n_relations, book.plans, book.limit),
        frontier=new_frontier(n_entities),
        candidates=new_candidates(n_entities, book.k),
    )


@njit(cache=True, nogil=True)
def apply_rules(triples: TripleIndex, book: Rulebook, work: Workspace, queries: QueryBatch) -> Scored:
    """Apply each query's rules by decreasing confidence until enough candidates are found; score them by noisy-OR."""
    book, work = borrowed(book), borrowed(work)
    n_queries = len(queries.subject)
    start, n_rules = np.zeros(n_queries + 1, np.int64), np.zeros(n_queries, np.int64)
    out_entity: Ints = np.empty(1 << 12, np.int32)
    out_score: Floats = np.empty(1 << 12, np.float64)
    scores: Floats = np.empty(1 << 12, np.float32)
    for q in range(n_queries):
        advance_state_to(work.grounding, triples, queries.visible_until[q])
        if q == 0 or not _same_start(queries, q, q - 1):
            index_subject_slots(work.grounding, queries.subject[q], max(queries.time[q] - book.window, 0))
        n_rules[q], scores = _apply_to_query(book, work, queries, q, scores)
        if q + 1 == n_queries or not _same_start(queries, q, q + 1):
            reset_subject_slots(work.grounding, queries.subject[q])
        out_entity, out_score, start[q + 1] = write_candidates(work.candidates, out_entity, out_score, start[q])
    return Scored(start, out_entity[: start[-1]].copy(), out_score[: start[-1]].copy(), n_rules)


@njit(cache=True, nogil=True)
def _apply_to_query(book: Rulebook, work: Workspace, queries: QueryBatch, q: int, scores: Floats) -> tuple[int, Floats]:
    """Fill the candidates of one query: how many rules were tried, and the room for scores."""
    (plans, alpha, decay, window, limit, k, published_stop), (grounding, frontier, candidates) = borrowed((book, work))
    subject, relation, now = queries.subject[q], queries.relation[q], queries.time[q]
    time_window = TimeWindow(queries.visible_until[q], max(now - window, 0), limit)
    first, end = plans.head_start[relation], plans.head_start[relation + 1]
    rule = first
    while rule < end:
        n_found = ground_rule(grounding, plans, rule, subject, time_window, frontier)
        if n_found > 0:
            base = alpha * plans.confidence[rule]
            scores = add_scores(candidates, scores, frontier, n_found, base, decay, now, published_stop)
            if has_enough(candidates, scores, k, published_stop):
                break
        rule += 1
    return min(rule + 1, end) - first, scores


@njit(cache=True, nogil=True)
def _same_start(queries: QueryBatch, a: int, b: int) -> bool:
    """Do two queries start from the same subject with the same facts?"""
    return (
        queries.subject[a] == queries.subject[b]
        and queries.time[a] == queries.time[b]
        and queries.visible_until[a] == queries.visible_until[b]
    )
