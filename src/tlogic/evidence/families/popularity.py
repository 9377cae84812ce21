"""Popularity: how often the candidate is the object of the relation for any subject, and how active it is."""

import numpy as np
from numba import njit

from tlogic.evidence.families.fact_recurrence import rank_within
from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import FOREVER, RECENT, Histories, count_at, last_before, share
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.graph.arrays import Floats
from tlogic.graph.binary_search import find

_LIVES = (1, RECENT, 3, FOREVER)  # indexes of half-lives
_SHARE, _SHARE_OF_CANDIDATE, _RANK, _ACTIVITY = 1, 5, 6, 7


@njit(cache=True, nogil=True)
def _extract(histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Fill one row per candidate."""
    decay, slots, sources, relations = histories.decay, histories.slots, histories.sources, histories.relations
    for i in range(len(pairs.query)):
        now = queries.time[pairs.query[i]]
        relation_last = last_before(relations.start, relations.time, queries.relation, now)
        for p in range(pairs.start[i], pairs.start[i + 1]):
            out[p, :] = np.nan
            c = pairs.candidate[p]
            active = last_before(sources.start, sources.time, c, now)
            if active >= 0:
                _fill_activity(histories, active, now, out[p, _ACTIVITY:])
            slot = find(histories.slot_start, histories.slot_relation, c, queries.inverse)
            last = last_before(slots.start, slots.time, slot, now)
            if last < 0:
                continue
            out[p, 0] = now - slots.time[last]
            for k in range(len(_LIVES)):
                out[p, _SHARE + k] = share(decay, slots, last, relations, relation_last, _LIVES[k])
            out[p, _SHARE_OF_CANDIDATE] = share(decay, slots, last, sources, active, FOREVER)
        rank_within(pairs, i, out, _SHARE + 1, _RANK)


@njit(cache=True, nogil=True)
def _fill_activity(histories: Histories, last: int, now: int, out: Floats) -> None:
    decay, sources = histories.decay, histories.sources
    out[0] = now - sources.time[last]
    out[1] = count_at(decay, sources, last, 1, now)
    out[2] = count_at(decay, sources, last, 2, now)
    out[3] = sources.counts[last, FOREVER]
    out[4] = count_at(decay, sources, last, 0, now) / (count_at(decay, sources, last, 3, now) + 1e-6)


class Popularity(BaseFamily):
    """The candidate as the object of the relation, and its activity."""

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

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill the shares of the candidate in the relation, and how active it is."""
        _extract(histories, queries, pairs, out)

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
        age = case.duration(int(values["age"]))
        return Statement(
            f"{active} and was last the {case.role} of {case.relation} {age} earlier; with recent "
            f"events weighted more, {percent(values[f'share of relation {RECENT}'])} of all {case.relation} "
            f"events have this {case.role}",
            case.answers(),
        )
