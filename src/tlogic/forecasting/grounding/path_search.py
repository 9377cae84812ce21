"""Depth-first search along a rule body: grounds any body, atom by atom.

An atom with a new variable scans the triples of a slot. An atom with a repeated variable is a single look-up.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel_part
from tlogic.forecasting.grounding.frontier import Frontier
from tlogic.forecasting.grounding.recent_triples import RecentTriples, update_recent
from tlogic.forecasting.grounding.rule_plans import BodyTable
from tlogic.forecasting.grounding.visible_facts import NEVER, TimeWindow, VisibleFacts, latest_until
from tlogic.forecasting.settings import MAX_INTEGER_SETTING
from tlogic.graph.arrays import Ints, borrowed
from tlogic.graph.binary_search import find_within


class SearchPath(NamedTuple):
    """The state of a depth-first search along a body, per atom."""

    triple: Ints
    cursor: Ints
    end: Ints
    """The range still to be followed: of triples, or of indices into a list of recent triples."""
    row: Ints
    """The list of recent triples to follow, or -1 to follow the whole slot."""
    bound: Ints
    """The latest t_1 that the path up to this atom allows."""
    entity: Ints
    closing_for: Ints
    closing_slot: Ints
    """Of an atom with a repeated variable: the entity and the slot in which the triple is looked up."""


def new_search_path(max_length: int) -> SearchPath:
    """Scratch memory for bodies of up to ``max_length`` atoms."""
    return SearchPath(*(np.zeros(max_length + 1, np.int64) for _ in SearchPath._fields))


@helper
def ground_single(
    visible: VisibleFacts, recent: RecentTriples, slot: int, window: TimeWindow, frontier: Frontier
) -> int:
    """Ground a body of one atom, r_1(s, c): one candidate c for each triple of ``slot``; returns their number."""
    target, newest = visible.target, visible.newest
    start, end = visible.triple_start[slot], visible.triple_end[slot]
    best, found = frontier
    row = -1
    if end - start > window.limit:
        row = update_recent(visible, recent, slot, window)
        start, end = 0, recent.n_triples[row]
    n_found = 0
    for i in range(start, end):
        triple = i if row < 0 else recent.triple[row, i]
        t = newest[triple]
        if t >= window.since:
            best[target[triple]] = t
            found[n_found] = target[triple]
            n_found += 1
    return n_found


@helper
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
    """Ground a body from E_1 = ``source``: fills the frontier with each candidate's latest t_1; returns their number.

    The search joins triples, not facts. Per path of triples, t_l is the newest time of the last triple, and each t_i
    before it the newest time that is at most t_(i+1): no assignment of times to the path has a later t_1.
    """
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
        ceiling = path.bound[depth - 1] if depth > 0 else MAX_INTEGER_SETTING
        for i in range(path.cursor[depth], path.end[depth]):
            triple = i if row < 0 else recent.triple[row, i]
            t = newest[triple]
            if t < since:
                continue
            reaches = target[triple] if binding[atom] < 0 else path.entity[binding[atom]]
            if depth == last and best[reaches] >= min(t, ceiling):
                continue
            t = _latest_start(visible, path, depth, t, since)
            if t < since:
                continue
            if depth < last:
                path.triple[depth], path.bound[depth], path.entity[depth + 1] = triple, t, reaches
                path.cursor[depth] = i + 1
                entering = True
                break
            if best[reaches] == NEVER:
                found[n_found] = reaches
                n_found += 1
            best[reaches] = max(best[reaches], t)
        depth += 1 if entering else -1
    return n_found


@kernel_part
def _enter(
    visible: VisibleFacts,
    recent: RecentTriples,
    bodies: BodyTable,
    atom: int,
    depth: int,
    window: TimeWindow,
    path: SearchPath,
) -> None:
    """Find the triples that match the atom at this depth."""
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


@kernel_part
def _look_up(visible: VisibleFacts, bodies: BodyTable, atom: int, depth: int, path: SearchPath) -> int:
    """The triple of an atom with a repeated variable, or -1."""
    # search from the variable that was bound first: its slot serves many look-ups
    holder, other, relation = path.entity[depth], path.entity[bodies.binding[atom]], bodies.relation[atom]
    if bodies.origin[atom] > bodies.binding[atom]:
        holder, other, relation = other, holder, bodies.inverse[atom]
    if path.closing_for[depth] != holder:
        path.closing_for[depth] = holder
        path.closing_slot[depth] = _find_slot(visible, holder, relation)
    slot = path.closing_slot[depth]
    return find_within(visible.target, visible.triple_start[slot], visible.triple_end[slot], other) if slot >= 0 else -1


@kernel_part
def _find_slot(visible: VisibleFacts, entity: int, relation: int) -> int:
    """The slot of an entity and a relation, or -1."""
    return find_within(visible.slot_relation, visible.slot_start[entity], visible.slot_end[entity], relation)


@kernel_part
def _latest_start(visible: VisibleFacts, path: SearchPath, depth: int, t: int, since: int) -> int:
    """The latest t_1 of a path whose fact at this depth is at ``t``; may be before ``since``."""
    for i in range(depth - 1, -1, -1):
        if visible.newest[path.triple[i]] <= t:
            return path.bound[i]
        t = latest_until(visible.time_start, visible.time, visible.n_times, path.triple[i], t)
        if t < since:
            break
    return t
