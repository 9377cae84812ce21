"""Events between the subject and the candidate, under any relation."""

import numpy as np

from tlogic.compilation import kernel
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.event_memory import EventMemory
from tlogic.evidence.family import BaseFamily
from tlogic.evidence.groups import FOREVER, RECENT, count_at, moment_before, share, time_of
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.graph.arrays import Floats, borrowed

_LIVES = (1, RECENT, FOREVER)  # indexes of half-lives


@kernel
def _extract(memory: EventMemory, context: QueryContext, out: Floats) -> None:
    """Fill one row per candidate."""
    memory, context, out = borrowed(memory), borrowed(context), borrowed(out)
    decay, pairs, entities, now = memory.decay, memory.pairs, memory.entities, context.now
    out[:] = np.nan
    for q in range(len(context.subject)):
        s = context.subject[q]
        of_subject = moment_before(entities, s, now)
        for p in range(context.start[q], context.start[q + 1]):
            c, pair = context.candidate[p], context.pair[p]
            moment = moment_before(pairs, pair, now)
            if moment < 0:
                continue
            out[p, 0] = now - time_of(pairs, pair, moment)
            of_candidate = moment_before(entities, c, now)
            for k in range(len(_LIVES)):
                out[p, 1 + k] = count_at(decay, pairs, pair, moment, _LIVES[k], now)
                out[p, 4 + k] = share(decay, pairs, pair, moment, entities, s, of_subject, _LIVES[k])
                out[p, 7 + k] = share(decay, pairs, pair, moment, entities, c, of_candidate, _LIVES[k])


class PairHistory(BaseFamily):
    """Events between subject and candidate."""

    claim = "{subject} and {candidate} had events in common"
    columns = (
        "age",
        *(f"count {h}" for h in _LIVES),
        *(f"share of subject {h}" for h in _LIVES),
        *(f"share of candidate {h}" for h in _LIVES),
    )

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill age, decayed counts and shares of the earlier events."""
        _extract(memory, context, out)

    def describe(self, case: Case) -> Statement:
        """How often and when both had an event in common."""
        values = case.values
        if "age" not in values:
            return Statement(f"no earlier event links {case.subject} and {case.candidate}")
        n = values[f"count {FOREVER}"]
        return Statement(
            f"{case.subject} and {case.candidate} have {n:,.0f} earlier event{'s' * (n > 1)} in common, "
            f"{'the latest ' * (n > 1)}{case.when(case.query.time - int(values['age']))}; with recent events weighted "
            f"more, this is {percent(values[f'share of subject {RECENT}'], 0)} of all events with {case.subject}",
            case.edges(case.query.subject, None, case.entity),
        )
