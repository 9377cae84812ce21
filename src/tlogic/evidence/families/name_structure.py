"""Names: from which places and of which kinds are those to whom subjects of this place and kind do the relation?

Counted at every query, as rules are: what a query teaches counts for later times only.
"""

from typing import Any

import numpy as np
from numba import njit, types
from numba.typed import Dict

from tlogic.evidence.histories import Histories
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries, answers_of, end_of_step
from tlogic.evidence.name_parts import UNKNOWN, NameParts, kind_of, place_of
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Floats, Ints

COLUMNS = ("same place", "place", "kind", "share of place", "share of kind", "place and share", "kind and share")
_PRIOR = 5.0
_ALL, _SAME, _FROM, _TO, _BETWEEN, _KIND_FROM, _KIND_BETWEEN, _OBJECT, _KIND_TO = range(9)
_N_KEYS = 9
_BITS = 28  # enough for the number of an entity, a place or a kind


def new_state(n_relations: int) -> Any:  # noqa: ARG001 (as all counted families)
    """How often places and kinds came together under one relation, by key; nothing yet."""
    return Dict.empty(types.int64, types.float64)


@njit(cache=True, nogil=True)
def advance(histories: Histories, state: Any, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Go through queries in order of time: fill the rows of those scored, then learn from all of the same time."""
    first, scored = 0, 0
    while first < len(queries.time):
        end = end_of_step(queries, first)
        for q in range(first, end):
            if queries.scored[q]:
                rows = slice(pairs.start[scored], pairs.start[scored + 1])
                _tell(
                    histories.name_parts, state, queries.subject[q], queries.time[q], pairs.candidate[rows], out[rows]
                )
                scored += 1
        for q in range(first, end):
            for c in answers_of(queries, q):
                _learn(histories.name_parts, state, queries.subject[q], c, queries.time[q])
        first = end


@njit(cache=True, nogil=True)
def _tell(name_parts: NameParts, state: Any, subject: int, now: int, candidates: Ints, out: Floats) -> None:
    """Fill the rows of one query."""
    here = place_of(name_parts, subject, now)
    kind = kind_of(name_parts, subject, here)
    same = _rate(state, _key(_SAME, 0, 0), _key(_ALL, 0, 0), 0.5)
    for p in range(len(candidates)):
        c = candidates[p]
        there = place_of(name_parts, c, now)
        its_kind = kind_of(name_parts, c, there)
        alike = here == there and here != UNKNOWN
        usual = same if alike else (1.0 - same) * _rate(state, _key(_TO, there, 0), _key(_ALL, 0, 0), 0.0)
        place = _rate(state, _key(_BETWEEN, here, there), _key(_FROM, here, 0), usual)
        of_kind = _rate(state, _key(_KIND_BETWEEN, kind, 2 * its_kind + alike), _key(_KIND_FROM, kind, 0), 0.0)
        of_place = _rate(state, _key(_OBJECT, c, 0), _key(_TO, there, 0), 0.0)
        within = _rate(state, _key(_OBJECT, c, 0), _key(_KIND_TO, its_kind, there), 0.0)
        out[p, 0] = np.nan if UNKNOWN in (here, there) else alike
        out[p, 1], out[p, 2], out[p, 3], out[p, 4] = place, of_kind, of_place, within
        out[p, 5], out[p, 6] = place * of_place, of_kind * within


@njit(cache=True, nogil=True)
def _learn(name_parts: NameParts, state: Any, subject: int, answer: int, now: int) -> None:
    here, there = place_of(name_parts, subject, now), place_of(name_parts, answer, now)
    kind, its_kind = kind_of(name_parts, subject, here), kind_of(name_parts, answer, there)
    alike = here == there and here != UNKNOWN
    _count(state, _key(_ALL, 0, 0))
    if alike:
        _count(state, _key(_SAME, 0, 0))
    _count(state, _key(_FROM, here, 0))
    _count(state, _key(_TO, there, 0))
    _count(state, _key(_BETWEEN, here, there))
    _count(state, _key(_KIND_FROM, kind, 0))
    _count(state, _key(_KIND_BETWEEN, kind, 2 * its_kind + alike))
    _count(state, _key(_OBJECT, answer, 0))
    _count(state, _key(_KIND_TO, its_kind, there))


@njit(cache=True, nogil=True)
def _rate(state: Any, hits: int, fires: int, usual: float) -> float:
    """The share of one count in another, drawn to what is usual."""
    return (state.get(hits, 0.0) + _PRIOR * usual) / (state.get(fires, 0.0) + _PRIOR)


@njit(cache=True, nogil=True)
def _count(state: Any, key: int) -> None:
    state[key] = state.get(key, 0.0) + 1.0


@njit(cache=True, nogil=True)
def _key(what: int, one: int, other: int) -> int:
    return (((int(other) + 1) << _BITS) + int(one) + 1) * _N_KEYS + what


def describe(case: Case) -> Statement:
    """What this family says of a candidate."""
    values = case.values
    return Statement(
        f"{values['place']:.1%} of {case.relation} by those of the place of {case.subject} goes to the place of "
        f"{case.candidate}, and {values['share of place']:.1%} of what goes there to {case.candidate} itself",
        case.answers(),
    )
