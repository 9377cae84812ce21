"""Habits: does the subject keep to whom it knows, and does the candidate come back at its usual pace?

How often an answer is an old acquaintance differs from one subject to the next, so each column that tells of a habit
is positive for old acquaintances and negative for others: it speaks for the ones as strongly as against the others.
"""

import numpy as np
from numba import njit

from tlogic.evidence.histories import FOREVER, Histories, History, last_before
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Floats
from tlogic.graph.binary_search import find

COLUMNS = (
    "repeats",
    "repeats of subject",
    "facts so far",
    "partners again",
    "events since",
    "pace",
    "order",
    "pair order",
)
_EVENTS_SINCE, _PACE, _ORDER, _PAIR_ORDER = 4, 5, 6, 7


@njit(cache=True, nogil=True)
def extract(histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Fill the columns of this family, a row a candidate."""
    triples, couples = histories.triples, histories.pairs
    for i in range(len(pairs.query)):
        s, now = queries.subject[pairs.query[i]], queries.time[pairs.query[i]]
        slot = find(histories.slot_start, histories.slot_relation, s, queries.relation)
        n_facts = _facts_before(histories.slots, slot, now)
        same = _share_of_repeats(triples, histories.triple_start, slot, n_facts, now)
        again = _share_of_repeats(couples, histories.pair_start, s, _facts_before(histories.sources, s, now), now)
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
                    usual = (triples.time[last] - triples.time[triples.start[triple]]) / (n - 1.0)
                    rows[p, _PACE] = age / (usual + 1.0)
            if met >= 0:
                rows[p, _PAIR_ORDER] = now - couples.time[met]
        _place_by_age(rows, _ORDER)
        _place_by_age(rows, _PAIR_ORDER)


@njit(cache=True, nogil=True)
def _facts_before(history: History, group: int, now: int) -> float:
    last = last_before(history.start, history.time, group, now)
    return history.counts[last, FOREVER] if last >= 0 else 0.0


@njit(cache=True, nogil=True)
def _share_of_repeats(history: History, start: np.ndarray, group: int, n_facts: float, now: int) -> float:
    """The share of a group's facts that were not the first of their kind; a half where there are none."""
    n_kinds = 0
    if group >= 0:
        for kind in range(start[group], start[group + 1]):
            n_kinds += history.time[history.start[kind]] < now
    return (n_facts - n_kinds + 1.0) / (n_facts + 2.0)


@njit(cache=True, nogil=True)
def _place_by_age(rows: Floats, column: int) -> None:
    """Put the number of younger candidates in place of an age."""
    ages = rows[:, column].copy()
    for p in range(len(rows)):
        if not np.isnan(ages[p]):
            rows[p, column] = (ages < ages[p]).sum()


def describe(case: Case) -> Statement:
    """What this family says of a candidate."""
    again, known = abs(case.values["repeats"]), case.values["repeats"] > 0
    return Statement(
        f"an estimated {again:.0%} of {case.relation} by {case.subject} repeats an earlier one; "
        f"{case.candidate} would {'' if known else 'not '}be a repeat",
        case.edges(case.query.subject, case.query.relation, None),
    )
