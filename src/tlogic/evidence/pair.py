"""Pair: the subject and the candidate together, under any relation."""

import numpy as np
from numba import njit

from tlogic.evidence.asked import Asked, Pairs
from tlogic.evidence.histories import FOREVER, Histories, last_before
from tlogic.evidence.telling import Names, Values
from tlogic.graph.arrays import Floats
from tlogic.graph.search import find

_LIVES = (1, 2, 4)
COLUMNS = (
    "age",
    *(f"count {h}" for h in _LIVES),
    *(f"share of subject {h}" for h in _LIVES),
    *(f"share of candidate {h}" for h in _LIVES),
)


@njit(cache=True, nogil=True)
def extract(histories: Histories, asked: Asked, pairs: Pairs, out: Floats) -> None:
    """Fill the columns of this family, a row a candidate."""
    decay = histories.decay
    time, count = histories.pairs.time, histories.pairs.counts
    for i in range(len(pairs.query)):
        s, now = asked.subject[pairs.query[i]], asked.time[pairs.query[i]]
        subject_last = last_before(histories.sources.start, histories.sources.time, s, now)
        for p in range(pairs.start[i], pairs.start[i + 1]):
            out[p, :] = np.nan
            c = pairs.candidate[p]
            pair = find(histories.pair_start, histories.pair_target, s, c)
            last = last_before(histories.pairs.start, time, pair, now)
            if last < 0:
                continue
            age = now - time[last]
            out[p, 0] = age
            candidate_last = last_before(histories.sources.start, histories.sources.time, c, now)
            for k in range(len(_LIVES)):
                h = _LIVES[k]
                own = count[last, h] * decay[h, age]
                out[p, 1 + k] = own
                out[p, 4 + k] = own / _activity(histories, subject_last, h, now)
                out[p, 7 + k] = own / _activity(histories, candidate_last, h, now)


@njit(cache=True, nogil=True)
def _activity(histories: Histories, last: int, h: int, now: int) -> float:
    return histories.sources.counts[last, h] * histories.decay[h, now - histories.sources.time[last]]


def sentence(values: Values, names: Names) -> str:
    """What this family says of a candidate."""
    if "age" not in values:
        return f"{names.subject} and {names.candidate} never had to do with each other"
    return (
        f"{names.subject} and {names.candidate} had to do with each other {values[f'count {FOREVER}']:.0f} times, last "
        f"{names.span(int(values['age']))} before; lately {values['share of subject 2']:.0%} of {names.subject}'s"
    )
