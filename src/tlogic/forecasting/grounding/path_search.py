"""Chains: the way along a rule's body, step by step, depth first.

A step to a new variable scans a slot; a step to a repeated variable is a look-up.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.grounding.recent_triples import RecentTriples, update_recent
from tlogic.forecasting.grounding.rule_plans import BodyTable
from tlogic.forecasting.grounding.visible_facts import NEVER, TimeWindow, VisibleFacts, latest_until
from tlogic.forecasting.settings import UNLIMITED
from tlogic.graph.arrays import Ints, borrowed
from tlogic.graph.binary_search import find_within


class SearchPath(NamedTuple):
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


def new_search_path(longest: int) -> SearchPath:
    """Room for a body of the given length."""
    return SearchPath(*(np.zeros(longest + 1, np.int64) for _ in SearchPath._fields))


@njit(cache=True, nogil=True)
def ground_single(
    visible: VisibleFacts, recent: RecentTriples, slot: int, window: TimeWindow, frontier: Frontier
) -> int:
    """Follow a body of one step through ``slot``; how many entities were frontier. See ``ground_chain``."""
    target, newest = visible.target, visible.newest
    start, end = visible.triple_start[slot], visible.triple_end[slot]
    best, found = frontier
    row = -1
    if end - start > window.limit:
        row = update_recent(visible, recent, slot, window)
        start, end = 0, recent.n_triples[row]
    n_found = 0
    for place in range(start, end):
        triple = place if row < 0 else recent.triple[row, place]
        t = newest[triple]
        if t >= window.since:
            best[target[triple]] = t
            found[n_found] = target[triple]
            n_found += 1
    return n_found


@njit(cache=True, nogil=True)
def ground_chain(
    visible: VisibleFacts,
    recent: RecentTriples,
    bodies: BodyTable,
    body: int,
    source: int,
    window: TimeWindow,
    path: SearchPath,
    frontier: Frontier,
) -> int:
    """Follow a body from ``source``; how many entities were frontier."""
    visible, recent, bodies, path, frontier = borrowed((visible, recent, bodies, path, frontier))
    target, newest, since = visible.target, visible.newest, window.since
    best, found = frontier
    first, binding = bodies.start[body], bodies.binding
    last = bodies.start[body + 1] - first - 1
    path.closing_for[: last + 1] = NEVER
    path.entity[0] = source
    n_found, depth, entering = 0, 0, True
    while depth >= 0:
        atom = first + depth
        if entering:
            _enter(visible, recent, bodies, atom, depth, window, path)
        entering = False
        row = path.row[depth]
        ceiling = path.bound[depth - 1] if depth > 0 else UNLIMITED
        for place in range(path.cursor[depth], path.end[depth]):
            triple = place if row < 0 else recent.triple[row, place]
            t = newest[triple]
            if t < since:
                continue
            reaches = target[triple] if binding[atom] < 0 else path.entity[binding[atom]]
            if depth == last and best[reaches] >= min(t, ceiling):
                continue
            t = _begin(visible, path, depth, t, since)
            if t < since:
                continue
            if depth < last:
                path.triple[depth], path.bound[depth], path.entity[depth + 1] = triple, t, reaches
                path.cursor[depth] = place + 1
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
    visible: VisibleFacts,
    recent: RecentTriples,
    bodies: BodyTable,
    atom: int,
    depth: int,
    window: TimeWindow,
    path: SearchPath,
) -> None:
    """Choose the triples that lead on from the entity at this depth."""
    start, end, row = 0, 0, -1
    if bodies.binding[atom] < 0:
        slot = _find_slot(visible, path.entity[depth], bodies.relation[atom])
        if slot >= 0 and visible.slot_newest[slot] >= window.since:
            start, end = visible.triple_start[slot], visible.triple_end[slot]
            if end - start > window.limit:
                row = update_recent(visible, recent, slot, window)
                start, end = 0, recent.n_triples[row]
    else:
        triple = _look_up(visible, bodies, atom, depth, path)
        if triple >= 0:
            start, end = triple, triple + 1
    path.cursor[depth], path.end[depth], path.row[depth] = start, end, row


@njit(cache=True, nogil=True, inline="always")
def _look_up(visible: VisibleFacts, bodies: BodyTable, atom: int, depth: int, path: SearchPath) -> int:
    """The triple that leads back to a repeated variable, or -1."""
    # from the side that was visible first: its slot serves many look-ups
    holder, other, relation = path.entity[depth], path.entity[bodies.binding[atom]], bodies.relation[atom]
    if bodies.origin[atom] > bodies.binding[atom]:
        holder, other, relation = other, holder, bodies.inverse[atom]
    if path.closing_for[depth] != holder:
        path.closing_for[depth] = holder
        path.closing_slot[depth] = _find_slot(visible, holder, relation)
    slot = path.closing_slot[depth]
    return find_within(visible.target, visible.triple_start[slot], visible.triple_end[slot], other) if slot >= 0 else -1


@njit(cache=True, nogil=True, inline="always")
def _find_slot(visible: VisibleFacts, entity: int, relation: int) -> int:
    return find_within(visible.slot_relation, visible.slot_start[entity], visible.slot_end[entity], relation)


@njit(cache=True, nogil=True, inline="always")
def _begin(visible: VisibleFacts, path: SearchPath, depth: int, t: int, since: int) -> int:
    """The latest t_1 of a path whose fact at this depth is at ``t``, going back along it; too early where it is before
    ``since``."""
    for i in range(depth - 1, -1, -1):
        if visible.newest[path.triple[i]] <= t:
            return path.bound[i]
        t = latest_until(visible.time_start, visible.time, visible.n_times, path.triple[i], t)
        if t < since:
            break
    return t
