"""Events between the subject and the candidate, under any relation."""

import numpy as np
from numba import njit

from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import FOREVER, RECENT, Histories, count_at, last_before, share
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.graph.arrays import Floats
from tlogic.graph.binary_search import find

_LIVES = (1, RECENT, FOREVER)  # indexes of half-lives


@njit(cache=True, nogil=True)
def _extract(histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Fill one row per candidate."""
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


class PairHistory(BaseFamily):
    """Events between subject and candidate."""

    columns = (
        "age",
        *(f"count {h}" for h in _LIVES),
        *(f"share of subject {h}" for h in _LIVES),
        *(f"share of candidate {h}" for h in _LIVES),
    )

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill age, decayed counts and shares of the earlier events."""
        _extract(histories, queries, pairs, out)

    def describe(self, case: Case) -> Statement:
        """How often and when both had an event in common."""
        values = case.values
        if "age" not in values:
            return Statement(f"no earlier event links {case.subject} and {case.candidate}")
        n = values[f"count {FOREVER}"]
        return Statement(
            f"{case.subject} and {case.candidate} have {n:,.0f} earlier event{'s' * (n > 1)} in common, the "
            f"latest {case.duration(int(values['age']))} earlier; with recent events weighted more, this is "
            f"{percent(values[f'share of subject {RECENT}'], 0)} of all events with {case.subject}",
            case.edges(case.query.subject, None, case.entity),
        )
