"""Recurrence: the same subject, relation and candidate before. How long ago, how often, and how exclusively?"""

import numpy as np
from numba import njit

from tlogic.evidence.asked import RECENT, Asked, Pairs
from tlogic.evidence.histories import FOREVER, N_HALF_LIVES, Histories, last_before
from tlogic.evidence.telling import Names, Values
from tlogic.graph.arrays import Floats
from tlogic.graph.search import find

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
def extract(histories: Histories, asked: Asked, pairs: Pairs, out: Floats) -> None:
    """Fill the columns of this family, a row a candidate."""
    decay = histories.decay
    time, count = histories.triples.time, histories.triples.counts
    for i in range(len(pairs.query)):
        s, now = asked.subject[pairs.query[i]], asked.time[pairs.query[i]]
        slot = find(histories.slot_start, histories.slot_relation, s, asked.relation)
        slot_last = last_before(histories.slots.start, histories.slots.time, slot, now)
        for p in range(pairs.start[i], pairs.start[i + 1]):
            out[p, :] = np.nan
            c = pairs.candidate[p]
            pair = find(histories.pair_start, histories.pair_target, s, c)
            pair_last = last_before(histories.pairs.start, histories.pairs.time, pair, now)
            triple = find(histories.triple_start, histories.target, slot, c) if slot >= 0 else -1
            last = last_before(histories.triples.start, time, triple, now)
            if last < 0:
                continue
            age = now - time[last]
            out[p, 0] = age
            out[p, _MET] = histories.pairs.time[pair_last] > time[last]
            back = find(histories.slot_start, histories.slot_relation, c, asked.inverse)
            back_last = last_before(histories.slots.start, histories.slots.time, back, now)
            for h in range(N_HALF_LIVES):
                own = count[last, h] * decay[h, age]
                out[p, _COUNT + h] = own
                out[p, _SHARE + h] = own / _count_at(histories, slot_last, h, now)
                out[p, _REVERSE + h] = own / _count_at(histories, back_last, h, now)
        rank_within(pairs, i, out, _SHARE + RECENT, _RANK)


@njit(cache=True, nogil=True)
def _count_at(histories: Histories, last: int, h: int, now: int) -> float:
    return histories.slots.counts[last, h] * histories.decay[h, now - histories.slots.time[last]]


@njit(cache=True, nogil=True)
def rank_within(pairs: Pairs, query: int, out: Floats, value: int, rank: int) -> None:
    """How many candidates of a query have a larger value in a column; nothing where a candidate has none."""
    for p in range(pairs.start[query], pairs.start[query + 1]):
        if not np.isnan(out[p, value]):
            out[p, rank] = 0
            for other in range(pairs.start[query], pairs.start[query + 1]):
                out[p, rank] += out[other, value] > out[p, value]


def sentence(values: Values, names: Names) -> str:
    """What this family says of a candidate."""
    if "age" not in values:
        return f"{names.subject} — {names.relation} → {names.candidate} never happened before"
    return (
        f"{names.subject} — {names.relation} → {names.candidate} happened {values[f'count {FOREVER}']:.0f} times, last "
        f"{names.span(int(values['age']))} before; lately {values['share 2']:.0%} of {names.subject} — {names.relation}"
    )
