"""The history of an entity in a live graph: its events, their number, and how regular they are; latest events."""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.explaining import Fact
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.binary_search import first_at_least
from tlogic.graph.growing_index import GrowingIndex
from tlogic.graph.live_graph import LiveGraph

HALF_LIFE_STEPS = 30.0
"""The age, in time steps, at which a time step weighs half as much in `relation_rates`."""
_MAX_HALF_LIVES = 64  # older events weigh nothing


class EntityHistory(NamedTuple):
    """The events of one entity. If it is the object, the relation is the inverse."""

    relation: Ints
    other: Ints
    time: Ints


def entity_history(graph: LiveGraph, entity: int, other: int | None = None) -> EntityHistory:
    """The events of an entity, or between two entities, newest first, then by name. Self-loops are listed once."""
    history = EntityHistory(*entity_edges(graph.index, entity))
    keep = (history.other != entity) | (history.relation < len(graph.relations.base))
    if other is not None:
        keep &= history.other == other
    order = np.flatnonzero(keep)
    other_rank, relation_rank = graph.entity_rank[history.other], graph.relation_rank[history.relation]
    order = order[np.lexsort((other_rank[order], relation_rank[order], -history.time[order].astype(np.int64)))]
    return EntityHistory(*(column[order] for column in history))


def facts_of(graph: LiveGraph, entity: int, history: EntityHistory) -> list[Fact]:
    """The events as facts with names and dates."""
    name, n_relations = graph.entities.name_of, len(graph.relations.base)
    facts = []
    for relation, other, time in zip(*(column.tolist() for column in history), strict=True):
        subject, object_ = (entity, other) if relation < n_relations else (other, entity)
        label = graph.timeline.label_of(time)
        facts.append(Fact(name(subject), graph.relations.name_of(relation % n_relations), name(object_), label))
    return facts


def relation_counts(graph: LiveGraph, entity: int) -> dict[int, int]:
    """Per relation or inverse of an entity: the number of its events."""
    relation, count = np.unique(entity_edges(graph.index, entity)[0], return_counts=True)
    return dict(zip(relation.tolist(), count.tolist(), strict=True))


def latest_facts(graph: LiveGraph, limit: int) -> list[Fact]:
    """The facts of the last time steps: newest first, and within a time step the last to arrive first."""
    n_steps = 1
    while True:
        recent = graph.facts_between(graph.end - n_steps, graph.end)
        if len(recent.time) >= limit or n_steps >= graph.end:
            break
        n_steps *= 2
    order = np.argsort(-recent.time[::-1].astype(np.int64), kind="stable")[:limit]
    entity, relation, label = graph.entities.name_of, graph.relations.name_of, graph.timeline.label_of
    rows = zip(*(column[::-1][order].tolist() for column in recent), strict=True)
    return [Fact(entity(s), relation(r), entity(o), label(t)) for s, r, o, t in rows]


def count_events(graph: LiveGraph) -> tuple[Ints, Ints, Ints]:
    """Per entity: the number of its events and the time of the last; per relation: the number of its events."""
    n_relations = len(graph.relations.base)
    return _count_events(graph.index, len(graph.entities), n_relations)


def relation_rates(graph: LiveGraph, entity: int, now: int) -> dict[int, float]:
    """Per relation or inverse of an entity: the weighted share of time steps before now with such an event.

    The weight of a time step halves with every ``HALF_LIFE_STEPS`` of its age.
    """
    relation, rate = _relation_rates(graph.index, entity, now, HALF_LIFE_STEPS)
    return dict(zip(relation.tolist(), rate.tolist(), strict=True))


@kernel
def entity_edges(index: GrowingIndex, entity: int) -> tuple[Ints, Ints, Ints]:
    """Relation, other entity and time of each edge of an entity."""
    n = 0
    for slot in range(index.slot_start[entity], index.slot_end[entity]):
        for triple in range(index.triple_start[slot], index.triple_end[slot]):
            n += index.n_times[triple]
    relation, other, time = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    n = 0
    for slot in range(index.slot_start[entity], index.slot_end[entity]):
        for triple in range(index.triple_start[slot], index.triple_end[slot]):
            for i in range(index.time_start[triple], index.time_start[triple] + index.n_times[triple]):
                relation[n], other[n], time[n] = index.slot_relation[slot], index.target[triple], index.time[i]
                n += 1
    return relation, other, time


@kernel
def _count_events(index: GrowingIndex, n_entities: int, n_relations: int) -> tuple[Ints, Ints, Ints]:
    of_entity, last, of_relation = (
        np.zeros(n_entities, np.int64),
        np.full(n_entities, -1, np.int64),
        np.zeros(n_relations, np.int64),
    )
    for entity in range(n_entities):
        for slot in range(index.slot_start[entity], index.slot_end[entity]):
            last[entity] = max(last[entity], index.slot_newest[slot])
            relation = index.slot_relation[slot]
            for triple in range(index.triple_start[slot], index.triple_end[slot]):
                if relation < n_relations:
                    of_relation[relation] += index.n_times[triple]
                if relation < n_relations or index.target[triple] != entity:
                    of_entity[entity] += index.n_times[triple]
    return of_entity, last, of_relation


@kernel
def _relation_rates(index: GrowingIndex, entity: int, now: int, half_life: float) -> tuple[Ints, Floats]:
    first, end = index.slot_start[entity], index.slot_end[entity]
    rate = np.zeros(end - first, np.float64)
    n_ages = min(max(now, 0), int(_MAX_HALF_LIVES * half_life) + 1)
    since = now - n_ages
    happened = np.zeros(n_ages, np.bool_)
    total = 0.0
    for age in range(1, n_ages + 1):
        total += 2.0 ** (-age / half_life)
    for slot in range(first, end):
        for triple in range(index.triple_start[slot], index.triple_end[slot]):
            start = index.time_start[triple]
            end_visible = first_at_least(index.time, start, start + index.n_times[triple], now)
            for i in range(first_at_least(index.time, start, end_visible, since), end_visible):
                happened[index.time[i] - since] = True
        for i in range(n_ages):  # in order of time, so that the sum does not depend on the ids
            if happened[i]:
                rate[slot - first] += 2.0 ** (-(n_ages - i) / half_life) / total
        happened[:] = False
    return index.slot_relation[first:end].copy(), rate
