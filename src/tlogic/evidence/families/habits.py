"""Habits: how often does the subject repeat earlier events, and is the candidate due at its usual interval?

How often answers repeat differs between subjects. Columns of habits are positive for candidates that would be a repeat
and negative for others, so a habit counts for the former as strongly as against the latter.
"""

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.event_memory import FIRST_TIME, EventMemory, kinds_before
from tlogic.evidence.family import BaseFamily
from tlogic.evidence.groups import Groups, moment_before, n_events, time_of
from tlogic.evidence.rates import rank_within
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.graph.arrays import Floats, borrowed

_EVENTS_SINCE, _PACE, _ORDER, _PAIR_ORDER = 4, 5, 6, 7


@kernel
def _extract(memory: EventMemory, context: QueryContext, out: Floats) -> None:
    """Fill one row per candidate."""
    memory, context, out = borrowed(memory), borrowed(context), borrowed(out)
    triples, pairs, now = memory.triples, memory.pairs, context.now
    out[:] = np.nan
    for q in range(len(context.subject)):
        s, slot = context.subject[q], context.slot[q]
        n_facts = _events_before(memory.slots, slot, now)
        same = _rate_of_repeats(memory.slots, slot, n_facts, now)
        again = _rate_of_repeats(memory.entities, s, _events_before(memory.entities, s, now), now)
        rows = out[context.start[q] : context.start[q + 1]]
        for i in range(len(rows)):
            triple, pair = context.triple[context.start[q] + i], context.pair[context.start[q] + i]
            last, met = moment_before(triples, triple, now), moment_before(pairs, pair, now)
            rows[i, 0] = same if last >= 0 else -same
            rows[i, 1] = again if last >= 0 else -again
            rows[i, 2] = n_facts if last >= 0 else -n_facts
            rows[i, 3] = again if met >= 0 else -again
            if last >= 0:
                latest, n = time_of(triples, triple, last), n_events(triples, triple, last)
                rows[i, _EVENTS_SINCE] = (now - latest) * n_facts / (now + 1.0)
                rows[i, _ORDER] = latest - now
                if n > 1:
                    interval = (latest - triples[triple, FIRST_TIME]) / (n - 1.0)
                    rows[i, _PACE] = (now - latest) / (interval + 1.0)
            if met >= 0:
                rows[i, _PAIR_ORDER] = time_of(pairs, pair, met) - now
        for column in (_ORDER, _PAIR_ORDER):
            rank_within(rows, column, column)


@helper
def _events_before(groups: Groups, group: int, now: int) -> float:
    moment = moment_before(groups, group, now)
    return float(n_events(groups, group, moment)) if moment >= 0 else 0.0


@helper
def _rate_of_repeats(kinds: Groups, group: int, n_facts: float, now: int) -> float:
    """The smoothed share of a group's facts that repeat an earlier one; a half if there are none."""
    n_kinds = kinds_before(kinds, group, now) if group >= 0 else 0
    return (n_facts - n_kinds + 1.0) / (n_facts + 2.0)


class Habits(BaseFamily):
    """The habits of the subject, and the candidate's usual interval."""

    claim = "{candidate} fits what {subject} usually does"
    columns = (
        "repeats",
        "repeats of subject",
        "facts so far",
        "partners again",
        "events since",
        "pace",
        "order",
        "pair order",
    )

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill rates of repeats and the order of candidates by age."""
        _extract(memory, context, out)

    def describe(self, case: Case) -> Statement:
        """How often the subject repeats events, and whether the candidate would be a repeat."""
        repeats = case.values["repeats"]
        return Statement(
            f"an estimated {percent(abs(repeats), 0)} of {case.events_of(case.subject)} repeat an earlier one; "
            f"{case.candidate} would be {'a repeat' if repeats > 0 else 'new'}",
            case.edges(case.query.subject, case.query.relation, None),
        )
