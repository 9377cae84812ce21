"""Rule application: queries in, scored candidates out."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.candidates import (
    Candidates,
    add_scores,
    hand_over,
    new_candidates,
    top_is_distinct,
    watch_top,
)
from tlogic.forecasting.grounding import (
    Loops,
    Path,
    ground_chain,
    ground_closed,
    ground_loop,
    ground_open,
    ground_single,
    new_loops,
    new_path,
)
from tlogic.forecasting.joins import Joins, forget_joins, new_joins
from tlogic.forecasting.known import Known, know_until, nothing_known
from tlogic.forecasting.plans import CHAIN, CLOSED, OPEN, SINGLE, RulePlans
from tlogic.forecasting.reached import Reached, new_reached
from tlogic.forecasting.shortlists import Shortlists, forget_shortlists, new_shortlists
from tlogic.graph.arrays import Floats, Ints, borrowed
from tlogic.graph.triples import TripleIndex


class Queries(NamedTuple):
    """Queries (subject, relation, ?, time), sorted by time. Only facts before ``known_until`` may be used."""

    subject: Ints
    relation: Ints
    time: Ints
    known_until: Ints


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

    known: Known
    shortlists: Shortlists
    joins: Joins
    path: Path
    loops: Loops
    inner: Reached
    reached: Reached
    candidates: Candidates
    slot_of: Ints
    """Per relation: the query subject's slot, or -1."""


def new_workspace(triples: TripleIndex, n_entities: int, n_relations: int, book: Rulebook) -> Workspace:
    """Scratch memory for a graph, with nothing known yet."""
    return Workspace(
        known=nothing_known(triples),
        shortlists=new_shortlists(len(triples.slot_relation), len(triples.target), book.limit),
        joins=new_joins(n_entities, len(triples.target)),
        path=new_path(int(np.diff(book.plans.bodies.start).max(initial=1))),
        loops=new_loops(n_entities),
        inner=new_reached(n_entities),
        reached=new_reached(n_entities),
        candidates=new_candidates(n_entities, book.k),
        slot_of=np.full(n_relations, -1, np.int64),
    )


@njit(cache=True, nogil=True)
def apply_rules(triples: TripleIndex, book: Rulebook, work: Workspace, queries: Queries) -> Scored:
    """Apply each query's rules by decreasing confidence until enough candidates are found; score them by noisy-OR."""
    book, work = borrowed(book), borrowed(work)
    n_queries = len(queries.subject)
    start, n_rules = np.zeros(n_queries + 1, np.int64), np.zeros(n_queries, np.int64)
    out_entity: Ints = np.empty(1 << 12, np.int32)
    out_score: Floats = np.empty(1 << 12, np.float64)
    scores: Floats = np.empty(1 << 12, np.float32)
    if n_queries > 0 and queries.known_until[0] < work.known.until[0]:
        know_until(work.known, triples, queries.known_until[0])
        forget_joins(work.joins)
        forget_shortlists(work.shortlists)
    for q in range(n_queries):
        if queries.known_until[q] > work.known.until[0]:
            know_until(work.known, triples, queries.known_until[q])
        if q == 0 or not _same_start(queries, q, q - 1):
            _open_slots(work.known, work.slot_of, queries.subject[q], max(queries.time[q] - book.window, 0))
        n, n_rules[q], scores = _apply_to_query(book, work, queries, q, scores)
        if q + 1 == n_queries or not _same_start(queries, q, q + 1):
            _close_slots(work.known, work.slot_of, queries.subject[q])
        out_entity, out_score = hand_over(work.candidates, n, out_entity, out_score, start[q])
        start[q + 1] = start[q] + n
    return Scored(start, out_entity[: start[-1]].copy(), out_score[: start[-1]].copy(), n_rules)


@njit(cache=True, nogil=True)
def _apply_to_query(
    book: Rulebook, work: Workspace, queries: Queries, q: int, scores: Floats
) -> tuple[int, int, Floats]:
    """Fill the candidates of one query: their number, how many rules were tried, and the room for scores."""
    # records are taken apart here, once a query: taking them apart again for every rule costs more than many rules do
    known, lists, memory, path, loops, inner, reached, candidates, slot_of = work
    alpha, decay, limit, k, published_stop = book.alpha, book.decay, book.limit, book.k, book.published_stop
    head_start, confidence, kinds, firsts, backs, parts, bodies, joins = book.plans
    subject, relation, now = queries.subject[q], queries.relation[q], queries.time[q]
    known_until = queries.known_until[q]
    since = max(now - book.window, 0)
    n_candidates, n_scores, watching = 0, 0, False
    first, end = head_start[relation], head_start[relation + 1]
    rule = first
    while rule < end:
        slot = slot_of[firsts[rule]]
        n_reached = 0
        if slot >= 0:
            kind, part = kinds[rule], parts[rule]
            if kind == SINGLE:
                n_reached = ground_single(known, lists, slot, known_until, since, limit, reached)
            elif kind == CHAIN:
                n_reached = ground_chain(known, lists, bodies, part, subject, known_until, since, limit, path, reached)
            elif kind == OPEN:
                n_reached = ground_open(known, joins, memory, part, slot, known_until, since, inner, reached)
            elif kind == CLOSED:
                n_reached = ground_closed(known, joins, memory, part, slot, known_until, since, reached)
            elif slot_of[backs[rule]] >= 0:
                back = slot_of[backs[rule]]
                n_reached = ground_loop(
                    known,
                    lists,
                    bodies,
                    loops,
                    part,
                    slot,
                    back,
                    subject,
                    known_until,
                    since,
                    path,
                    inner,
                    reached,
                )
        if n_reached > 0:
            base = alpha * confidence[rule]
            n_candidates, n_contenders, scores, n_scores = add_scores(
                candidates,
                n_candidates,
                scores,
                n_scores,
                watching,
                reached,
                n_reached,
                base,
                decay,
                now,
                published_stop,
            )
            if n_candidates >= k:
                if not published_stop:
                    break
                if not watching:
                    n_contenders = watch_top(candidates, n_candidates)
                    watching = True
                if top_is_distinct(candidates, scores, n_contenders):
                    break
        rule += 1
    return n_candidates, min(rule + 1, end) - first, scores


@njit(cache=True, nogil=True)
def _same_start(queries: Queries, a: int, b: int) -> bool:
    """Do two queries start from the same subject with the same facts?"""
    return (
        queries.subject[a] == queries.subject[b]
        and queries.time[a] == queries.time[b]
        and queries.known_until[a] == queries.known_until[b]
    )


@njit(cache=True, nogil=True)
def _open_slots(known: Known, slot_of: Ints, subject: int, since: int) -> None:
    """Note the subject's slots that hold facts at or after ``since``."""
    for slot in range(known.slot_start[subject], known.slot_end[subject]):
        if known.slot_newest[slot] >= since:
            slot_of[known.slot_relation[slot]] = slot


@njit(cache=True, nogil=True)
def _close_slots(known: Known, slot_of: Ints, subject: int) -> None:
    for slot in range(known.slot_start[subject], known.slot_end[subject]):
        slot_of[known.slot_relation[slot]] = -1
