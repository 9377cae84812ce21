"""Grounding: from a query's subject along a rule's body to candidates, each with the latest possible t_1.

The score needs only the latest t_1 of each candidate. So triples are joined, not events: for a path of triples take
the newest time of
the last one, then the newest time of the one before that is not later, and so on back to t_1. A step to a new
variable scans a slot;
a step to a repeated variable is a look-up.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.joins import (
    BACK_SLOT,
    EMPTY,
    END,
    KEY,
    LATEST,
    MADE,
    SLOT,
    START,
    Joins,
    close,
    find_row,
    make_open,
    remember_closed,
)
from tlogic.forecasting.known import NEVER, Known, latest_until
from tlogic.forecasting.plans import BodyTable, JoinTable
from tlogic.forecasting.reached import Reached
from tlogic.forecasting.settings import UNLIMITED
from tlogic.forecasting.shortlists import Shortlists, shortlist
from tlogic.graph.arrays import Ints
from tlogic.graph.search import find_within, first_at_least


class Path(NamedTuple):
    """The state of a depth-first search along a body, per atom."""

    triple: Ints
    cursor: Ints
    end: Ints
    """What is still to be followed: triples, or places of a list of them."""
    row: Ints
    """The list of the triples to follow, or -1 where all of a slot are."""
    bound: Ints
    """The latest t_1 that the path up to here allows."""
    entity: Ints
    closing_for: Ints
    closing_slot: Ints
    """The slot in which a repeated variable is looked up, and the entity it belongs to."""


class Loops(NamedTuple):
    """Pairs of triples that lead away from an entity and back, with the latest t_1 of each."""

    away: Ints
    back: Ints
    bound: Ints


def new_loops(n_entities: int) -> Loops:
    """Room for a loop over every entity."""
    return Loops(*(np.empty(n_entities, np.int64) for _ in Loops._fields))


def new_path(longest: int) -> Path:
    """Room for a body of the given length."""
    return Path(*(np.zeros(longest + 1, np.int64) for _ in Path._fields))


@njit(cache=True, nogil=True)
def ground_single(
    known: Known, lists: Shortlists, slot: int, known_until: int, since: int, limit: int, reached: Reached
) -> int:
    """Follow a body of one step through ``slot``; how many entities were reached. See ``ground_chain``."""
    target, newest = known.target, known.newest
    start, end = known.triple_start[slot], known.triple_end[slot]
    best, found = reached
    row = -1
    if end - start > limit:
        row = shortlist(known, lists, slot, limit, known_until)
        start, end = 0, lists.n_triples[row]
    n_found = 0
    for place in range(start, end):
        triple = place if row < 0 else lists.triple[row, place]
        t = newest[triple]
        if t >= since:
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
    known_until: int,
    since: int,
    limit: int,
    path: Path,
    reached: Reached,
) -> int:
    """Follow a body from ``source`` over facts at or after ``since``; how many entities were reached.

    Of each slot only the ``limit`` newest triples are followed.
    """
    target, newest, slot_newest = known.target, known.newest, known.slot_newest
    time_start, time, n_times = known.time_start, known.time, known.n_times
    slot_start, slot_end, slot_relation = known.slot_start, known.slot_end, known.slot_relation
    triple_start, triple_end = known.triple_start, known.triple_end
    triples, cursor, end, row, bound, entity, closing_for, closing_slot = path
    best, found = reached
    relation, inverse, origin, binding = bodies.relation, bodies.inverse, bodies.origin, bodies.binding
    first = bodies.start[body]
    last = bodies.start[body + 1] - first - 1
    for i in range(last + 1):
        closing_for[i] = NEVER
    entity[0] = source
    n_found = 0
    depth = 0
    entering = True
    while depth >= 0:
        atom = first + depth
        if entering:  # choose the triples that lead on from entity[depth]
            entering = False
            cursor[depth], end[depth], row[depth] = 0, 0, -1
            if binding[atom] < 0:
                at = entity[depth]
                slot = find_within(slot_relation, slot_start[at], slot_end[at], relation[atom])
                if slot >= 0 and slot_newest[slot] >= since:
                    cursor[depth], end[depth] = triple_start[slot], triple_end[slot]
                    if end[depth] - cursor[depth] > limit:
                        row[depth] = shortlist(known, lists, slot, limit, known_until)
                        cursor[depth], end[depth] = 0, lists.n_triples[row[depth]]
            else:  # look it up from the side that was known first: its slot serves many look-ups
                holder, other, step = entity[depth], entity[binding[atom]], relation[atom]
                if origin[atom] > binding[atom]:
                    holder, other, step = other, holder, inverse[atom]
                if closing_for[depth] != holder:
                    closing_for[depth] = holder
                    closing_slot[depth] = find_within(slot_relation, slot_start[holder], slot_end[holder], step)
                if closing_slot[depth] >= 0:
                    slot = closing_slot[depth]
                    triple = find_within(target, triple_start[slot], triple_end[slot], other)
                    if triple >= 0:
                        cursor[depth], end[depth] = triple, triple + 1
        descended = False
        ceiling = bound[depth - 1] if depth > 0 else UNLIMITED
        for place in range(cursor[depth], end[depth]):
            triple = place if row[depth] < 0 else lists.triple[row[depth], place]
            t = newest[triple]
            if t < since:
                continue
            reaches = target[triple] if binding[atom] < 0 else entity[binding[atom]]
            if depth == last and best[reaches] >= min(t, ceiling):
                continue
            for i in range(depth - 1, -1, -1):  # back along the path to t_1
                if newest[triples[i]] <= t:
                    t = bound[i]
                    break
                t = latest_until(time_start, time, n_times, triples[i], t)
                if t < since:
                    break
            if t < since:
                continue
            if depth < last:
                triples[depth], bound[depth], entity[depth + 1] = triple, t, reaches
                cursor[depth] = place + 1
                descended = True
                break
            if best[reaches] == NEVER:
                found[n_found] = reaches
                n_found += 1
            best[reaches] = max(best[reaches], t)
        depth += 1 if descended else -1
        entering = descended
    return n_found


@njit(cache=True, nogil=True)
def ground_open(
    known: Known,
    table: JoinTable,
    joins: Joins,
    join: int,
    slot: int,
    known_until: int,
    since: int,
    inner: Reached,
    reached: Reached,
) -> int:
    """Follow the first step through ``slot`` to each x, and from there an open join."""
    target, newest, triple_start, triple_end = known.target, known.newest, known.triple_start, known.triple_end
    time_start, time, n_times = known.time_start, known.time, known.n_times
    row, join_entity, join_time = joins.row, joins.entity, joins.time
    second, third = table.second[join], table.third[join]
    best, found = reached
    n_found = 0
    for triple in range(triple_start[slot], triple_end[slot]):
        ceiling = newest[triple]
        if ceiling < since:
            continue
        place = find_row(row, join, target[triple])
        if row[place, KEY] == EMPTY or row[place, MADE] < known_until:
            place = make_open(known, joins, second, third, join, target[triple], known_until, since, inner)
        times, times_end = time_start[triple], time_start[triple] + n_times[triple]
        oldest = max(time[times], since)
        for i in range(row[place, START], row[place, END]):
            c, t = join_entity[i], join_time[i]
            if t < oldest or best[c] >= min(t, ceiling):
                continue
            if t < ceiling:
                t = time[first_at_least(time, times, times_end, t + 1) - 1]
                if t < since or t <= best[c]:
                    continue
            else:
                t = ceiling
            if best[c] == NEVER:
                found[n_found] = c
                n_found += 1
            best[c] = t
    return n_found


@njit(cache=True, nogil=True)
def ground_closed(
    known: Known,
    table: JoinTable,
    joins: Joins,
    join: int,
    slot: int,
    known_until: int,
    since: int,
    reached: Reached,
) -> int:
    """Follow the first step through ``slot`` to each x, and from there a closed join back to x, the candidate."""
    target, newest, slot_newest = known.target, known.newest, known.slot_newest
    triple_start, triple_end = known.triple_start, known.triple_end
    time_start, time, n_times = known.time_start, known.time, known.n_times
    row = joins.row
    second, back = table.second[join], table.third[join]
    best, found = reached
    n_found = 0
    for triple in range(triple_start[slot], triple_end[slot]):
        if newest[triple] < since:
            continue
        x = target[triple]
        place = find_row(row, join, x)
        if row[place, KEY] == EMPTY:
            place = remember_closed(known, joins, second, back, join, x)
        away_slot, back_slot = row[place, SLOT], row[place, BACK_SLOT]
        if away_slot < 0 or back_slot < 0:
            continue
        if max(slot_newest[away_slot], slot_newest[back_slot]) >= row[place, MADE]:
            row[place, LATEST] = close(known, away_slot, back_slot)
            row[place, MADE] = known_until
        t = row[place, LATEST]
        if t >= since:
            t = latest_until(time_start, time, n_times, triple, t)
        if t >= since:
            best[x] = t
            found[n_found] = x
            n_found += 1
    return n_found


@njit(cache=True, nogil=True)
def ground_loop(
    known: Known,
    lists: Shortlists,
    bodies: BodyTable,
    loops: Loops,
    rest: int,
    slot: int,
    back_slot: int,
    source: int,
    known_until: int,
    since: int,
    path: Path,
    inner: Reached,
    reached: Reached,
) -> int:
    """Follow a rest from ``source``, after a loop of two steps through ``slot`` and back.

    A candidate's t_1 depends on its rest only through the time at which the rest begins. Loops are tried in order of
    the latest t_1 they
    allow, and the first that allows no later one ends the search.
    """
    newest = known.newest
    time_start, time, n_times = known.time_start, known.time, known.n_times
    n_inner = ground_chain(known, lists, bodies, rest, source, known_until, since, UNLIMITED, path, inner)
    n_loops = _find_loops(known, loops, slot, back_slot, since) if n_inner > 0 else 0
    order = np.argsort(-loops.bound[:n_loops], kind="mergesort")
    best, found = reached
    n_found = 0
    for i in range(n_inner):
        c = inner.entity[i]
        begins = inner.best[c]
        inner.best[c] = NEVER
        latest = NEVER
        for loop in order:
            if loops.bound[loop] <= latest:
                break
            away, back = loops.away[loop], loops.back[loop]
            if newest[back] <= begins:
                latest = loops.bound[loop]
                break
            t = latest_until(time_start, time, n_times, back, begins)
            if t >= since and t > latest:
                latest = max(latest, latest_until(time_start, time, n_times, away, t))
        if latest >= since:
            best[c] = latest
            found[n_found] = c
            n_found += 1
    return n_found


@njit(cache=True, nogil=True)
def _find_loops(known: Known, loops: Loops, slot: int, back_slot: int, since: int) -> int:
    """The triples of two slots of one source that share a target, by merging; how many allow a t_1 at or after
    ``since``."""
    target, newest, triple_start, triple_end = known.target, known.newest, known.triple_start, known.triple_end
    time_start, time, n_times = known.time_start, known.time, known.n_times
    back, back_end = triple_start[back_slot], triple_end[back_slot]
    start, end = triple_start[slot], triple_end[slot]
    n = 0
    for away in range(start, end):
        if newest[away] < since:
            continue
        while back < back_end and target[back] < target[away]:
            back += 1
        if back == back_end:
            break
        if target[back] == target[away]:
            t = latest_until(time_start, time, n_times, away, newest[back])
            if t >= since:
                loops.away[n], loops.back[n], loops.bound[n] = away, back, t
                n += 1
    return n
