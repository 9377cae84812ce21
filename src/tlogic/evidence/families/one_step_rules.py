"""Rules of length 1, all of them: the subject did b to the candidate a while ago, and now r. How often was that true?

A rule is counted whenever it could have spoken: at every query (s, r, ?, t) it fires for each candidate that s did b to
before, and hits if that candidate was an answer. What a query teaches counts for later times only. Rules are counted by
age, and once more by age and by the candidate's share of all that s did by b.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.histories import Histories, last_before, weight_at
from tlogic.evidence.history_queries import CandidatePairs, HistoryQueries, answers_of, end_of_step
from tlogic.evidence.rates import Tally, bucket_of, count, insert_largest, new_tally, smoothed_rate
from tlogic.evidence.statements import Case, Edge, Statement
from tlogic.graph.arrays import Bools, Floats, Ints

AGES = (1, 2, 3, 4, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 240, 365, 730)
COARSE_AGES = (1, 3, 7, 21, 60, 180)
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
N_TOP, N_TOP_SHARED = 6, 3
COLUMNS = (
    *(f"probability {i}" for i in range(N_TOP)),
    "sum",
    "fires",
    *(f"probability by share {i}" for i in range(N_TOP_SHARED)),
    "sum by share",
    "sum by share of best",
    "rank by share",
    "age of newest good rule",
)
_SUM, _FIRES, _SHARED = N_TOP, N_TOP + 1, N_TOP + 2
_SHARED_SUM = _SHARED + N_TOP_SHARED
_OF_BEST, _RANK, _NEWEST = _SHARED_SUM + 1, _SHARED_SUM + 2, _SHARED_SUM + 3
PRIOR = 20.0
_GOOD = 0.05


class RuleState(NamedTuple):
    """What is known of the rules of one head relation so far."""

    by_age: Tally
    by_share: Tally


class Fired(NamedTuple):
    """What a subject did, to whom, how long ago, and the share of that one in all that it did by that relation."""

    relation: Ints
    candidate: Ints
    age: Ints
    share: Floats


def new_state(n_relations: int) -> RuleState:
    """Rules that never fired."""
    shapes = (len(AGES) + 1, (len(COARSE_AGES) + 1) * (len(SHARES) + 1))
    return RuleState(*(new_tally(n_relations, n) for n in shapes))


@njit(cache=True, nogil=True)
def advance(
    histories: Histories, state: RuleState, queries: HistoryQueries, pairs: CandidatePairs, out: Floats
) -> None:
    """Go through queries in order of time: fill the rows of those scored, then learn from all of the same time."""
    n_entities = len(histories.slot_start) - 1
    place = np.full(n_entities, -1, np.int64)  # per entity: its row for this query
    answers = np.zeros(n_entities, np.bool_)
    fired = _room_for_fired(histories)
    first, scored = 0, 0
    while first < len(queries.time):
        end = end_of_step(queries, first)
        for q in range(first, end):
            if queries.scored[q]:
                n = _fire(histories, queries.subject[q], queries.time[q], fired)
                rows = slice(pairs.start[scored], pairs.start[scored + 1])
                _tell(state, fired, n, pairs.candidate[rows], place, out[rows])
                scored += 1
        for q in range(first, end):
            true = answers_of(queries, q)
            if len(true):
                _learn(state, fired, _fire(histories, queries.subject[q], queries.time[q], fired), true, answers)
        first = end


@njit(cache=True, nogil=True)
def _room_for_fired(histories: Histories) -> Fired:
    """Room for all that any entity ever did."""
    most = 1
    for entity in range(len(histories.slot_start) - 1):
        first, end = histories.slot_start[entity], histories.slot_start[entity + 1]
        most = max(most, histories.triple_start[end] - histories.triple_start[first])
    return Fired(
        np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.float64)
    )


@njit(cache=True, nogil=True)
def _fire(histories: Histories, subject: int, now: int, fired: Fired) -> int:
    """Note all that the subject did before now, the last time of each; how much that is."""
    decay, triples, slots = histories.decay, histories.triples, histories.slots
    relation, candidate, age, share = fired
    n = 0
    for slot in range(histories.slot_start[subject], histories.slot_start[subject + 1]):
        last_of_slot = last_before(slots.start, slots.time, slot, now)
        if last_of_slot < 0:
            continue
        whole = weight_at(decay, slots, last_of_slot, now)
        for triple in range(histories.triple_start[slot], histories.triple_start[slot + 1]):
            last = last_before(triples.start, triples.time, triple, now)
            if last >= 0:
                relation[n], candidate[n] = histories.slot_relation[slot], histories.target[triple]
                age[n], share[n] = now - triples.time[last], weight_at(decay, triples, last, now) / whole
                n += 1
    return n


@njit(cache=True, nogil=True)
def _tell(state: RuleState, fired: Fired, n: int, candidates: Ints, place: Ints, out: Floats) -> None:
    """Fill the rows of one query."""
    out[:] = 0.0
    out[:, _NEWEST] = np.nan
    for row in range(len(candidates)):
        place[candidates[row]] = row
    for i in range(n):
        row = place[fired.candidate[i]]
        if row < 0:
            continue
        b, age = fired.relation[i], fired.age[i]
        by_age = smoothed_rate(state.by_age, b, bucket_of(age, AGES), PRIOR)
        insert_largest(out[row], 0, N_TOP, by_age)
        out[row, _SUM] -= np.log(1.0 - by_age)
        out[row, _FIRES] += 1
        by_share = smoothed_rate(state.by_share, b, _shared_bucket(age, fired.share[i]), PRIOR)
        insert_largest(out[row], _SHARED, N_TOP_SHARED, by_share)
        out[row, _SHARED_SUM] -= np.log(1.0 - by_share)
        if by_share > _GOOD and not out[row, _NEWEST] <= age:
            out[row, _NEWEST] = age
    for row in range(len(candidates)):
        place[candidates[row]] = -1
        out[row, _OF_BEST] = out[row, _SHARED_SUM] / max(out[:, _SHARED_SUM].max(), 1e-9)
        out[row, _RANK] = (out[:, _SHARED_SUM] > out[row, _SHARED_SUM]).sum()


@njit(cache=True, nogil=True)
def _learn(state: RuleState, fired: Fired, n: int, true: Ints, answers: Bools) -> None:
    """Count which rules fired for a query, and which were right."""
    answers[true] = True
    for i in range(n):
        b, age, hit = fired.relation[i], fired.age[i], answers[fired.candidate[i]]
        count(state.by_age, b, bucket_of(age, AGES), hit)
        count(state.by_share, b, _shared_bucket(age, fired.share[i]), hit)
    answers[true] = False


@njit(cache=True, nogil=True)
def _shared_bucket(age: int, share: float) -> int:
    return bucket_of(age, COARSE_AGES) * (len(SHARES) + 1) + bucket_of(share, SHARES)


def describe(case: Case) -> Statement:
    """What this family says of a candidate: its best rule."""
    newest: dict[int, Edge] = {}
    for edge in case.edges(case.query.subject, None, case.entity):
        newest.setdefault(edge.relation, edge)
    if not newest:
        return Statement(f"no rule of length 1 leads to {case.candidate}")

    def right(edge: Edge) -> float:
        return smoothed_rate(case.state.by_age, edge.relation, bucket_of(case.query.time - edge.time, AGES), PRIOR)

    edges = sorted(newest.values(), key=right, reverse=True)
    lead = "1 rule of length 1 leads" if len(edges) == 1 else f"{len(edges)} rules of length 1 lead"
    before = case.span(case.query.time - edges[0].time)
    return Statement(
        f"{lead} to {case.candidate}: {case.said(*edges[0][:3])} {before} before; "
        f"{case.relation} followed in {right(edges[0]):.1%} of such cases",
        tuple(edges),
    )
