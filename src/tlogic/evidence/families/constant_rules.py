"""Counted rules with constants: entities with partner d did r to c. How often did that come true?

At every query (s, r, ?, t) a rule fires for each of the strongest partners d of s, and hits for each answer c.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.typed import Dict

from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.partners import strongest_partners
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.evidence.stepping import register_hooks, step_through
from tlogic.graph.arrays import Floats, Ints

_N_PARTNERS = 15
_PRIOR = 5.0  # firings without a hit that are added to each rule's


class ConstantState(NamedTuple):
    """The counts of the rules of one head relation."""

    counts: Any
    """A typed dictionary: per partner its firings, and per partner and answer their hits."""


class Scratch(NamedTuple):
    """Memory for some queries."""

    partners: Ints
    """Per query: the strongest partners of its subject, if it is scored."""


def _new_scratch(queries: HistoryQueries) -> Scratch:
    return Scratch(np.full((len(queries.time), _N_PARTNERS), -1, np.int64))


def _fill_query(
    histories: Histories,
    state: ConstantState,
    scratch: Scratch,
    queries: HistoryQueries,
    q: int,
    candidates: Ints,
    out: Floats,
) -> None:
    scratch.partners[q] = strongest_partners(histories, queries.subject[q], queries.time[q], _N_PARTNERS).entity
    _fill(state.counts, scratch.partners[q], candidates, len(histories.slot_start) - 1, out)


def _learn_query(
    histories: Histories, state: ConstantState, scratch: Scratch, queries: HistoryQueries, q: int, answers: Ints
) -> None:
    partners = scratch.partners[q]
    if not queries.scored[q]:
        partners[:] = strongest_partners(histories, queries.subject[q], queries.time[q], _N_PARTNERS).entity
    _learn(state.counts, partners, answers, len(histories.slot_start) - 1)


register_hooks(ConstantState, fill_query=_fill_query, learn_query=_learn_query)


@njit(cache=True, nogil=True)
def advance(
    histories: Histories,
    state: ConstantState,
    scratch: Scratch,
    queries: HistoryQueries,
    pairs: CandidatePairs,
    out: Floats,
) -> None:
    """Step through time."""
    step_through(histories, state, scratch, queries, pairs, out)


@njit(cache=True, nogil=True)
def _fill(counts: Any, partners: Ints, candidates: Ints, n_entities: int, out: Floats) -> None:
    """Fill the rows of one query."""
    out[:] = 0.0
    for d in partners:
        if d < 0 or _fires(d, n_entities) not in counts:
            continue
        fires = counts[_fires(d, n_entities)]
        for p in range(len(candidates)):
            key = _hits(d, candidates[p], n_entities)
            if key in counts:
                rate = counts[key] / (fires + _PRIOR)
                out[p, 0] = max(out[p, 0], rate)
                out[p, 1] += rate


@njit(cache=True, nogil=True)
def _learn(counts: Any, partners: Ints, answers: Ints, n_entities: int) -> None:
    """Count which rules fired for a query, and which hit."""
    for d in partners:
        if d >= 0:
            _count(counts, _fires(d, n_entities))
            for c in answers:
                _count(counts, _hits(d, c, n_entities))


@njit(cache=True, nogil=True)
def _count(counts: Any, key: int) -> None:
    counts[key] = counts.get(key, 0.0) + 1.0


@njit(cache=True, nogil=True)
def _hits(d: int, c: int, n_entities: int) -> int:
    """The key of the hits of a rule."""
    return int(d) * (n_entities + 1) + int(c)


@njit(cache=True, nogil=True)
def _fires(d: int, n_entities: int) -> int:
    """The key of the firings of a rule, which are the same for all answers."""
    return int(d) * (n_entities + 1) + n_entities


class ConstantRules(BaseFamily):
    """Rules r(X, c, T2) <- X has partner d."""

    columns = ("largest", "sum")

    def __init__(self, n_relations: int) -> None:  # noqa: ARG002
        self.state = ConstantState(Dict.empty(types.int64, types.float64))

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill the rates of the rules that fire for each candidate, and count all rules."""
        advance(histories, self.state, _new_scratch(queries), queries, pairs, out)

    def describe(self, case: Case) -> Statement:
        """The rule with the highest rate."""
        n_entities, counts = len(case.graph.entities), self.state.counts
        partners = strongest_partners(case.histories, case.query.subject, case.query.time, _N_PARTNERS).entity
        rates = {
            int(d): counts[_hits(d, case.entity, n_entities)] / (counts[_fires(d, n_entities)] + _PRIOR)
            for d in partners
            if d >= 0 and _hits(d, case.entity, n_entities) in counts
        }
        if not rates:
            return Statement(f"no close partner of {case.subject} points to {case.candidate}")
        best = max(rates, key=lambda d: rates[d])
        partner = case.graph.entities.name_of(best)
        return Statement(
            f"{partner} is a close partner of {case.subject}; for entities with this partner, {case.candidate} was the "
            f"{case.role} of {percent(rates[best])} of {case.relation} events",
            (*case.edges(case.query.subject, None, best)[:1], *case.answers()),
        )
