"""Room for facts in a memory, counted before they are added.

Groups, tables and lists that grow while facts are added are copied on the way, and end with room to spare. If all facts
are there beforehand, a pass through them counts what they need, and nothing is copied.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.evidence.event_memory import EventMemory
from tlogic.evidence.groups import with_more_groups
from tlogic.evidence.lists import with_more_lists, with_rooms
from tlogic.evidence.tables import (
    Table,
    add_key,
    emptied,
    has_room,
    joint_key,
    larger_table,
    n_keys,
    new_table,
)
from tlogic.graph.arrays import Ints
from tlogic.graph.facts import Facts

_SPARE = 2  # groups, which are asked for with every fact


class Rooms(NamedTuple):
    """The number of records of each list."""

    slots_of_entity: Ints
    slots_of_relation: Ints
    partners: Ints
    edges: Ints
    targets_of_slot: Ints
    triples_of_pair: Ints


class Tables(NamedTuple):
    """The keys of slots, triples and pairs."""

    slot: Table
    triple: Table
    pair: Table


def with_room_for(memory: EventMemory, facts: Facts) -> EventMemory:
    """A memory without events, with room for exactly these facts."""
    n, n_entities = len(facts.time), len(memory.entity_key)
    rooms = Rooms(
        np.zeros(n_entities, np.int64),
        np.zeros(len(memory.relation_key), np.int64),
        np.zeros(n_entities, np.int64),
        np.zeros(n_entities, np.int64),
        np.zeros(2 * n, np.int64),  # what is not used is not touched
        np.zeros(n, np.int64),
    )
    tables, done = Tables(new_table(), new_table(), new_table()), 0
    while done < n:
        tables = Tables(*(table if has_room(table, _SPARE) else larger_table(table) for table in tables))
        done = _count(*facts[:3], done, tables, rooms)
    n_slots, n_triples, n_pairs = (int(n_keys(table)) + _SPARE for table in tables)
    targets = with_more_lists(memory.targets_of_slot, n_slots)
    of_pair = with_more_lists(memory.triples_of_pair, n_pairs)
    return memory._replace(
        slot=emptied(tables.slot),
        triple=emptied(tables.triple),
        pair=emptied(tables.pair),
        slots=with_more_groups(memory.slots, n_slots),
        triples=with_more_groups(memory.triples, n_triples),
        pairs=with_more_groups(memory.pairs, n_pairs),
        slots_of_entity=with_rooms(memory.slots_of_entity, rooms.slots_of_entity),
        slots_of_relation=with_rooms(memory.slots_of_relation, rooms.slots_of_relation),
        partners=with_rooms(memory.partners, rooms.partners),
        edges=with_rooms(memory.edges, rooms.edges),
        targets_of_slot=with_rooms(targets, _padded(rooms.targets_of_slot, n_slots)),
        triples_of_pair=with_rooms(of_pair, _padded(rooms.triples_of_pair, n_pairs)),
    )


def _padded(rooms: Ints, n: int) -> Ints:
    """The first rooms, and none for lists behind them."""
    padded = np.zeros(n, np.int64)
    padded[: len(rooms)] = rooms[:n]
    return padded


@kernel
def _count(subject: Ints, relation: Ints, object: Ints, first: int, tables: Tables, rooms: Rooms) -> int:
    """Count from a fact on until a table is full; return the index of the next fact. `add_facts` numbers them alike."""
    for i in range(first, len(subject)):
        if not (has_room(tables.slot, _SPARE) and has_room(tables.triple, _SPARE) and has_room(tables.pair, _SPARE)):
            return i
        s, r, o = int(subject[i]), int(relation[i]), int(object[i])
        n = n_keys(tables.slot)
        slot = add_key(tables.slot, joint_key(s, 2 * r))
        rooms.slots_of_entity[s] += slot == n
        rooms.slots_of_relation[2 * r] += slot == n
        n = n_keys(tables.slot)
        back_slot = add_key(tables.slot, joint_key(o, 2 * r + 1))
        rooms.slots_of_entity[o] += back_slot == n
        rooms.slots_of_relation[2 * r + 1] += back_slot == n
        n = n_keys(tables.pair)
        pair = add_key(tables.pair, joint_key(min(s, o), max(s, o)))
        rooms.partners[s] += pair == n
        rooms.partners[o] += pair == n and s != o
        n = n_keys(tables.triple)
        is_new = add_key(tables.triple, joint_key(slot, o)) == n
        rooms.targets_of_slot[slot] += is_new
        rooms.targets_of_slot[back_slot] += is_new
        rooms.triples_of_pair[pair] += is_new
        rooms.edges[s] += 1
        rooms.edges[o] += 1
    return len(subject)
