"""Popularity: how often the candidate is the object of the relation for any subject, and how active it is."""

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.candidate_selection import QueryContext
from tlogic.evidence.event_memory import EventMemory
from tlogic.evidence.family import BaseFamily
from tlogic.evidence.groups import FOREVER, RECENT, Groups, count_at, moment_before, n_events, share, time_of
from tlogic.evidence.rates import rank_within
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.graph.arrays import Floats, borrowed

_LIVES = (1, RECENT, 3, FOREVER)  # indexes of half-lives
_SHARE, _SHARE_OF_CANDIDATE, _RANK, _ACTIVITY = 1, 5, 6, 7


@kernel
def _extract(memory: EventMemory, context: QueryContext, out: Floats) -> None:
    """Fill one row per candidate."""
    memory, context, out = borrowed(memory), borrowed(context), borrowed(out)
    decay, slots, entities, relations, now = (
        memory.decay,
        memory.slots,
        memory.entities,
        memory.relations,
        context.now,
    )
    out[:] = np.nan
    for q in range(len(context.subject)):
        relation = context.relation[q] >> 1
        of_relation = moment_before(relations, relation, now)
        for p in range(context.start[q], context.start[q + 1]):
            c, slot = context.candidate[p], context.back_slot[p]
            active = moment_before(entities, c, now)
            if active >= 0:
                _fill_activity(decay, entities, c, active, now, out[p, _ACTIVITY:])
            moment = moment_before(slots, slot, now)
            if moment < 0:
                continue
            out[p, 0] = now - time_of(slots, slot, moment)
            for k in range(len(_LIVES)):
                out[p, _SHARE + k] = share(decay, slots, slot, moment, relations, relation, of_relation, _LIVES[k])
            out[p, _SHARE_OF_CANDIDATE] = share(decay, slots, slot, moment, entities, c, active, FOREVER)
        rank_within(out[context.start[q] : context.start[q + 1]], _SHARE + 1, _RANK)


@helper
def _fill_activity(decay: Floats, entities: Groups, entity: int, moment: int, now: int, out: Floats) -> None:
    out[0] = now - time_of(entities, entity, moment)
    out[1] = count_at(decay, entities, entity, moment, 1, now)
    out[2] = count_at(decay, entities, entity, moment, 2, now)
    out[3] = n_events(entities, entity, moment)
    longer = count_at(decay, entities, entity, moment, 3, now)
    out[4] = count_at(decay, entities, entity, moment, 0, now) / (longer + 1e-6)


class Popularity(BaseFamily):
    """The candidate as the object of the relation, and its activity."""

    claim = "others had events with {candidate}"
    columns = (
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

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:
        """Fill the shares of the candidate in the relation, and how active it is."""
        _extract(memory, context, out)

    def describe(self, case: Case) -> Statement:
        """How active the candidate is, and how often the answer to the relation."""
        values = case.values
        if f"activity {FOREVER}" not in values:
            return Statement(f"no earlier event involves {case.candidate}")
        n_events = values[f"activity {FOREVER}"]
        active = f"{case.candidate} takes part in {n_events:,.0f} earlier event{'s' * (n_events > 1)}"
        if "age" not in values:
            return Statement(
                f"{active}, but never as the {case.role} of {case.relation}", case.edges(case.entity, None, None)
            )
        when = case.when(case.query.time - int(values["age"]))
        return Statement(
            f"{active} and was last the {case.role} of {case.relation} {when}; with recent "
            f"events weighted more, {percent(values[f'share of relation {RECENT}'])} of all {case.relation} "
            f"events have this {case.role}",
            case.answers(),
        )
