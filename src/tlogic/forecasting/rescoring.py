"""Scoring of groundings that were found before, under other settings.

The candidates of a rule do not depend on the score function. A smaller window keeps the groundings whose age is within
it: the age of a grounding is that of its first fact, which is its oldest. So score functions, windows, rule lengths and
stop criteria can all be compared on the groundings of one pass.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.forecasting.application import QueryBatch, Scored
from tlogic.forecasting.candidates import INITIAL_CAPACITY, Candidates, add_scores, has_enough, write_candidates
from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.rule_groundings import RuleGroundings
from tlogic.graph.arrays import Bools, Floats, Ints


class Scoring(NamedTuple):
    """The settings that groundings are scored with."""

    admitted: Bools
    """Per rule: whether it is applied."""
    confidence: Floats
    alpha: float
    decay: Floats
    """(1 - alpha) * exp(-lambda * age), per age in time steps."""
    window: int
    """Groundings of at most this age are scored, in time steps."""
    k: int
    published_stop: bool
    """See ``Rulebook``."""


@kernel
def score_groundings(
    groundings: RuleGroundings, scoring: Scoring, queries: QueryBatch, candidates: Candidates, frontier: Frontier
) -> Scored:
    """Score candidates as ``apply_rules`` does, from groundings that were found before."""
    n_queries = len(queries.subject)
    start, n_rules = np.zeros(n_queries + 1, np.int64), np.zeros(n_queries, np.int64)
    out_entity: Ints = np.empty(INITIAL_CAPACITY, np.int32)
    out_score: Floats = np.empty(INITIAL_CAPACITY, np.float64)
    scores: Floats = np.empty(INITIAL_CAPACITY, np.float32)
    for q in range(n_queries):
        n_rules[q], scores = _score_query(groundings, scoring, q, queries.time[q], candidates, frontier, scores)
        out_entity, out_score, start[q + 1] = write_candidates(candidates, out_entity, out_score, start[q])
    return Scored(start, out_entity[: start[-1]].copy(), out_score[: start[-1]].copy(), n_rules)


@helper
def _score_query(
    groundings: RuleGroundings,
    scoring: Scoring,
    q: int,
    now: int,
    candidates: Candidates,
    frontier: Frontier,
    scores: Floats,
) -> tuple[int, Floats]:
    """Collect the candidates of one query; returns the number of rules tried, and ``scores``, perhaps reallocated."""
    admitted, confidence, alpha, decay, window, k, published_stop = scoring
    n_tried = 0
    for i in range(groundings.first[q], groundings.first[q + 1]):
        rule = groundings.rule[q] + i - groundings.first[q]
        if not admitted[rule]:
            continue
        n_tried += 1
        n_found = _load_frontier(groundings, i, now, window, frontier)
        if n_found == 0:
            continue
        base = alpha * confidence[rule]
        scores = add_scores(candidates, scores, frontier, n_found, base, decay, now, published_stop)
        if has_enough(candidates, scores, k, published_stop):
            break
    return n_tried, scores


@helper
def _load_frontier(groundings: RuleGroundings, index: int, now: int, window: int, frontier: Frontier) -> int:
    """Load the candidates of one rule whose age is within the window; returns their number."""
    candidate, age = groundings.candidate, groundings.age
    n = 0
    for i in range(groundings.start[index], groundings.start[index + 1]):
        if age[i] <= window:
            frontier.best[candidate[i]] = now - age[i]
            frontier.entity[n] = candidate[i]
            n += 1
    return n
