"""Chains: the way along a rule's body, step by step, depth first.

A step to a new variable scans a slot; a step to a repeated variable is a look-up.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.grounding.known import NEVER, Horizon, Known, latest_until
from tlogic.forecasting.grounding.plans import BodyTable
from tlogic.forecasting.grounding.reached import Reached
from tlogic.forecasting.grounding.shortlists import Shortlists, shortlist
from tlogic.forecasting.settings import UNLIMITED
from tlogic.graph.arrays import Ints, borrowed
from tlogic.graph.search import find_within


class Trail(NamedTuple):
    """The state of a depth-first search along a body, per atom."""

    triple: Ints
    cursor: Ints
    end: Ints
    """What is still to be followed: triples, or places of a list of them."""
    row: Ints
    """The list of the triples to follow, or -1 where all of a slot are."""
    bound: Ints
    """The latest t_1 that the trail up to here allows."""
    entity: Ints
    closing_for: Ints
    closing_slot: Ints
    """The slot in which a repeated variable is looked up, and the entity it belongs to."""


def new_trail(longest: int) -> Trail:
    """Room for a body of the given length."""
    return Trail(*(np.zeros(longest + 1, np.int64) for _ in Trail._fields))


@njit(cache=True, nogil=True)
def ground_single(known: Known, lists: Shortlists, slot: int, horizon: Horizon, reached: Reached) -> int:
    """Follow a body of one step through ``slot``; how many entities were reached. See ``ground_chain``."""
    target, newest = known.target, known.newest
    start, end = known.triple_start[slot], known.triple_end[slot]
    best, found = reached
    row = -1
    if end - start > horizon.limit:
        row = shortlist(known, lists, slot, horizon)
        start, end = 0, lists.n_triples[row]
    n_found = 0
    for place in range(start, end):
        triple = place if row < 0 else lists.triple[row, place]
        t = newest[triple]
        if t >= horizon.since:
            best[target[triple]] = t
            found[n_found] = target[triple]
            n_found += 1
    return n_found


@njit(cache=True, nogil=True)
def ground_chain(
    known: Known,
    lists: Shortlists,
    bodies: BodyTable,
    body: int,
    source: int,
    horizon: Horizon,
    trail: Trail,
    reached: Reached,
) -> int:
    """Follow a body from ``source``; how many entities were reached."""
    known, lists, bodies, trail, reached = borrowed((known, lists, bodies, trail, reached))
    target, newest, since = known.target, known.newest, horizon.since
    best, found = reached
    first, binding = bodies.start[body], bodies.binding
    last = bodies.start[body + 1] - first - 1
    trail.closing_for[: last + 1] = NEVER
    trail.entity[0] = source
    n_found, depth, entering = 0, 0, True
    while depth >= 0:
        atom = first + depth
        if entering:
            _enter(known, lists, bodies, atom, depth, horizon, trail)
        entering = False
        row = trail.row[depth]
        ceiling = trail.bound[depth - 1] if depth > 0 else UNLIMITED
        for place in range(trail.cursor[depth], trail.end[depth]):
            triple = place if row < 0 else lists.triple[row, place]
            t = newest[triple]
            if t < since:
                continue
            reaches = target[triple] if binding[atom] < 0 else trail.entity[binding[atom]]
            if depth == last and best[reaches] >= min(t, ceiling):
                continue
            t = _begin(known, trail, depth, t, since)
            if t < since:
                continue
            if depth < last:
                trail.triple[depth], trail.bound[depth], trail.entity[depth + 1] = triple, t, reaches
                trail.cursor[depth] = place + 1
                entering = True
                break
            if best[reaches] == NEVER:
                found[n_found] = reaches
                n_found += 1
            best[reaches] = max(best[reaches], t)
        depth += 1 if entering else -1
    return n_found


@njit(cache=True, nogil=True, inline="always")
def _enter(
    known: Known, lists: Shortlists, bodies: BodyTable, atom: int, depth: int, horizon: Horizon, trail: Trail
) -> None:
    """Choose the triples that lead on from the entity at this depth."""
    start, end, row = 0, 0, -1
    if bodies.binding[atom] < 0:
        slot = _find_slot(known, trail.entity[depth], bodies.relation[atom])
        if slot >= 0 and known.slot_newest[slot] >= horizon.since:
            start, end = known.triple_start[slot], known.triple_end[slot]
            if end - start > horizon.limit:
                row = shortlist(known, lists, slot, horizon)
                start, end = 0, lists.n_triples[row]
    else:
        triple = _look_up(known, bodies, atom, depth, trail)
        if triple >= 0:
            start, end = triple, triple + 1
    trail.cursor[depth], trail.end[depth], trail.row[depth] = start, end, row


@njit(cache=True, nogil=True, inline="always")
def _look_up(known: Known, bodies: BodyTable, atom: int, depth: int, trail: Trail) -> int:
    """The triple that leads back to a repeated variable, or -1."""
    # from the side that was known first: its slot serves many look-ups
    holder, other, relation = trail.entity[depth], trail.entity[bodies.binding[atom]], bodies.relation[atom]
    if bodies.origin[atom] > bodies.binding[atom]:
        holder, other, relation = other, holder, bodies.inverse[atom]
    if trail.closing_for[depth] != holder:
        trail.closing_for[depth] = holder
        trail.closing_slot[depth] = _find_slot(known, holder, relation)
    slot = trail.closing_slot[depth]
    return find_within(known.target, known.triple_start[slot], known.triple_end[slot], other) if slot >= 0 else -1


@njit(cache=True, nogil=True, inline="always")
def _find_slot(known: Known, entity: int, relation: int) -> int:
    return find_within(known.slot_relation, known.slot_start[entity], known.slot_end[entity], relation)


@njit(cache=True, nogil=True, inline="always")
def _begin(known: Known, trail: Trail, depth: int, t: int, since: int) -> int:
    """The latest t_1 of a trail whose fact at this depth is at ``t``, going back along it; too early where it is before
    ``since``."""
    for i in range(depth - 1, -1, -1):
        if known.newest[trail.triple[i]] <= t:
            return trail.bound[i]
        t = latest_until(known.time_start, known.time, known.n_times, trail.triple[i], t)
        if t < since:
            break
    return t
