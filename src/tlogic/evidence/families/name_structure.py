"""Names: from which places, and of which kinds, are the objects of subjects from this place and of this kind?

Places and kinds are parts of names such as "Police (India)". How often they meet under the relation is counted at every
query. The most active entities from the place of the subject are proposed as candidates.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.evidence.candidate_selection import Proposals, QueryContext, StepQueries, take_strongest
from tlogic.evidence.event_memory import EventMemory
from tlogic.evidence.family import CountingFamily, StepEvents
from tlogic.evidence.groups import moment_before, weight_at
from tlogic.evidence.lists import indexes_of, size_of
from tlogic.evidence.name_parts import (
    UNKNOWN,
    NameParser,
    NameParts,
    kind_of,
    new_name_parts,
    place_of,
    with_partners,
)
from tlogic.evidence.statements import Case, Statement, percent
from tlogic.evidence.tables import Table, add_key, has_room, larger_table, n_keys, new_table, number_of
from tlogic.graph.arrays import Floats, Ints, borrowed
from tlogic.graph.hashing import splitmix64

_PRIOR = 5.0  # answers that the expected rate is worth
_MAX_PROPOSED = 2000  # entities per query
_ALL, _SAME, _FROM, _TO, _BETWEEN, _KIND_FROM, _KIND_BETWEEN, _OBJECT, _KIND_TO = range(9)
_N_KEYS = 9


class NameCounts(NamedTuple):
    """How often places and kinds met, by relation."""

    key: Table
    """From the keys of ``_key`` to numbers."""
    n: Ints


class NameState(NamedTuple):
    """The parts of names, and how often they met."""

    parts: NameParts
    counts: NameCounts


@kernel
def _extract(state: NameState, context: QueryContext, out: Floats) -> None:
    """Fill one row per candidate."""
    state, context, out = borrowed(state), borrowed(context), borrowed(out)
    for q in range(len(context.subject)):
        own = slice(context.start[q], context.start[q + 1])
        _fill(
            state.parts,
            state.counts,
            context.relation[q],
            context.subject[q],
            context.now,
            context.candidate[own],
            out[own],
        )


@helper
def _fill(parts: NameParts, counts: NameCounts, r: int, subject: int, now: int, candidates: Ints, out: Floats) -> None:
    """Fill the rows of one query."""
    here = place_of(parts, subject, now)
    kind = kind_of(parts, subject, here)
    same = _rate(counts, _key(r, _SAME, 0, 0), _key(r, _ALL, 0, 0), 0.5)
    for p in range(len(candidates)):
        c = candidates[p]
        there = place_of(parts, c, now)
        its_kind = kind_of(parts, c, there)
        alike = here == there and here != UNKNOWN
        expected = same if alike else (1.0 - same) * _rate(counts, _key(r, _TO, there, 0), _key(r, _ALL, 0, 0), 0.0)
        place = _rate(counts, _key(r, _BETWEEN, here, there), _key(r, _FROM, here, 0), expected)
        of_kind = _rate(counts, _key(r, _KIND_BETWEEN, kind, 2 * its_kind + alike), _key(r, _KIND_FROM, kind, 0), 0.0)
        of_place = _rate(counts, _key(r, _OBJECT, c, 0), _key(r, _TO, there, 0), 0.0)
        within = _rate(counts, _key(r, _OBJECT, c, 0), _key(r, _KIND_TO, its_kind, there), 0.0)
        out[p, 0] = np.nan if UNKNOWN in (here, there) else alike
        out[p, 1], out[p, 2], out[p, 3], out[p, 4] = place, of_kind, of_place, within
        out[p, 5], out[p, 6] = place * of_place, of_kind * within


@kernel
def _learn(parts: NameParts, counts: NameCounts, events: StepEvents, first: int, times: int) -> int:
    """Count the places and kinds of subjects and answers until there is no room; return the next event."""
    now = events.now
    for i in range(first, len(events.source)):
        if not has_room(counts.key, _N_KEYS) or n_keys(counts.key) + _N_KEYS > len(counts.n):
            return i
        r, subject, answer = events.relation[i], events.source[i], events.target[i]
        here, there = place_of(parts, subject, now), place_of(parts, answer, now)
        kind, its_kind = kind_of(parts, subject, here), kind_of(parts, answer, there)
        alike = here == there and here != UNKNOWN
        if alike:
            _count(counts, _key(r, _SAME, 0, 0), times)
        _count(counts, _key(r, _ALL, 0, 0), times)
        _count(counts, _key(r, _FROM, here, 0), times)
        _count(counts, _key(r, _TO, there, 0), times)
        _count(counts, _key(r, _BETWEEN, here, there), times)
        _count(counts, _key(r, _KIND_FROM, kind, 0), times)
        _count(counts, _key(r, _KIND_BETWEEN, kind, 2 * its_kind + alike), times)
        _count(counts, _key(r, _OBJECT, answer, 0), times)
        _count(counts, _key(r, _KIND_TO, its_kind, there), times)
    return len(events.source)


@helper
def _rate(counts: NameCounts, hits: int, fires: int, expected: float) -> float:
    """The share of one count in another, shrunk towards an expected rate."""
    return (_n(counts, hits) + _PRIOR * expected) / (_n(counts, fires) + _PRIOR)


@helper
def _n(counts: NameCounts, key: int) -> int:
    number = number_of(counts.key, key)
    return counts.n[number] if number >= 0 else 0


@helper
def _count(counts: NameCounts, key: int, times: int) -> None:
    counts.n[add_key(counts.key, key)] += times


@helper
def _key(relation: int, what: int, one: int, other: int) -> int:
    """A hash of what is counted, so long that no two are the same."""
    mixed = splitmix64(np.uint64(relation * _N_KEYS + what + 1))
    mixed = splitmix64(mixed ^ np.uint64(one + 2))
    key: Any = np.int64(splitmix64(mixed ^ np.uint64(other + 2)) >> np.uint64(1))
    return key


@kernel
def _most_active_of_place(memory: EventMemory, parts: NameParts, queries: StepQueries) -> Proposals:
    """Per query: the entities whose names have the place of the subject, the most active first."""
    memory, parts = borrowed(memory), borrowed(parts)
    start = np.zeros(len(queries.subject) + 1, np.int64)
    proposed = np.empty(_MAX_PROPOSED, np.int32)
    for q in range(len(queries.subject)):
        n, place = 0, place_of(parts, queries.subject[q], queries.now)
        size = size_of(parts.members, place)
        entity, activity = np.empty(size, np.int32), np.empty(size, np.float32)
        for i in indexes_of(parts.members, place):
            moment = moment_before(memory.entities, parts.members.record[i, 0], queries.now)
            if moment >= 0:
                entity[n] = parts.members.record[i, 0]
                activity[n] = weight_at(memory.decay, memory.entities, entity[n], moment, queries.now)
                n += 1
        if start[q] + _MAX_PROPOSED > len(proposed):
            proposed = np.append(proposed, np.empty_like(proposed))
        n_kept = min(n, _MAX_PROPOSED)
        take_strongest(entity[:n], activity[:n], memory.entity_key, proposed[start[q] : start[q] + n_kept])
        start[q + 1] = start[q] + n_kept
    return Proposals(start, proposed[: start[-1]].copy())


class NameStructure(CountingFamily):
    """Places and kinds in names."""

    claim = "the names of {subject} and {candidate} fit together"
    columns = ("same place", "place", "kind", "share of place", "share of kind", "place and share", "kind and share")
    by_default = False

    def __init__(self) -> None:
        self.state = NameState(new_name_parts(), NameCounts(new_table(), np.zeros(0, np.int32)))
        self._parser: NameParser | None = None

    def observe(self, memory: EventMemory, names: Sequence[str], events: StepEvents) -> None:
        """Parse new names, and count the places of partners."""
        parts = self.state.parts
        if names:
            self._parser = self._parser or NameParser(parts, memory.entity_key)
            parts = self._parser.add(parts, names)
        self.state = self.state._replace(parts=with_partners(parts, events.source, events.target, events.now))

    def _count(self, memory: EventMemory, events: StepEvents, first: int, times: int) -> int:  # noqa: ARG002
        return int(_learn(self.state.parts, self.state.counts, events, first, times))

    def _make_room(self, memory: EventMemory) -> None:  # noqa: ARG002
        key, n = self.state.counts
        n_known = int(n_keys(key))
        more = np.zeros(2 * n_known + 64, np.int32)
        more[:n_known] = n[:n_known]
        larger = key if has_room(key, _N_KEYS) else larger_table(key)
        self.state = self.state._replace(counts=NameCounts(larger, more))

    def extract(self, memory: EventMemory, context: QueryContext, out: Floats) -> None:  # noqa: ARG002
        """Fill how well the places and kinds of subject and candidates go together."""
        _extract(self.state, context, out)

    def propose(self, memory: EventMemory, queries: StepQueries) -> Proposals:
        """The most active entities from the place of the subject."""
        proposed: Proposals = _most_active_of_place(memory, self.state.parts, queries)
        return proposed

    def describe(self, case: Case) -> Statement:
        """The rates of the place and of the candidate within it."""
        if "same place" not in case.values:
            return Statement(
                f"the places of {case.subject} and {case.candidate} are not both known from names", has_evidence=False
            )
        place, of_place = (
            percent(case.values[name]) if case.values[name] else "none" for name in ("place", "share of place")
        )
        return Statement(
            f"of {case.events_of(f'entities from the place of {case.subject}')}, {place} have their {case.role} in the "
            f"place of {case.candidate}; of all {case.relation} events with their {case.role} there, {of_place} are "
            f"with {case.candidate}",
            case.answers(),
        )
