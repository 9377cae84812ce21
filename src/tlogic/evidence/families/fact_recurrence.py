"""Recurrence of the same fact: how long ago, how often, and with which share of the subject's events?"""

import numpy as np
from numba import njit

from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import FOREVER, N_HALF_LIVES, RECENT, Histories, count_at, last_before, share
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.statements import Case, Statement, how_often, percent
from tlogic.graph.arrays import Floats
from tlogic.graph.binary_search import find

_COUNT, _SHARE, _REVERSE = 1, 1 + N_HALF_LIVES, 1 + 2 * N_HALF_LIVES
_RANK, _MET_SINCE = 1 + 3 * N_HALF_LIVES, 2 + 3 * N_HALF_LIVES


@njit(cache=True, nogil=True)
def _extract(histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Fill one row per candidate."""
    decay, triples, slots = histories.decay, histories.triples, histories.slots
    for i in range(len(pairs.query)):
        s, now = queries.subject[pairs.query[i]], queries.time[pairs.query[i]]
        slot = find(histories.slot_start, histories.slot_relation, s, queries.relation)
        slot_last = last_before(slots.start, slots.time, slot, now)
        for p in range(pairs.start[i], pairs.start[i + 1]):
            out[p, :] = np.nan
            c = pairs.candidate[p]
            pair = find(histories.pair_start, histories.pair_target, s, c)
            pair_last = last_before(histories.pairs.start, histories.pairs.time, pair, now)
            triple = find(histories.triple_start, histories.target, slot, c) if slot >= 0 else -1
            last = last_before(triples.start, triples.time, triple, now)
            if last < 0:
                continue
            out[p, 0] = now - triples.time[last]
            out[p, _MET_SINCE] = histories.pairs.time[pair_last] > triples.time[last]
            back = find(histories.slot_start, histories.slot_relation, c, queries.inverse)
            back_last = last_before(slots.start, slots.time, back, now)
            for h in range(N_HALF_LIVES):
                out[p, _COUNT + h] = count_at(decay, triples, last, h, now)
                out[p, _SHARE + h] = share(decay, triples, last, slots, slot_last, h)
                out[p, _REVERSE + h] = share(decay, triples, last, slots, back_last, h)
        rank_within(pairs, i, out, _SHARE + RECENT, _RANK)


@njit(cache=True, nogil=True)
def rank_within(pairs: CandidatePairs, query: int, out: Floats, value: int, rank: int) -> None:
    """Write how many candidates of a query have a larger value in a column, for candidates that have a value."""
    for p in range(pairs.start[query], pairs.start[query + 1]):
        if not np.isnan(out[p, value]):
            out[p, rank] = 0
            for other in range(pairs.start[query], pairs.start[query + 1]):
                out[p, rank] += out[other, value] > out[p, value]


class FactRecurrence(BaseFamily):
    """The same subject, relation and candidate before."""

    columns = (
        "age",
        *(f"count {h}" for h in range(N_HALF_LIVES)),
        *(f"share {h}" for h in range(N_HALF_LIVES)),
        *(f"reverse share {h}" for h in range(N_HALF_LIVES)),
        "rank",
        "met since",
    )

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill age, decayed counts and shares of the earlier facts."""
        _extract(histories, queries, pairs, out)

    def describe(self, case: Case) -> Statement:
        """How often and when the fact happened before."""
        values = case.values
        if "age" not in values:
            return Statement(f"{case.claim} has never happened before")
        return Statement(
            f"{case.claim} happened {how_often(values[f'count {FOREVER}'])} before, most recently "
            f"{case.duration(int(values['age']))} earlier; with recent events weighted more, this is "
            f"{percent(values[f'share {RECENT}'], 0)} of {case.events_of(case.subject)}",
            case.edges(case.query.subject, case.query.relation, case.entity),
        )
