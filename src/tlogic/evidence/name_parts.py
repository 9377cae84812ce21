"""Parts of names: "Police (India)" has the kind "Police" and the place "India".

The place of a name without parentheses, such as "Barack Obama", is the one of most of its partners so far. Only earlier
events are used for that, and each name is parsed alone, so later facts do not change the place at an earlier time.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.evidence.entity_edges import EntityEdges
from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import first_at_least
from tlogic.graph.sorting import run_starts

_STRUCTURED = re.compile(r"(?P<kind>.*\S)\s*\((?P<place>[^()]+)\)\s*")
UNKNOWN = -1
PLAIN, PLACE_ITSELF = 0, 1
"""The kinds of names without parentheses; the second if the name is that of the entity's place."""


class NameParts(NamedTuple):
    """The kinds and places of entities; for plain names, the places inferred from partners, as they changed."""

    place: Ints
    """Per entity: the place in its name, or -1."""
    kind: Ints
    own_place: Ints
    """Per entity: the place of the same name, or -1."""
    start: Ints
    """Per entity: the index of its first change of place."""
    time: Ints
    """Per change: the time after which it holds."""
    changed: Ints
    """Per change: the new place."""
    member_start: Ints
    member: Ints
    """Per place: the entities that have it in their names."""


def parse_names(names: Iterable[str], entity_edges: EntityEdges) -> NameParts:
    """Parse names, and infer the places of plain names from the partners of their entities."""
    kinds, places = {"": PLAIN, " ": PLACE_ITSELF}, dict[str, int]()
    place, kind, plain = [], [], []
    for name in names:
        found = _STRUCTURED.fullmatch(name)
        place.append(places.setdefault(found["place"], len(places)) if found else UNKNOWN)
        kind.append(kinds.setdefault(found["kind"], len(kinds)) if found else PLAIN)
        plain.append("" if found else name)
    own_place = np.array([places.get(name, UNKNOWN) for name in plain], np.int32)
    named = np.array(place, np.int32)
    members = np.flatnonzero(named != UNKNOWN)
    members = members[np.argsort(named[members], kind="stable")].astype(np.int32)
    return NameParts(
        named,
        np.array(kind, np.int32),
        own_place,
        *_places_of_partners(entity_edges, named, max(len(places), 1)),
        member_start=run_starts(named[members], len(places)),
        member=members,
    )


@njit(cache=True, nogil=True)
def _places_of_partners(entity_edges: EntityEdges, place: Ints, n_places: int) -> tuple[Ints, Ints, Ints]:
    """Per entity with a plain name: when another place became the most frequent among its partners, and which."""
    start = np.zeros(len(place) + 1, np.int64)
    time, changed = np.empty_like(entity_edges.time), np.empty_like(entity_edges.time)
    count = np.zeros(n_places, np.int64)
    n = 0
    for entity in range(len(place)):
        if place[entity] == UNKNOWN:
            count[:] = 0
            best = UNKNOWN
            for i in range(entity_edges.start[entity], entity_edges.start[entity + 1]):
                other = place[entity_edges.target[i]]
                if other != UNKNOWN:
                    count[other] += 1
                    if best == UNKNOWN or count[other] > count[best]:
                        if other != best:
                            time[n], changed[n] = entity_edges.time[i], other
                            n += 1
                        best = other
        start[entity + 1] = n
    return start, time[:n].copy(), changed[:n].copy()


@njit(cache=True, nogil=True)
def place_of(name_parts: NameParts, entity: int, now: int) -> int:
    """The place of an entity from its name, or from its partners before now; -1 if unknown."""
    if name_parts.place[entity] != UNKNOWN:
        return name_parts.place[entity]
    after = first_at_least(name_parts.time, name_parts.start[entity], name_parts.start[entity + 1], now)
    return name_parts.changed[after - 1] if after > name_parts.start[entity] else UNKNOWN


@njit(cache=True, nogil=True)
def kind_of(name_parts: NameParts, entity: int, place: int) -> int:
    """The kind of an entity with a given place."""
    if place != UNKNOWN and name_parts.own_place[entity] == place:
        return PLACE_ITSELF
    return name_parts.kind[entity]
