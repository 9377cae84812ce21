"""Names: from which places, and of which kinds, are the objects of subjects from this place and of this kind?

Places and kinds are parts of names such as "Police (India)". How often they meet under the relation is counted at every
query. The most active entities from the place of the subject are proposed as candidates.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.typed import Dict

from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import Histories, last_before, weight_at
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.name_parts import UNKNOWN, NameParts, kind_of, place_of
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.evidence.stepping import register_hooks, step_through
from tlogic.graph.arrays import Floats, Ints

_PRIOR = 5.0  # answers that the expected rate is worth
_MAX_PROPOSED = 2000  # entities per query
_ALL, _SAME, _FROM, _TO, _BETWEEN, _KIND_FROM, _KIND_BETWEEN, _OBJECT, _KIND_TO = range(9)
_N_KEYS = 9
_KEY_BITS = 28  # enough for the id of an entity, a place or a kind


class NameState(NamedTuple):
    """How often places and kinds met under one relation."""

    counts: Any
    """A typed dictionary, with the keys of ``_key``."""


class NoScratch(NamedTuple):
    """This family needs no memory between calls; Numba needs a field."""

    unused: int = 0


def _fill_query(
    histories: Histories,
    state: NameState,
    scratch: NoScratch,  # noqa: ARG001
    queries: HistoryQueries,
    q: int,
    candidates: Ints,
    out: Floats,
) -> None:
    _fill(histories.name_parts, state.counts, queries.subject[q], queries.time[q], candidates, out)


def _learn_query(
    histories: Histories,
    state: NameState,
    scratch: NoScratch,  # noqa: ARG001
    queries: HistoryQueries,
    q: int,
    answers: Ints,
) -> None:
    for c in answers:
        _learn(histories.name_parts, state.counts, queries.subject[q], c, queries.time[q])


register_hooks(NameState, fill_query=_fill_query, learn_query=_learn_query)


@njit(cache=True, nogil=True)
def advance(
    histories: Histories,
    state: NameState,
    scratch: NoScratch,
    queries: HistoryQueries,
    pairs: CandidatePairs,
    out: Floats,
) -> None:
    """Step through time."""
    step_through(histories, state, scratch, queries, pairs, out)


@njit(cache=True, nogil=True)
def _fill(names: NameParts, counts: Any, subject: int, now: int, candidates: Ints, out: Floats) -> None:
    """Fill the rows of one query."""
    here = place_of(names, subject, now)
    kind = kind_of(names, subject, here)
    same = _rate(counts, _key(_SAME, 0, 0), _key(_ALL, 0, 0), 0.5)
    for p in range(len(candidates)):
        c = candidates[p]
        there = place_of(names, c, now)
        its_kind = kind_of(names, c, there)
        alike = here == there and here != UNKNOWN
        expected = same if alike else (1.0 - same) * _rate(counts, _key(_TO, there, 0), _key(_ALL, 0, 0), 0.0)
        place = _rate(counts, _key(_BETWEEN, here, there), _key(_FROM, here, 0), expected)
        of_kind = _rate(counts, _key(_KIND_BETWEEN, kind, 2 * its_kind + alike), _key(_KIND_FROM, kind, 0), 0.0)
        of_place = _rate(counts, _key(_OBJECT, c, 0), _key(_TO, there, 0), 0.0)
        within = _rate(counts, _key(_OBJECT, c, 0), _key(_KIND_TO, its_kind, there), 0.0)
        out[p, 0] = np.nan if UNKNOWN in (here, there) else alike
        out[p, 1], out[p, 2], out[p, 3], out[p, 4] = place, of_kind, of_place, within
        out[p, 5], out[p, 6] = place * of_place, of_kind * within


@njit(cache=True, nogil=True)
def _learn(names: NameParts, counts: Any, subject: int, answer: int, now: int) -> None:
    """Count the places and kinds of a subject and an answer."""
    here, there = place_of(names, subject, now), place_of(names, answer, now)
    kind, its_kind = kind_of(names, subject, here), kind_of(names, answer, there)
    alike = here == there and here != UNKNOWN
    _count(counts, _key(_ALL, 0, 0))
    if alike:
        _count(counts, _key(_SAME, 0, 0))
    _count(counts, _key(_FROM, here, 0))
    _count(counts, _key(_TO, there, 0))
    _count(counts, _key(_BETWEEN, here, there))
    _count(counts, _key(_KIND_FROM, kind, 0))
    _count(counts, _key(_KIND_BETWEEN, kind, 2 * its_kind + alike))
    _count(counts, _key(_OBJECT, answer, 0))
    _count(counts, _key(_KIND_TO, its_kind, there))


@njit(cache=True, nogil=True)
def _rate(counts: Any, hits: int, fires: int, expected: float) -> float:
    """The share of one count in another, shrunk towards an expected rate."""
    return (counts.get(hits, 0.0) + _PRIOR * expected) / (counts.get(fires, 0.0) + _PRIOR)


@njit(cache=True, nogil=True)
def _count(counts: Any, key: int) -> None:
    counts[key] = counts.get(key, 0.0) + 1.0


@njit(cache=True, nogil=True)
def _key(what: int, one: int, other: int) -> int:
    return (((int(other) + 1) << _KEY_BITS) + int(one) + 1) * _N_KEYS + what


@njit(cache=True, nogil=True)
def _most_active_of_place(histories: Histories, queries: HistoryQueries) -> CandidatePairs:
    """Per scored query: the entities whose names have the place of the subject, the most active first."""
    names, sources = histories.name_parts, histories.sources
    scored = np.flatnonzero(queries.scored)
    start = np.zeros(len(scored) + 1, np.int64)
    candidate = np.empty(_MAX_PROPOSED, np.int32)
    for i in range(len(scored)):
        n, now = start[i], queries.time[scored[i]]
        place = place_of(names, queries.subject[scored[i]], now)
        if place != UNKNOWN:
            members = names.member[names.member_start[place] : names.member_start[place + 1]]
            activity = np.zeros(len(members))
            for m in range(len(members)):
                last = last_before(sources.start, sources.time, members[m], now)
                if last >= 0:
                    activity[m] = weight_at(histories.decay, sources, last, now)
            if n + _MAX_PROPOSED > len(candidate):
                candidate = np.append(candidate, np.empty_like(candidate))
            for m in np.argsort(-activity, kind="mergesort")[:_MAX_PROPOSED]:
                if activity[m] > 0.0:
                    candidate[n] = members[m]
                    n += 1
        start[i + 1] = n
    return CandidatePairs(scored, start, candidate[: start[-1]].copy())


class NameStructure(BaseFamily):
    """Places and kinds in names."""

    columns = ("same place", "place", "kind", "share of place", "share of kind", "place and share", "kind and share")
    by_default = False

    def __init__(self, n_relations: int) -> None:  # noqa: ARG002
        self.state = NameState(Dict.empty(types.int64, types.float64))

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill how well the places and kinds of subject and candidates go together, and count those of all queries."""
        advance(histories, self.state, NoScratch(), queries, pairs, out)

    def propose(self, histories: Histories, queries: HistoryQueries) -> CandidatePairs:
        """The most active entities from the place of the subject."""
        proposed: CandidatePairs = _most_active_of_place(histories, queries)
        return proposed

    def describe(self, case: Case) -> Statement:
        """The rates of the place and of the candidate within it."""
        if "same place" not in case.values:
            return Statement(
                f"the places of {case.subject} and {case.candidate} are not both known from names", case.answers()
            )
        place, of_place = (percent(case.values[name]) for name in ("place", "share of place"))
        return Statement(
            f"of {case.events_of(f'entities from the place of {case.subject}')}, {place} have their {case.role} in the "
            f"place of {case.candidate}; of all {case.relation} events with their {case.role} there, {of_place} are "
            f"with {case.candidate}",
            case.answers(),
        )
