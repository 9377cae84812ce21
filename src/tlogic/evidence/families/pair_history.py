"""Pair: the subject and the candidate together, under any relation."""

import numpy as np
from numba import njit

from tlogic.evidence.histories import FOREVER, Histories, count_at, last_before, share
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Floats
from tlogic.graph.binary_search import find

_LIVES = (1, 2, 4)
COLUMNS = (
    "age",
    *(f"count {h}" for h in _LIVES),
    *(f"share of subject {h}" for h in _LIVES),
    *(f"share of candidate {h}" for h in _LIVES),
)


@njit(cache=True, nogil=True)
def extract(histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Fill the columns of this family, a row a candidate."""
    decay, couples, sources = histories.decay, histories.pairs, histories.sources
    for i in range(len(pairs.query)):
        s, now = queries.subject[pairs.query[i]], queries.time[pairs.query[i]]
        subject_last = last_before(sources.start, sources.time, s, now)
        for p in range(pairs.start[i], pairs.start[i + 1]):
            out[p, :] = np.nan
            c = pairs.candidate[p]
            couple = find(histories.pair_start, histories.pair_target, s, c)
            last = last_before(couples.start, couples.time, couple, now)
            if last < 0:
                continue
            out[p, 0] = now - couples.time[last]
            candidate_last = last_before(sources.start, sources.time, c, now)
            for k in range(len(_LIVES)):
                out[p, 1 + k] = count_at(decay, couples, last, _LIVES[k], now)
                out[p, 4 + k] = share(decay, couples, last, sources, subject_last, _LIVES[k])
                out[p, 7 + k] = share(decay, couples, last, sources, candidate_last, _LIVES[k])


def describe(case: Case) -> Statement:
    """What this family says of a candidate."""
    values = case.values
    if "age" not in values:
        return Statement(f"{case.subject} and {case.candidate} never had to do with each other")
    times = "once" if values[f"count {FOREVER}"] == 1 else f"{values[f'count {FOREVER}']:.0f} times"
    return Statement(
        f"{case.subject} and {case.candidate} had to do with each other {times}, last "
        f"{case.span(int(values['age']))} before; lately that is {values['share of subject 2']:.0%} of all with "
        f"{case.subject}",
        case.edges(case.query.subject, None, case.entity),
    )
