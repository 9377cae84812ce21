"""Paths of two and three steps from the subject to the candidate, over the strongest partners of each entity.

The weight of a path is the product of its steps' shares, and evidence is the sum over paths.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.family import BaseFamily
from tlogic.evidence.histories import N_HALF_LIVES, RECENT, Histories, History, last_before, share
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries
from tlogic.evidence.partners import Partners, strongest_partners, strongest_targets
from tlogic.evidence.statements import Case, Edge, Statement, percent
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.binary_search import find

_COMMON, _DID, _TARGETS, _SIMILAR = 0, N_HALF_LIVES, 2 * N_HALF_LIVES, 2 * N_HALF_LIVES + 1
_N_PARTNERS = 20  # strongest partners or targets of an entity
_N_SIMILAR = 6  # targets, and subjects per target, over which similar subjects are found
_MAX_SCANNED_PER_CANDIDATE = 64  # with more targets than this per candidate, candidates are searched for instead


class Candidates(NamedTuple):
    """The candidates of one query, and memory for those that a partner leads to."""

    entity: Ints
    row: Ints
    """Per entity: its row, or -1."""
    met_row: Ints
    met_at: Ints


@njit(cache=True, nogil=True)
def _extract(histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
    """Fill one row per candidate."""
    row = np.full(len(histories.slot_start) - 1, -1, np.int32)
    for i in range(len(pairs.query)):
        s, now = queries.subject[pairs.query[i]], queries.time[pairs.query[i]]
        rows = out[pairs.start[i] : pairs.start[i + 1]]
        own = pairs.candidate[pairs.start[i] : pairs.start[i + 1]]
        candidates = Candidates(own, row, np.empty(len(own), np.int64), np.empty(len(own), np.int64))
        row[own] = np.arange(len(own))
        rows[:] = 0.0
        partners = strongest_partners(histories, s, now, _N_PARTNERS)
        _add_pairs(histories, partners, now, candidates, rows[:, _COMMON:_DID])
        _add_slots(histories, partners, queries.relation, now, candidates, rows[:, _DID:_TARGETS])
        slot = find(histories.slot_start, histories.slot_relation, s, queries.relation)
        targets = _recent_only(strongest_targets(histories, slot, now, _N_PARTNERS))
        _add_pairs(histories, targets, now, candidates, rows[:, _TARGETS:_SIMILAR])
        similar = _recent_only(_similar_subjects(histories, targets, queries.inverse, now))
        _add_slots(histories, similar, queries.relation, now, candidates, rows[:, _SIMILAR:])
        row[own] = -1


@njit(cache=True, nogil=True)
def _recent_only(partners: Partners) -> Partners:
    """The same partners with the shares of the recent half-life only."""
    return Partners(partners.entity, partners.share[:, RECENT : RECENT + 1])


@njit(cache=True, nogil=True)
def _similar_subjects(histories: Histories, targets: Partners, inverse: int, now: int) -> Partners:
    """Other subjects of the relation with the subject's strongest targets."""
    similar = Partners(
        np.full(_N_SIMILAR * _N_SIMILAR, -1, np.int64), np.zeros((_N_SIMILAR * _N_SIMILAR, N_HALF_LIVES))
    )
    for i in range(_N_SIMILAR):
        if targets.entity[i] >= 0:
            slot = find(histories.slot_start, histories.slot_relation, targets.entity[i], inverse)
            others = strongest_targets(histories, slot, now, _N_SIMILAR)
            similar.entity[i * _N_SIMILAR : (i + 1) * _N_SIMILAR] = others.entity
            similar.share[i * _N_SIMILAR : (i + 1) * _N_SIMILAR] = others.share * targets.share[i, 0]
    return similar


@njit(cache=True, nogil=True)
def _meet(candidates: Candidates, start: Ints, target: Ints, group: int) -> int:
    """Write the candidates among the targets of a group, and their indexes; return their number."""
    entity, row, met_row, met_at = candidates
    n = 0
    if start[group + 1] - start[group] < _MAX_SCANNED_PER_CANDIDATE * len(entity):
        for at in range(start[group], start[group + 1]):
            if row[target[at]] >= 0:
                met_row[n], met_at[n] = row[target[at]], at
                n += 1
    else:
        for i in range(len(entity)):
            at = find(start, target, group, entity[i])
            if at >= 0:
                met_row[n], met_at[n] = i, at
                n += 1
    return n


@njit(cache=True, nogil=True)
def _add_slots(
    histories: Histories, partners: Partners, relation: int, now: int, candidates: Candidates, out: Floats
) -> None:
    """Add the paths over each partner's events with a relation, for each half-life or the recent one."""
    triples, slots = histories.triples, histories.slots
    for i in range(len(partners.entity)):
        if partners.entity[i] < 0:
            continue
        slot = find(histories.slot_start, histories.slot_relation, partners.entity[i], relation)
        last_of_slot = last_before(slots.start, slots.time, slot, now)
        if last_of_slot >= 0:
            n = _meet(candidates, histories.triple_start, histories.target, slot)
            _add(histories.decay, triples, slots, last_of_slot, now, candidates, n, partners.share[i], out)


@njit(cache=True, nogil=True)
def _add_pairs(histories: Histories, partners: Partners, now: int, candidates: Candidates, out: Floats) -> None:
    """Add the paths over each partner's events with any relation, for each half-life or the recent one."""
    couples, sources = histories.pairs, histories.sources
    for i in range(len(partners.entity)):
        x = partners.entity[i]
        if x >= 0:
            last_of_x = last_before(sources.start, sources.time, x, now)
            n = _meet(candidates, histories.pair_start, histories.pair_target, x)
            _add(histories.decay, couples, sources, last_of_x, now, candidates, n, partners.share[i], out)


@njit(cache=True, nogil=True)
def _add(
    decay: Floats,
    parts: History,
    whole: History,
    last_of_whole: int,
    now: int,
    candidates: Candidates,
    n: int,
    weight: Floats,
    out: Floats,
) -> None:
    """Add the paths over one partner to the candidates that it leads to."""
    for i in range(n):
        last = last_before(parts.start, parts.time, candidates.met_at[i], now)
        if last >= 0:
            for k in range(out.shape[1]):
                h = k if out.shape[1] > 1 else RECENT
                out[candidates.met_row[i], k] += weight[k] * share(decay, parts, last, whole, last_of_whole, h)


class Paths(BaseFamily):
    """Paths over partners."""

    columns = (
        *(f"common partners {h}" for h in range(N_HALF_LIVES)),
        *(f"partners did it {h}" for h in range(N_HALF_LIVES)),
        "targets' partners",
        "others like the subject",
    )

    def extract(self, histories: Histories, queries: HistoryQueries, pairs: CandidatePairs, out: Floats) -> None:
        """Fill the sums of the weights of paths."""
        _extract(histories, queries, pairs, out)

    def describe(self, case: Case) -> Statement:
        """The closest partner that leads to the candidate."""
        s, r, c, now = case.query.subject, case.query.relation, case.entity, case.query.time
        same, common = (case.values[f"{name} {RECENT}"] for name in ("partners did it", "common partners"))
        partners = strongest_partners(case.histories, s, now, _N_PARTNERS)
        best: tuple[float, tuple[Edge, ...]] = (0.0, ())
        for x, shares in zip(partners.entity.tolist(), partners.share, strict=True):
            link = case.edges(x, r if same else None, c)[:1] if x not in {-1, s, c} else ()
            if link:
                best = max(best, (float(shares[RECENT]), (*case.edges(s, None, x)[:1], *link)))
        if not best[1]:
            return Statement(f"no partner of {case.subject} leads to {case.candidate}")
        partner = case.graph.entities.name_of(best[1][0].target)
        return Statement(
            f"partners of {case.subject}, such as {partner}, lead to {case.candidate}: with close partners and recent "
            f"events weighted more, {case.candidate} is the {case.role} of {percent(same)} of their {case.relation} "
            f"events and takes part in {percent(common)} of all their events",
            best[1],
        )
