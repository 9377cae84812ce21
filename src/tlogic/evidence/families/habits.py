"""Habits: how often does the subject repeat earlier events, and is the candidate due at its usual interval?

How often answers repeat differs between subjects. Columns of habits are positive for candidates that would be a repeat
and negative for others, so a habit counts for the former as strongly as against the latter.
"""

import numpy as np
from numba import njit

from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import FOREVER, Histories, History, last_before
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.graph.arrays import Floats
from tlogic.graph.binary_search import find

_EVENTS_SINCE, _PACE, _ORDER, _PAIR_ORDER = 4, 5, 6, 7


@njit(cache=True, nogil=True)
def _extract(histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Fill one row per candidate."""
    triples, couples = histories.triples, histories.pairs
    for i in range(len(pairs.query)):
        s, now = queries.subject[pairs.query[i]], queries.time[pairs.query[i]]
        slot = find(histories.slot_start, histories.slot_relation, s, queries.relation)
        n_facts = _facts_before(histories.slots, slot, now)
        same = _rate_of_repeats(triples, histories.triple_start, slot, n_facts, now)
        again = _rate_of_repeats(couples, histories.pair_start, s, _facts_before(histories.sources, s, now), now)
        rows = out[pairs.start[i] : pairs.start[i + 1]]
        rows[:] = np.nan
        for p in range(len(rows)):
            c = pairs.candidate[pairs.start[i] + p]
            triple = find(histories.triple_start, histories.target, slot, c) if slot >= 0 else -1
            last = last_before(triples.start, triples.time, triple, now)
            couple = find(histories.pair_start, histories.pair_target, s, c)
            met = last_before(couples.start, couples.time, couple, now)
            rows[p, 0] = same if last >= 0 else -same
            rows[p, 1] = again if last >= 0 else -again
            rows[p, 2] = n_facts if last >= 0 else -n_facts
            rows[p, 3] = again if met >= 0 else -again
            if last >= 0:
                age, n = now - triples.time[last], last - triples.start[triple] + 1
                rows[p, _EVENTS_SINCE] = age * n_facts / (now + 1.0)
                rows[p, _ORDER] = age
                if n > 1:
                    interval = (triples.time[last] - triples.time[triples.start[triple]]) / (n - 1.0)
                    rows[p, _PACE] = age / (interval + 1.0)
            if met >= 0:
                rows[p, _PAIR_ORDER] = now - couples.time[met]
        _rank_by_age(rows, _ORDER)
        _rank_by_age(rows, _PAIR_ORDER)


@njit(cache=True, nogil=True)
def _facts_before(history: History, group: int, now: int) -> float:
    last = last_before(history.start, history.time, group, now)
    return history.counts[last, FOREVER] if last >= 0 else 0.0


@njit(cache=True, nogil=True)
def _rate_of_repeats(history: History, start: np.ndarray, group: int, n_facts: float, now: int) -> float:
    """The smoothed share of a group's facts that repeat an earlier one; a half if there are none."""
    n_kinds = 0
    if group >= 0:
        for kind in range(start[group], start[group + 1]):
            n_kinds += history.time[history.start[kind]] < now
    return (n_facts - n_kinds + 1.0) / (n_facts + 2.0)


@njit(cache=True, nogil=True)
def _rank_by_age(rows: Floats, column: int) -> None:
    """Replace each age by the number of candidates with a smaller one."""
    ages = rows[:, column].copy()
    for p in range(len(rows)):
        if not np.isnan(ages[p]):
            rows[p, column] = (ages < ages[p]).sum()


class Habits(BaseFamily):
    """The habits of the subject, and the candidate's usual interval."""

    columns = (
        "repeats",
        "repeats of subject",
        "facts so far",
        "partners again",
        "events since",
        "pace",
        "order",
        "pair order",
    )

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill rates of repeats and the order of candidates by age."""
        _extract(histories, queries, pairs, out)

    def describe(self, case: Case) -> Statement:
        """How often the subject repeats events, and whether the candidate would be a repeat."""
        repeats = case.values["repeats"]
        return Statement(
            f"an estimated {percent(abs(repeats), 0)} of {case.events_of(case.subject)} repeat an earlier one; "
            f"{case.candidate} would be {'a repeat' if repeats > 0 else 'new'}",
            case.edges(case.query.subject, case.query.relation, None),
        )
