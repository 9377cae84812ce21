"""Rule application: the scored candidates of queries."""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel, kernel_part
from tlogic.forecasting.candidates import (
    INITIAL_CAPACITY,
    Candidates,
    add_scores,
    has_enough,
    new_candidates,
    write_candidates,
)
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
    """Per query: the index of its first candidate."""
    entity: Ints
    score: Floats
    n_rules: Ints
    """Per query: the number of its relation's rules that were tried before stopping."""


class Rulebook(NamedTuple):
    """Rules and the settings that they are applied with; the same for all queries."""

    plans: RulePlans
    alpha: float
    decay: Floats
    """(1 - alpha) * exp(-lambda * age), per age in time steps."""
    window: int
    """Groundings use facts of at most this age, in time steps."""
    limit: int
    """At most this many triples are followed from one entity by one relation."""
    k: int
    """The stop criterion: rules are applied until there are k candidates."""
    published_stop: bool
    """Whether the k best candidates must also have different score lists, as in the published code."""


class Workspace(NamedTuple):
    """Scratch memory of one worker; no two threads may share it."""

    grounding: GroundingState
    frontier: Frontier
    candidates: Candidates


def new_workspace(triples: TripleIndex, n_entities: int, n_relations: int, book: Rulebook) -> Workspace:
    """Scratch memory for a graph, with no visible facts yet."""
    return Workspace(
        grounding=new_grounding_state(triples, n_entities, n_relations, book.plans, book.limit),
        frontier=new_frontier(n_entities),
        candidates=new_candidates(n_entities, book.k),
    )


@kernel
def apply_rules(triples: TripleIndex, book: Rulebook, work: Workspace, queries: QueryBatch) -> Scored:
    """Apply the rules of each query (s, r, ?, t_q) by decreasing confidence until the stop criterion holds.

    A rule R gives candidate c the score f(R, c) = a * conf(R) + (1 - a) * exp(-lambda * (t_q - t_1)), where t_1 is the
    time of the first fact of the grounding whose first fact is latest. Scores of several rules combine by noisy-OR.
    """
    book, work = borrowed(book), borrowed(work)
    n_queries = len(queries.subject)
    start, n_rules = np.zeros(n_queries + 1, np.int64), np.zeros(n_queries, np.int64)
    out_entity: Ints = np.empty(INITIAL_CAPACITY, np.int32)
    out_score: Floats = np.empty(INITIAL_CAPACITY, np.float64)
    scores: Floats = np.empty(INITIAL_CAPACITY, np.float32)
    for q in range(n_queries):
        begin_query(triples, book, work, queries, q)
        n_rules[q], scores = _apply_to_query(book, work, queries, q, scores)
        end_query(work, queries, q)
        out_entity, out_score, start[q + 1] = write_candidates(work.candidates, out_entity, out_score, start[q])
    return Scored(start, out_entity[: start[-1]].copy(), out_score[: start[-1]].copy(), n_rules)


@helper
def begin_query(triples: TripleIndex, book: Rulebook, work: Workspace, queries: QueryBatch, q: int) -> None:
    """Show the facts that query ``q`` may use, and index its subject's slots unless the query before did."""
    advance_state_to(work.grounding, triples, queries.visible_until[q])
    if q == 0 or not _same_start(queries, q, q - 1):
        index_subject_slots(work.grounding, queries.subject[q], max(queries.time[q] - book.window, 0))


@helper
def end_query(work: Workspace, queries: QueryBatch, q: int) -> None:
    """Reset the index of the subject's slots unless the next query uses the same."""
    if q + 1 == len(queries.subject) or not _same_start(queries, q, q + 1):
        reset_subject_slots(work.grounding, queries.subject[q])


@helper
def _same_start(queries: QueryBatch, a: int, b: int) -> bool:
    """Do two queries have the same subject, time and visible facts?"""
    return (
        queries.subject[a] == queries.subject[b]
        and queries.time[a] == queries.time[b]
        and queries.visible_until[a] == queries.visible_until[b]
    )


@helper
def query_window(book: Rulebook, queries: QueryBatch, q: int) -> TimeWindow:
    """The facts that groundings of query ``q`` may use."""
    return TimeWindow(queries.visible_until[q], max(queries.time[q] - book.window, 0), book.limit)


@kernel_part
def _apply_to_query(book: Rulebook, work: Workspace, queries: QueryBatch, q: int, scores: Floats) -> tuple[int, Floats]:
    """Collect the candidates of one query; returns the number of rules tried, and ``scores``, perhaps reallocated."""
    (plans, alpha, decay, _, _, k, published_stop), (grounding, frontier, candidates) = borrowed((book, work))
    subject, relation, now = queries.subject[q], queries.relation[q], queries.time[q]
    window = query_window(book, queries, q)
    first, end = plans.head_start[relation], plans.head_start[relation + 1]
    rule = first
    while rule < end:
        n_found = ground_rule(grounding, plans, rule, subject, window, frontier)
        if n_found > 0:
            base = alpha * plans.confidence[rule]
            scores = add_scores(candidates, scores, frontier, n_found, base, decay, now, published_stop)
            if has_enough(candidates, scores, k, published_stop):
                break
        rule += 1
    return min(rule + 1, end) - first, scores
