"""Recurrence of the same fact: how long ago, how often, and with which share of the subject's events?"""

import numpy as np

from tlogic.compilation import kernel
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.event_memory import EventMemory
from tlogic.evidence.family import BaseFamily
from tlogic.evidence.groups import FOREVER, N_HALF_LIVES, RECENT, count_at, moment_before, share, time_of
from tlogic.evidence.rates import rank_within
from tlogic.evidence.statements import Case, Statement, how_often, percent
from tlogic.graph.arrays import Floats, borrowed

_COUNT, _SHARE, _REVERSE = 1, 1 + N_HALF_LIVES, 1 + 2 * N_HALF_LIVES
_RANK, _MET_SINCE = 1 + 3 * N_HALF_LIVES, 2 + 3 * N_HALF_LIVES


@kernel
def _extract(memory: EventMemory, context: QueryContext, out: Floats) -> None:
    """Fill one row per candidate."""
    memory, context, out = borrowed(memory), borrowed(context), borrowed(out)
    decay, triples, slots, pairs, now = memory.decay, memory.triples, memory.slots, memory.pairs, context.now
    out[:] = np.nan
    for q in range(len(context.subject)):
        slot = context.slot[q]
        slot_moment = moment_before(slots, slot, now)
        if slot_moment < 0:
            continue
        for p in range(context.start[q], context.start[q + 1]):
            triple = context.triple[p]
            moment = moment_before(triples, triple, now)
            if moment < 0:
                continue
            last, back_slot, pair = time_of(triples, triple, moment), context.back_slot[p], context.pair[p]
            out[p, 0] = now - last
            out[p, _MET_SINCE] = time_of(pairs, pair, moment_before(pairs, pair, now)) > last
            back = moment_before(slots, back_slot, now)
            for h in range(N_HALF_LIVES):
                out[p, _COUNT + h] = count_at(decay, triples, triple, moment, h, now)
                out[p, _SHARE + h] = share(decay, triples, triple, moment, slots, slot, slot_moment, h)
                out[p, _REVERSE + h] = share(decay, triples, triple, moment, slots, back_slot, back, h)
        rank_within(out[context.start[q] : context.start[q + 1]], _SHARE + RECENT, _RANK)


class FactRecurrence(BaseFamily):
    """The same subject, relation and candidate before."""

    claim = "the same event happened before"
    columns = (
        "age",
        *(f"count {h}" for h in range(N_HALF_LIVES)),
        *(f"share {h}" for h in range(N_HALF_LIVES)),
        *(f"reverse share {h}" for h in range(N_HALF_LIVES)),
        "rank",
        "met since",
    )

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill age, decayed counts and shares of the earlier facts."""
        _extract(memory, context, out)

    def describe(self, case: Case) -> Statement:
        """How often and when the fact happened before."""
        values = case.values
        if "age" not in values:
            return Statement(f"{case.claim} has never happened before")
        n = values[f"count {FOREVER}"]
        return Statement(
            f"{case.claim} happened {how_often(n)} before, {'the latest ' * (n > 1)}"
            f"{case.when(case.query.time - int(values['age']))}; with recent events weighted more, this is "
            f"{percent(values[f'share {RECENT}'], 0)} of {case.events_of(case.subject)}",
            case.edges(case.query.subject, case.query.relation, case.entity),
        )
