"""Grounding: from a query's subject along a rule's body to candidates, each with the latest possible t_1.

The score needs only the latest t_1 of each candidate. So triples are joined, not events: for a path of triples take the
newest time of the last one, then the newest time of the one before that is not later, and so on back to t_1.

Which way is fastest depends on the shape of the body: see ``plans``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.grounding.chains import Trail, ground_chain, ground_single, new_trail
from tlogic.forecasting.grounding.joining import ground_closed, ground_open
from tlogic.forecasting.grounding.joins import Joins, forget_joins, new_joins
from tlogic.forecasting.grounding.known import Horizon, Known, know_until, nothing_known
from tlogic.forecasting.grounding.loops import Loops, ground_loop, new_loops
from tlogic.forecasting.grounding.plans import CHAIN, CLOSED, OPEN, SINGLE, RulePlans
from tlogic.forecasting.grounding.reached import Reached, new_reached
from tlogic.forecasting.grounding.shortlists import Shortlists, forget_shortlists, new_shortlists
from tlogic.graph.arrays import Ints
from tlogic.graph.triples import TripleIndex


class Ground(NamedTuple):
    """What one worker knows and remembers, and its scratch memory."""

    known: Known
    shortlists: Shortlists
    joins: Joins
    trail: Trail
    loops: Loops
    inner: Reached
    slot_of: Ints
    """Per relation: the query subject's slot, or -1."""


def new_ground(triples: TripleIndex, n_entities: int, n_relations: int, plans: RulePlans, limit: int) -> Ground:
    """Scratch memory for a graph, with nothing known yet."""
    return Ground(
        known=nothing_known(triples),
        shortlists=new_shortlists(len(triples.slot_relation), len(triples.target), limit),
        joins=new_joins(n_entities, len(triples.target)),
        trail=new_trail(int(np.diff(plans.bodies.start).max(initial=1))),
        loops=new_loops(n_entities),
        inner=new_reached(n_entities),
        slot_of=np.full(n_relations, -1, np.int64),
    )


@njit(cache=True, nogil=True)
def go_to(ground: Ground, triples: TripleIndex, time: int) -> None:
    """Know all that happened before this time, and nothing else."""
    if time < ground.known.until[0]:
        forget_joins(ground.joins)
        forget_shortlists(ground.shortlists)
    if time != ground.known.until[0]:
        know_until(ground.known, triples, time)


@njit(cache=True, nogil=True)
def open_slots(ground: Ground, subject: int, since: int) -> None:
    """Note the subject's slots that hold facts at or after ``since``."""
    known, slot_of = ground.known, ground.slot_of
    for slot in range(known.slot_start[subject], known.slot_end[subject]):
        if known.slot_newest[slot] >= since:
            slot_of[known.slot_relation[slot]] = slot


@njit(cache=True, nogil=True)
def close_slots(ground: Ground, subject: int) -> None:
    """Forget the subject's slots."""
    known, slot_of = ground.known, ground.slot_of
    for slot in range(known.slot_start[subject], known.slot_end[subject]):
        slot_of[known.slot_relation[slot]] = -1


@njit(cache=True, nogil=True, inline="always")
def ground_rule(ground: Ground, plans: RulePlans, rule: int, subject: int, horizon: Horizon, reached: Reached) -> int:
    """Follow a rule from a query's subject, whose slots are open; how many entities were reached."""
    known, lists, memory, trail, loops, inner, slot_of = ground
    _, _, kinds, firsts, backs, parts, bodies, joins = plans
    slot = slot_of[firsts[rule]]
    n_reached = 0
    if slot >= 0:
        kind, part = kinds[rule], parts[rule]
        if kind == SINGLE:
            n_reached = ground_single(known, lists, slot, horizon, reached)
        elif kind == CHAIN:
            n_reached = ground_chain(known, lists, bodies, part, subject, horizon, trail, reached)
        elif kind == OPEN:
            n_reached = ground_open(known, joins, memory, part, slot, horizon, inner, reached)
        elif kind == CLOSED:
            n_reached = ground_closed(known, joins, memory, part, slot, horizon, reached)
        elif slot_of[backs[rule]] >= 0:
            back = slot_of[backs[rule]]
            n_inner = ground_chain(known, lists, bodies, part, subject, horizon, trail, inner)
            n_reached = ground_loop(known, loops, slot, back, horizon, inner, n_inner, reached)
    return n_reached
