"""Popularity: how often the candidate is the object of the relation, whoever the subject; and how active it is."""

import numpy as np
from numba import njit

from tlogic.evidence.families.fact_recurrence import rank_within
from tlogic.evidence.histories import FOREVER, Histories, count_at, last_before, share
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Floats
from tlogic.graph.binary_search import find

_LIVES = (1, 2, 3, 4)
COLUMNS = (
    "age",
    *(f"share of relation {h}" for h in _LIVES),
    "share of candidate",
    "rank",
    "activity age",
    "activity 1",
    "activity 2",
    "activity 4",
    "burst",
)
_SHARE, _OWN, _RANK, _ACTIVITY = 1, 5, 6, 7


@njit(cache=True, nogil=True)
def extract(histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Fill the columns of this family, a row a candidate."""
    decay, slots, sources, relations = histories.decay, histories.slots, histories.sources, histories.relations
    for i in range(len(pairs.query)):
        now = queries.time[pairs.query[i]]
        relation_last = last_before(relations.start, relations.time, queries.relation, now)
        for p in range(pairs.start[i], pairs.start[i + 1]):
            out[p, :] = np.nan
            c = pairs.candidate[p]
            active = last_before(sources.start, sources.time, c, now)
            if active >= 0:
                _tell_activity(histories, active, now, out[p, _ACTIVITY:])
            slot = find(histories.slot_start, histories.slot_relation, c, queries.inverse)
            last = last_before(slots.start, slots.time, slot, now)
            if last < 0:
                continue
            out[p, 0] = now - slots.time[last]
            for k in range(len(_LIVES)):
                out[p, _SHARE + k] = share(decay, slots, last, relations, relation_last, _LIVES[k])
            out[p, _OWN] = share(decay, slots, last, sources, active, FOREVER)
        rank_within(pairs, i, out, _SHARE + 1, _RANK)


@njit(cache=True, nogil=True)
def _tell_activity(histories: Histories, last: int, now: int, out: Floats) -> None:
    decay, sources = histories.decay, histories.sources
    out[0] = now - sources.time[last]
    out[1] = count_at(decay, sources, last, 1, now)
    out[2] = count_at(decay, sources, last, 2, now)
    out[3] = sources.counts[last, FOREVER]
    out[4] = count_at(decay, sources, last, 0, now) / (count_at(decay, sources, last, 3, now) + 1e-6)


def describe(case: Case) -> Statement:
    """What this family says of a candidate."""
    values = case.values
    if "activity 4" not in values:
        return Statement(f"{case.candidate} was never seen before")
    active = f"{case.candidate} is in {values['activity 4']:.0f} facts"
    if "age" not in values:
        return Statement(
            f"{active}, none of them as the answer to {case.relation}", case.edges(case.entity, None, None)
        )
    return Statement(
        f"{active}, lately as the answer to {values['share of relation 2']:.1%} of all {case.relation}, last "
        f"{case.span(int(values['age']))} before",
        case.answers(),
    )
