"""Recurrence: the same subject, relation and candidate before. How long ago, how often, and how exclusively?"""

import numpy as np
from numba import njit

from tlogic.evidence.histories import FOREVER, N_HALF_LIVES, RECENT, Histories, count_at, last_before, share
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.statements import Case, Statement
from tlogic.graph.arrays import Floats
from tlogic.graph.binary_search import find

COLUMNS = (
    "age",
    *(f"count {h}" for h in range(N_HALF_LIVES)),
    *(f"share {h}" for h in range(N_HALF_LIVES)),
    *(f"reverse share {h}" for h in range(N_HALF_LIVES)),
    "rank",
    "met since",
)
_COUNT, _SHARE, _REVERSE = 1, 1 + N_HALF_LIVES, 1 + 2 * N_HALF_LIVES
_RANK, _MET = 1 + 3 * N_HALF_LIVES, 2 + 3 * N_HALF_LIVES


@njit(cache=True, nogil=True)
def extract(histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Fill the columns of this family, a row a candidate."""
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
            out[p, _MET] = histories.pairs.time[pair_last] > triples.time[last]
            back = find(histories.slot_start, histories.slot_relation, c, queries.inverse)
            back_last = last_before(slots.start, slots.time, back, now)
            for h in range(N_HALF_LIVES):
                out[p, _COUNT + h] = count_at(decay, triples, last, h, now)
                out[p, _SHARE + h] = share(decay, triples, last, slots, slot_last, h)
                out[p, _REVERSE + h] = share(decay, triples, last, slots, back_last, h)
        rank_within(pairs, i, out, _SHARE + RECENT, _RANK)


@njit(cache=True, nogil=True)
def rank_within(pairs: CandidatePairs, query: int, out: Floats, value: int, rank: int) -> None:
    """How many candidates of a query have a larger value in a column; nothing where a candidate has none."""
    for p in range(pairs.start[query], pairs.start[query + 1]):
        if not np.isnan(out[p, value]):
            out[p, rank] = 0
            for other in range(pairs.start[query], pairs.start[query + 1]):
                out[p, rank] += out[other, value] > out[p, value]


def describe(case: Case) -> Statement:
    """What this family says of a candidate."""
    values = case.values
    if "age" not in values:
        return Statement(f"{case.claim} never happened before")
    times = "once" if values[f"count {FOREVER}"] == 1 else f"{values[f'count {FOREVER}']:.0f} times"
    return Statement(
        f"{case.claim} happened {times}, last {case.span(int(values['age']))} before; lately it is "
        f"{values['share 2']:.0%} of {case.relation} by {case.subject}",
        case.edges(case.query.subject, case.query.relation, case.entity),
    )
