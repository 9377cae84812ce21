"""Popularity: how often the candidate is the object of the relation, whoever the subject; and how active it is."""

import numpy as np
from numba import njit

from tlogic.evidence.asked import Asked, Pairs
from tlogic.evidence.histories import FOREVER, Histories, last_before
from tlogic.evidence.recurrence import rank_within
from tlogic.evidence.telling import Names, Values
from tlogic.graph.arrays import Floats
from tlogic.graph.search import find

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
def extract(histories: Histories, asked: Asked, pairs: Pairs, out: Floats) -> None:
    """Fill the columns of this family, a row a candidate."""
    for i in range(len(pairs.query)):
        now = asked.time[pairs.query[i]]
        relation_last = last_before(histories.relations.start, histories.relations.time, asked.relation, now)
        for p in range(pairs.start[i], pairs.start[i + 1]):
            out[p, :] = np.nan
            c = pairs.candidate[p]
            active = last_before(histories.sources.start, histories.sources.time, c, now)
            if active >= 0:
                _tell_activity(histories, active, now, out[p, _ACTIVITY:])
            slot = find(histories.slot_start, histories.slot_relation, c, asked.inverse)
            last = last_before(histories.slots.start, histories.slots.time, slot, now)
            if last < 0:
                continue
            age = now - histories.slots.time[last]
            out[p, 0] = age
            for k in range(len(_LIVES)):
                h = _LIVES[k]
                own = histories.slots.counts[last, h] * histories.decay[h, age]
                whole = histories.relations.counts[relation_last, h]
                out[p, _SHARE + k] = own / (whole * histories.decay[h, now - histories.relations.time[relation_last]])
            out[p, _OWN] = histories.slots.counts[last, FOREVER] / histories.sources.counts[active, FOREVER]
        rank_within(pairs, i, out, _SHARE + 1, _RANK)


@njit(cache=True, nogil=True)
def _tell_activity(histories: Histories, last: int, now: int, out: Floats) -> None:
    age = now - histories.sources.time[last]
    count, decay = histories.sources.counts, histories.decay
    out[0] = age
    out[1] = count[last, 1] * decay[1, age]
    out[2] = count[last, 2] * decay[2, age]
    out[3] = count[last, FOREVER]
    out[4] = count[last, 0] * decay[0, age] / (count[last, 3] * decay[3, age] + 1e-6)


def sentence(values: Values, names: Names) -> str:
    """What this family says of a candidate."""
    active = f"it was active {values['activity 4']:.0f} times" if "activity 4" in values else "it was never active"
    if "age" not in values:
        return f"{names.candidate} was never the object of {names.relation}; {active}"
    return (
        f"{names.candidate} is lately the object of {values['share of relation 2']:.1%} of all {names.relation}, last "
        f"{names.span(int(values['age']))} before; {active}"
    )
