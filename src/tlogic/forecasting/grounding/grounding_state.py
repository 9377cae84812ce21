"""Grounding of one rule: from the query's subject along the body to candidates, each with its latest t_1.

The score of a candidate depends only on the latest t_1 among its groundings. So the search joins triples instead of
facts: on a path of triples it takes the newest time of the last one, then the newest time of the one before that is
not later, and so on back to t_1.

``rule_plans`` chooses the method of each body by its shape.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel_part
from tlogic.forecasting.grounding.frontier import Frontier, new_frontier
from tlogic.forecasting.grounding.join_cache import JoinCache, clear_join_cache, new_join_cache
from tlogic.forecasting.grounding.join_search import ground_closed, ground_open
from tlogic.forecasting.grounding.path_search import SearchPath, ground_chain, ground_single, new_search_path
from tlogic.forecasting.grounding.recent_triples import RecentTriples, clear_recent_triples, new_recent_triples
from tlogic.forecasting.grounding.rule_plans import CHAIN, CLOSED, OPEN, SINGLE, RulePlans
from tlogic.forecasting.grounding.subject_loops import SubjectLoops, ground_loop, new_subject_loops
from tlogic.forecasting.grounding.visible_facts import TimeWindow, VisibleFacts, advance_to, no_visible_facts
from tlogic.graph.arrays import Ints
from tlogic.graph.triples import TripleIndex


class GroundingState(NamedTuple):
    """The state of one worker: visible facts, caches and scratch memory."""

    visible: VisibleFacts
    recent: RecentTriples
    join_cache: JoinCache
    path: SearchPath
    loops: SubjectLoops
    inner: Frontier
    """Scratch frontier of joins and loops; empty between calls."""
    subject_slot: Ints
    """Per relation: the slot of the query's subject, or -1."""


def new_grounding_state(
    triples: TripleIndex, n_entities: int, n_relations: int, plans: RulePlans, limit: int
) -> GroundingState:
    """A state for a graph whose ids follow the sorted names, with no visible facts."""
    return GroundingState(
        visible=no_visible_facts(triples),
        recent=new_recent_triples(
            len(triples.slot_relation), len(triples.target), limit, rank=np.arange(n_entities, dtype=np.int32)
        ),
        join_cache=new_join_cache(n_entities, len(triples.target)),
        path=new_search_path(int(np.diff(plans.bodies.start).max(initial=1))),
        loops=new_subject_loops(n_entities),
        inner=new_frontier(n_entities),
        subject_slot=np.full(n_relations, -1, np.int64),
    )


@helper
def advance_state_to(state: GroundingState, triples: TripleIndex, time: int) -> None:
    """Make exactly the facts before ``time`` visible; going back in time drops the caches."""
    if time < state.visible.until[0]:
        clear_join_cache(state.join_cache)
        clear_recent_triples(state.recent)
    if time != state.visible.until[0]:
        advance_to(state.visible, triples, time)


@helper
def index_subject_slots(state: GroundingState, subject: int, since: int) -> None:
    """Index the subject's slots that hold facts at or after ``since`` by relation."""
    visible, subject_slot = state.visible, state.subject_slot
    for slot in range(visible.slot_start[subject], visible.slot_end[subject]):
        if visible.slot_newest[slot] >= since:
            subject_slot[visible.slot_relation[slot]] = slot


@helper
def reset_subject_slots(state: GroundingState, subject: int) -> None:
    """Reset the index of the subject's slots."""
    visible, subject_slot = state.visible, state.subject_slot
    for slot in range(visible.slot_start[subject], visible.slot_end[subject]):
        subject_slot[visible.slot_relation[slot]] = -1


@kernel_part
def ground_rule(
    state: GroundingState, plans: RulePlans, rule: int, subject: int, window: TimeWindow, frontier: Frontier
) -> int:
    """Ground a rule from a query's subject, whose slots are indexed; returns the number of candidates found."""
    visible, recent, cache, path, loops, inner, subject_slot = state
    _, _, kinds, firsts, backs, parts, bodies, joins = plans
    slot = subject_slot[firsts[rule]]
    n_found = 0
    if slot >= 0:
        kind, part = kinds[rule], parts[rule]
        if kind == SINGLE:
            n_found = ground_single(visible, recent, slot, window, frontier)
        elif kind == CHAIN:
            n_found = ground_chain(visible, recent, bodies, part, subject, window, path, frontier)
        elif kind == OPEN:
            n_found = ground_open(visible, joins, cache, part, slot, window, inner, frontier)
        elif kind == CLOSED:
            n_found = ground_closed(visible, joins, cache, part, slot, window, frontier)
        elif subject_slot[backs[rule]] >= 0:
            back = subject_slot[backs[rule]]
            n_inner = ground_chain(visible, recent, bodies, part, subject, window, path, inner)
            n_found = ground_loop(visible, loops, slot, back, window, inner, n_inner, frontier)
    return n_found
