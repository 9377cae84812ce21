"""EventMemory: what is known of all events so far, ready for queries at the newest time step or later.

Relations are numbered in both directions: relation r of the data is 2 r, and its inverse is 2 r + 1, so that new
relations change no numbers. A fact (s, r, o) is an edge (s, 2 r, o) and an edge (o, 2 r + 1, s).
"""

from typing import Any, NamedTuple

import numpy as np

from tlogic.compilation import helper, inlined_kernel, kernel
from tlogic.evidence.groups import (
    LATEST,
    N_EARLIER,
    N_FIELDS,
    N_LATEST,
    N_RECORD_FIELDS,
    Groups,
    add_events,
    copy_group,
    decay_table,
    is_new_at,
    new_groups,
    with_more_groups,
)
from tlogic.evidence.lists import (
    Lists,
    append,
    can_extend,
    extend,
    first_of,
    new_lists,
    size_of,
    with_more_lists,
    with_more_records,
)
from tlogic.evidence.tables import Table, add_key, has_room, joint_key, larger_table, n_keys, new_table, number_of
from tlogic.graph.arrays import Bools, Floats, Ints, borrowed
from tlogic.graph.facts import Facts

N_RECENT_STEPS = 7
"""The number of facts of each relation is kept for so many time steps before the newest one."""
_RING = N_RECENT_STEPS + 1
_NEVER = -1
_MAX_SCANNED = 8  # records per event that is searched

N_KINDS, N_KINDS_EARLIER, LAST_NEW_KIND, N_EVENTS_EARLIER = range(N_FIELDS, N_FIELDS + 4)
"""Further fields of slots and entities: the number of targets or partners, that number before the time step of the last
new one, and that step; for slots also the number of events at the time before the latest one."""
FIRST_TIME, SLOT, BACK_SLOT, PAIR, _IN_SLOT, _IN_BACK_SLOT, _IN_PAIR = range(N_FIELDS, N_FIELDS + 7)
"""Further fields of triples: their first time, slots and pair, and their positions in the lists of these."""
_IN_FIRST, _IN_SECOND = N_FIELDS, N_FIELDS + 1
"""Further fields of pairs: their positions in the lists of both entities, the smaller id first."""


class EventMemory(NamedTuple):
    """Groups of events, and the lists to go through them."""

    decay: Floats
    max_events: Ints
    """One element: how many last events of an entity are searched for its partners and targets."""
    newest: Ints
    """The newest time step, or -1; then the time steps of the rows of ``recent``."""
    recent: Ints
    """By time step modulo 8, per relation of the data: its number of facts."""
    entity_key: Ints
    """Per entity: a hash of its name, which breaks ties whatever the ids."""
    relation_key: Ints
    slot: Table
    """From entity and relation to slot."""
    slots: Groups
    triple: Table
    """From the slot of the subject, and the object, to triple."""
    triples: Groups
    pair: Table
    """From two entities, the smaller id first, to pair."""
    pairs: Groups
    entities: Groups
    relations: Groups
    """Per relation of the data."""
    slots_of_entity: Lists
    """Relation and slot."""
    targets_of_slot: Lists
    """Target, triple and a copy of it."""
    partners: Lists
    """Per entity: partner, pair and a copy of it."""
    triples_of_pair: Lists
    """The relation as the entity with the smaller id sees it, triple and a copy of it."""
    slots_of_relation: Lists
    """Source and slot."""
    edges: Lists
    """Per entity: relation, target, time and triple, in order of time; within a time step in an order that names
    define."""


def new_event_memory(lives: Floats, max_events: int) -> EventMemory:
    """A memory without entities, relations and events."""
    return EventMemory(
        decay=decay_table(lives),
        max_events=np.array([max_events], np.int64),
        newest=np.full(1 + _RING, _NEVER, np.int64),
        recent=np.zeros((_RING, 0), np.int32),
        entity_key=np.empty(0, np.int64),
        relation_key=np.empty(0, np.int64),
        slot=new_table(),
        slots=new_groups(0, 4),
        triple=new_table(),
        triples=new_groups(0, 7),
        pair=new_table(),
        pairs=new_groups(0, 2),
        entities=new_groups(0, 4),
        relations=new_groups(0),
        slots_of_entity=new_lists(0, 2),
        targets_of_slot=new_lists(0, N_RECORD_FIELDS),
        partners=new_lists(0, N_RECORD_FIELDS),
        triples_of_pair=new_lists(0, N_RECORD_FIELDS),
        slots_of_relation=new_lists(0, 2),
        edges=new_lists(0, 4),
    )


def with_names(memory: EventMemory, entity_keys: Ints, relation_keys: Ints) -> EventMemory:
    """The same memory for more entities and relations, given the keys of the new ones."""
    n, half = len(memory.entity_key) + len(entity_keys), len(memory.relations) + len(relation_keys) // 2
    return memory._replace(
        entity_key=np.append(memory.entity_key, entity_keys),
        relation_key=np.append(memory.relation_key, relation_keys),
        entities=with_more_groups(memory.entities, n),
        relations=with_more_groups(memory.relations, half),
        recent=np.hstack([memory.recent, np.zeros((_RING, len(relation_keys) // 2), np.int32)]),
        slots_of_entity=with_more_lists(memory.slots_of_entity, n),
        partners=with_more_lists(memory.partners, n),
        edges=with_more_lists(memory.edges, n),
        slots_of_relation=with_more_lists(memory.slots_of_relation, 2 * half),
    )


def add_facts(memory: EventMemory, facts: Facts) -> tuple[EventMemory, Bools]:
    """Count facts that are new, in order of time, and not before the newest time step.

    Returns:
        The memory, and three flags per fact: is it the first of its slot at its time step, the first of its object's
        slot, the first of its relation?
    """
    flags = np.empty((len(facts.time), 3), np.bool_)
    done = 0
    while done < len(facts.time):
        memory = _with_room(memory)
        done = _add_facts(memory, *facts, done, flags)
    return memory, flags


def _with_room(memory: EventMemory) -> EventMemory:
    """The same memory with room for at least one more fact."""
    more: dict[str, Any] = {}
    for name, groups_name, lists_name in (
        ("slot", "slots", "targets_of_slot"),
        ("triple", "triples", None),
        ("pair", "pairs", "triples_of_pair"),
    ):
        table, groups = getattr(memory, name), getattr(memory, groups_name)
        if not has_room(table, 2):
            more[name] = larger_table(table)
        if n_keys(table) + 2 > len(groups):
            n = 2 * int(n_keys(table)) + 64
            more[groups_name] = with_more_groups(groups, n)
            if lists_name:
                more[lists_name] = with_more_lists(getattr(memory, lists_name), n)
    memory = memory._replace(**more)
    lists = {name: value for name, value in memory._asdict().items() if isinstance(value, Lists)}
    longer: dict[str, Any] = {
        name: with_more_records(value, 2) for name, value in lists.items() if not can_extend(value, 2)
    }
    return memory._replace(**longer)


@kernel
def _add_facts(
    memory: EventMemory, subject: Ints, relation: Ints, object: Ints, time: Ints, first: int, flags: Bools
) -> int:
    """Add facts from an index on until there is no room; return the index of the next fact."""
    memory = borrowed(memory)
    for i in range(first, len(time)):
        tables = has_room(memory.slot, 2) and has_room(memory.triple, 1) and has_room(memory.pair, 1)
        groups = (
            n_keys(memory.slot) + 2 <= len(memory.slots)
            and n_keys(memory.triple) + 1 <= len(memory.triples)
            and n_keys(memory.pair) + 1 <= len(memory.pairs)
        )
        lists = (
            can_extend(memory.slots_of_entity, 2)
            and can_extend(memory.targets_of_slot, 2)
            and can_extend(memory.partners, 2)
            and can_extend(memory.triples_of_pair, 2)
            and can_extend(memory.slots_of_relation, 2)
            and can_extend(memory.edges, 2)
        )
        if not (tables and groups and lists):
            return i
        s, r, o, now = int(subject[i]), int(relation[i]), int(object[i]), int(time[i])
        slot = _add_slot(memory.slot, memory.slots, memory.slots_of_entity, memory.slots_of_relation, s, 2 * r, now)
        back_slot = _add_slot(
            memory.slot, memory.slots, memory.slots_of_entity, memory.slots_of_relation, o, 2 * r + 1, now
        )
        flags[i, 0], flags[i, 1] = is_new_at(memory.slots, slot, now), is_new_at(memory.slots, back_slot, now)
        flags[i, 2] = is_new_at(memory.relations, r, now)
        pair = _add_pair(memory.pair, memory.pairs, memory.partners, memory.entities, s, o, now)
        n_triples = n_keys(memory.triple)
        triple = add_key(memory.triple, joint_key(slot, o))
        if triple == n_triples:
            own = memory.triples[triple]
            own[FIRST_TIME], own[SLOT], own[BACK_SLOT], own[PAIR] = now, slot, back_slot, pair
            own[_IN_SLOT] = append(memory.targets_of_slot, slot, o, triple)
            own[_IN_BACK_SLOT] = append(memory.targets_of_slot, back_slot, s, triple)
            own[_IN_PAIR] = append(memory.triples_of_pair, pair, 2 * r + (s > o), triple)
            _add_kind(memory.slots, slot, now)
            _add_kind(memory.slots, back_slot, now)
        add_events(memory.decay, memory.triples, triple, now, 1)
        add_events(memory.decay, memory.slots, slot, now, 1)
        add_events(memory.decay, memory.slots, back_slot, now, 1)
        add_events(memory.decay, memory.pairs, pair, now, 2 if s == o else 1)
        add_events(memory.decay, memory.entities, s, now, 1)
        add_events(memory.decay, memory.entities, o, now, 1)
        add_events(memory.decay, memory.relations, r, now, 1)
        _copy_triple(memory.triples, triple, memory.targets_of_slot, memory.triples_of_pair)
        _copy_pair(memory.pairs, pair, memory.partners, min(s, o), max(s, o))
        _add_edge(memory.edges, memory.relation_key, memory.entity_key, s, 2 * r, o, now, triple)
        _add_edge(memory.edges, memory.relation_key, memory.entity_key, o, 2 * r + 1, s, now, triple)
        _add_recent(memory.recent, memory.newest, r, now)
    return len(time)


# Records with many arrays are costly to pass on, so the functions below take only the parts that they need.


@helper
def _add_slot(
    table: Table, slots: Groups, of_entity: Lists, of_relation: Lists, entity: int, relation: int, now: int
) -> int:
    n = n_keys(table)
    slot = add_key(table, joint_key(entity, relation))
    if slot == n:
        append(of_entity, entity, relation, slot)
        append(of_relation, relation, entity, slot)
    if slots[slot, LATEST] < now:
        slots[slot, N_EVENTS_EARLIER] = slots[slot, N_LATEST] - slots[slot, N_EARLIER]
    return slot


@helper
def _add_pair(table: Table, pairs: Groups, partners: Lists, entities: Groups, s: int, o: int, now: int) -> int:
    n, first, second = n_keys(table), min(s, o), max(s, o)
    pair = add_key(table, joint_key(first, second))
    if pair == n:
        pairs[pair, _IN_FIRST] = append(partners, first, second, pair)
        _add_kind(entities, first, now)
        pairs[pair, _IN_SECOND] = pairs[pair, _IN_FIRST]
        if s != o:
            pairs[pair, _IN_SECOND] = append(partners, second, first, pair)
            _add_kind(entities, second, now)
    return pair


@helper
def _copy_triple(triples: Groups, triple: int, of_slot: Lists, of_pair: Lists) -> None:
    """Copy what the lists tell of a triple."""
    row = triples[triple]
    copy_group(triples, triple, of_slot.record, first_of(of_slot, row[SLOT]) + row[_IN_SLOT])
    copy_group(triples, triple, of_slot.record, first_of(of_slot, row[BACK_SLOT]) + row[_IN_BACK_SLOT])
    copy_group(triples, triple, of_pair.record, first_of(of_pair, row[PAIR]) + row[_IN_PAIR])


@helper
def _copy_pair(pairs: Groups, pair: int, partners: Lists, first: int, second: int) -> None:
    """Copy what the lists tell of a pair."""
    copy_group(pairs, pair, partners.record, first_of(partners, first) + pairs[pair, _IN_FIRST])
    copy_group(pairs, pair, partners.record, first_of(partners, second) + pairs[pair, _IN_SECOND])


@helper
def _add_kind(groups: Groups, group: int, now: int) -> None:
    if groups[group, N_KINDS] == 0 or groups[group, LAST_NEW_KIND] < now:
        groups[group, N_KINDS_EARLIER], groups[group, LAST_NEW_KIND] = groups[group, N_KINDS], now
    groups[group, N_KINDS] += 1


@helper
def _add_edge(
    edges: Lists, relation_key: Ints, entity_key: Ints, source: int, relation: int, target: int, now: int, triple: int
) -> None:
    """Insert an edge at its place among those of its time step, by the keys of relation and target."""
    at, record = extend(edges, source), edges.record
    first, key, target_key = first_of(edges, source), relation_key[relation], entity_key[target]
    while at > first and record[at - 1, 2] == now:
        other = relation_key[record[at - 1, 0]]
        if other < key or (other == key and entity_key[record[at - 1, 1]] < target_key):
            break
        for field in range(4):
            record[at, field] = record[at - 1, field]
        at -= 1
    record[at, 0], record[at, 1], record[at, 2], record[at, 3] = relation, target, now, triple


@helper
def _add_recent(recent: Ints, newest: Ints, relation: int, now: int) -> None:
    row = now % _RING
    if newest[1 + row] != now:
        for r in range(recent.shape[1]):
            recent[row, r] = 0
        newest[1 + row] = now
    recent[row, relation] += 1
    newest[0] = now


# Lookups


@helper
def slot_of(slots: Table, entity: int, relation: int) -> int:
    """The slot of an entity and a relation, or -1."""
    return number_of(slots, joint_key(entity, relation))


@helper
def pair_of(pairs: Table, one: int, other: int) -> int:
    """The pair of two entities, or -1."""
    return number_of(pairs, joint_key(min(one, other), max(one, other)))


@helper
def triple_of(triples: Table, slot: int, back_slot: int, relation: int, source: int, target: int) -> int:
    """The triple of an edge, given the slots of both its ends, or -1."""
    if slot < 0 or back_slot < 0:
        return -1
    return number_of(triples, joint_key(back_slot, source) if relation & 1 else joint_key(slot, target))


@helper
def kinds_before(groups: Groups, group: int, now: int) -> int:
    """How many different targets a slot, or partners an entity, had before now."""
    return groups[group, N_KINDS] if groups[group, LAST_NEW_KIND] < now else groups[group, N_KINDS_EARLIER]


@helper
def events_at(slots: Groups, slot: int, moment: int) -> int:
    """The number of events of a slot at the time of a moment."""
    return slots[slot, N_EVENTS_EARLIER] if moment else slots[slot, N_LATEST] - slots[slot, N_EARLIER]


@inlined_kernel
def end_of_edges(edges: Lists, entity: int, now: int) -> int:
    """The index behind the last edge of an entity before now."""
    record, low = edges.record, first_of(edges, entity)
    high = low + size_of(edges, entity)
    if high > low and record[high - 1, 2] < now:
        return high
    while low < high:
        middle = (low + high) // 2
        if record[middle, 2] < now:
            low = middle + 1
        else:
            high = middle
    return low


@helper
def searched_since(edges: Lists, max_events: Ints, entity: int, now: int) -> int:
    """The time of the oldest event of an entity that is searched for queries at a time; 0 if all are."""
    at = end_of_edges(edges, entity, now) - max_events[0]
    return edges.record[at, 2] if at > first_of(edges, entity) else 0


@helper
def is_short(lists: Lists, which: int, max_events: Ints) -> bool:
    """Whether reading a whole list, which lies in one place, takes less time than searching the last events."""
    return size_of(lists, which) <= _MAX_SCANNED * max_events[0]


@helper
def facts_at(recent: Ints, newest: Ints, relation: int, step: int) -> int:
    """The number of facts of a relation of the data at one of the last time steps."""
    row = step % _RING
    return recent[row, relation] if step >= 0 and newest[1 + row] == step else 0
