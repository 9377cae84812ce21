"""Parts of names: "Police (India)" has the kind "Police" and the place "India".

The place of a name without parentheses, such as "Barack Obama", is the one of most of its partners so far. Only earlier
events are used for that, and each name is parsed alone, so later facts do not change the place at an earlier time.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.evidence.lists import Lists, append, can_extend, new_lists, with_more_lists, with_more_records
from tlogic.evidence.tables import Table, add_key, has_room, joint_key, larger_table, n_keys, new_table
from tlogic.graph.arrays import Ints
from tlogic.names import name_keys

_STRUCTURED = re.compile(r"(?P<kind>.*\S)\s*\((?P<place>[^()]+)\)\s*")
UNKNOWN = -1
PLAIN, PLACE_ITSELF = 0, 1
"""The kinds of names without parentheses; the second if the name is that of the entity's place."""
_NEVER = -1


class NameParts(NamedTuple):
    """The kinds and places of entities; for plain names, the places inferred from partners."""

    place: Ints
    """Per entity: the place in its name, or -1."""
    kind: Ints
    own_place: Ints
    """Per entity: the place of the same name, or -1."""
    inferred: Ints
    """Per entity: the place of most partners, the time step since when, and the place before that step."""
    kind_key: Ints
    """Per kind: a hash of it."""
    place_key: Ints
    """Per place: a hash of its name, which breaks ties."""
    members: Lists
    """Per place: the entities that have it in their names, twice."""
    seen: Table
    """From entity and place to the number of a count."""
    n_seen: Ints
    """Per entity and place: how many events the entity had with partners of that place."""


def new_name_parts() -> NameParts:
    """The parts of no names."""
    nothing = np.empty(0, np.int32)
    return NameParts(
        nothing,
        nothing,
        nothing,
        np.empty((0, 3), np.int32),
        name_keys(["", " "]),  # the kinds of plain names
        np.empty(0, np.int64),
        new_lists(0, 2),
        new_table(),
        np.zeros(0, np.int32),
    )


class NameParser:
    """Parses names one after the other; equal kinds and places get equal numbers.

    Args:
        parts: The parts of earlier names.
        entity_key: Per entity: the hash of its name.
    """

    def __init__(self, parts: NameParts, entity_key: Ints) -> None:
        self._kinds = {key: kind for kind, key in enumerate(parts.kind_key.tolist())}
        self._places = {key: place for place, key in enumerate(parts.place_key.tolist())}
        plain = np.flatnonzero(parts.place == UNKNOWN)
        self._plain: dict[int, int] = dict(zip(entity_key[plain].tolist(), plain.tolist(), strict=True))

    def add(self, parts: NameParts, names: Sequence[str]) -> NameParts:
        """The parts of further names, after the earlier ones."""
        n_known, n_kinds, n_places = len(parts.place), len(self._kinds), len(self._places)
        place, kind = np.full(len(names), UNKNOWN, np.int32), np.full(len(names), PLAIN, np.int32)
        matches = [_STRUCTURED.fullmatch(name) for name in names]
        kind_keys = name_keys([match["kind"] if match else "" for match in matches]).tolist()
        place_keys = name_keys(
            [match["place"] if match else n for match, n in zip(matches, names, strict=True)]
        ).tolist()
        for i, (match, kind_key, place_key) in enumerate(zip(matches, kind_keys, place_keys, strict=True)):
            if match:
                place[i] = self._places.setdefault(place_key, len(self._places))
                kind[i] = self._kinds.setdefault(kind_key, len(self._kinds))
            else:
                self._plain[place_key] = n_known + i
        new_kinds, new_places = list(self._kinds)[n_kinds:], list(self._places)[n_places:]
        own_place = np.append(parts.own_place, np.full(len(names), UNKNOWN, np.int32))
        for key in {*new_places, *place_keys}:
            if key in self._plain and key in self._places:
                own_place[self._plain[key]] = self._places[key]
        inferred = np.tile(np.array([UNKNOWN, _NEVER, UNKNOWN], np.int32), (len(names), 1))
        parts = parts._replace(
            place=np.append(parts.place, place),
            kind=np.append(parts.kind, kind),
            own_place=own_place,
            inferred=np.concatenate([parts.inferred, inferred]),
            kind_key=np.append(parts.kind_key, np.array(new_kinds, np.int64)),
            place_key=np.append(parts.place_key, np.array(new_places, np.int64)),
            members=with_more_lists(parts.members, len(self._places)),
        )
        return _with_members(parts, n_known)


def _with_members(parts: NameParts, first: int) -> NameParts:
    """Add entities from an id on to the members of their places."""
    done = first
    while done < len(parts.place):
        done = _add_members(parts.members, parts.place, done)
        if done < len(parts.place):
            parts = parts._replace(members=with_more_records(parts.members, 1))
    return parts


@kernel
def _add_members(members: Lists, place: Ints, first: int) -> int:
    for entity in range(first, len(place)):
        if not can_extend(members, 1):
            return entity
        if place[entity] != UNKNOWN:
            append(members, place[entity], entity, entity)
    return len(place)


def with_partners(parts: NameParts, source: Ints, target: Ints, now: int) -> NameParts:
    """Take in the edges of one time step, in both directions."""
    done = 0
    while done < len(source):
        done = _add_partners(parts, source, target, now, done)
        if done < len(source):
            seen, n = parts.seen, int(n_keys(parts.seen))
            n_seen = np.zeros(2 * n + 64, np.int32)
            n_seen[:n] = parts.n_seen[:n]
            parts = parts._replace(seen=seen if has_room(seen, 1) else larger_table(seen), n_seen=n_seen)
    return parts


@kernel
def _add_partners(parts: NameParts, source: Ints, target: Ints, now: int, first: int) -> int:
    """Count the places of partners until there is no room; return the index of the next edge."""
    for i in range(first, len(source)):
        entity, place = source[i], parts.place[target[i]]
        if parts.place[entity] != UNKNOWN or place == UNKNOWN:
            continue
        if not has_room(parts.seen, 1) or n_keys(parts.seen) == len(parts.n_seen):
            return i
        own = add_key(parts.seen, joint_key(entity, place))
        parts.n_seen[own] += 1
        best = parts.inferred[entity, 0]
        if best == place:
            continue
        most = parts.n_seen[add_key(parts.seen, joint_key(entity, best))] if best != UNKNOWN else 0
        n = parts.n_seen[own]
        if n > most or (n == most and parts.place_key[place] < parts.place_key[best]):
            if parts.inferred[entity, 1] < now:
                parts.inferred[entity, 2], parts.inferred[entity, 1] = best, now
            parts.inferred[entity, 0] = place
    return len(source)


@kernel
def place_of(parts: NameParts, entity: int, now: int) -> int:
    """The place of an entity from its name, or from its partners before now; -1 if unknown."""
    if parts.place[entity] != UNKNOWN:
        return parts.place[entity]
    return parts.inferred[entity, 0] if parts.inferred[entity, 1] < now else parts.inferred[entity, 2]


@kernel
def kind_of(parts: NameParts, entity: int, place: int) -> int:
    """The kind of an entity with a given place."""
    if place != UNKNOWN and parts.own_place[entity] == place:
        return PLACE_ITSELF
    return parts.kind[entity]
