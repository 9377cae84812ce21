"""Scoring without grounding again: what rules lead to is found once, and scored as often as one likes.

Rules lead to the same candidates whatever the score function, and within a smaller window to those of them that are
young enough: the age of a grounding is that of its first fact, and no other is older. So score functions, windows,
lengths and stops can all be compared on the groundings of one pass.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.application import QueryBatch, Scored
from tlogic.forecasting.candidates import Candidates, add_scores, has_enough, write_candidates
from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.graph.arrays import Bools, Floats, Ints


class Grounded(NamedTuple):
    """What the rules of each query lead to, all of them, in the order of their confidence."""

    first: Ints
    """Per query: its first entry in ``start``; there is an entry for each rule of its relation."""
    rule: Ints
    """Per query: the first of those rules."""
    start: Ints
    """Per query and rule: its first candidate."""
    candidate: Ints
    age: Ints
    """Per candidate: how many steps before the query the rule's best grounding for it begins."""


class Scoring(NamedTuple):
    """How groundings become scores."""

    admitted: Bools
    """Per rule: is it applied?"""
    confidence: Floats
    alpha: float
    decay: Floats
    window: int
    k: int
    published_stop: bool


@njit(cache=True, nogil=True)
def score_grounded(
    grounded: Grounded, scoring: Scoring, queries: QueryBatch, candidates: Candidates, frontier: Frontier
) -> Scored:
    """Score candidates as ``apply_rules`` does, from groundings that are already there."""
    n_queries = len(queries.subject)
    start, n_rules = np.zeros(n_queries + 1, np.int64), np.zeros(n_queries, np.int64)
    out_entity: Ints = np.empty(1 << 12, np.int32)
    out_score: Floats = np.empty(1 << 12, np.float64)
    scores: Floats = np.empty(1 << 12, np.float32)
    for q in range(n_queries):
        n_rules[q], scores = _score_query(grounded, scoring, q, queries.time[q], candidates, frontier, scores)
        out_entity, out_score, start[q + 1] = write_candidates(candidates, out_entity, out_score, start[q])
    return Scored(start, out_entity[: start[-1]].copy(), out_score[: start[-1]].copy(), n_rules)


@njit(cache=True, nogil=True)
def _score_query(
    grounded: Grounded, scoring: Scoring, q: int, now: int, candidates: Candidates, frontier: Frontier, scores: Floats
) -> tuple[int, Floats]:
    """Fill the candidates of one query: how many rules were tried, and the room for scores."""
    admitted, confidence, alpha, decay, window, k, published_stop = scoring
    n_tried = 0
    for place in range(grounded.first[q], grounded.first[q + 1]):
        rule = grounded.rule[q] + place - grounded.first[q]
        if not admitted[rule]:
            continue
        n_tried += 1
        n_found = _load_frontier(grounded, place, now, window, frontier)
        if n_found == 0:
            continue
        base = alpha * confidence[rule]
        scores = add_scores(candidates, scores, frontier, n_found, base, decay, now, published_stop)
        if has_enough(candidates, scores, k, published_stop):
            break
    return n_tried, scores


@njit(cache=True, nogil=True)
def _load_frontier(grounded: Grounded, place: int, now: int, window: int, frontier: Frontier) -> int:
    """Take up the candidates of one rule that are within the window; how many they are."""
    candidate, age = grounded.candidate, grounded.age
    n = 0
    for i in range(grounded.start[place], grounded.start[place + 1]):
        if age[i] <= window:
            frontier.best[candidate[i]] = now - age[i]
            frontier.entity[n] = candidate[i]
            n += 1
    return n
