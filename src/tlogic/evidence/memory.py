"""Memory: what a model knows of the past. All events so far, and what its families of evidence learned from them.

Events come in order of time, some at a time. What an event teaches depends on what came before its time step only, so
it can be learned at once, in any order within the step.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from tlogic.evidence.answer_history import answer_histories
from tlogic.evidence.candidate_selection import (
    Proposals,
    QueryContext,
    StepQueries,
    most_popular,
    select_candidates,
)
from tlogic.evidence.event_memory import EventMemory, add_facts, new_event_memory, with_names
from tlogic.evidence.family import Family, StepEvents
from tlogic.evidence.groups import LATEST, N_EARLIER, N_LATEST
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.evidence.registry import FAMILIES
from tlogic.evidence.reservation import with_room_for
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.facts import NO_FACTS, Facts
from tlogic.graph.hashing import mixed_hashes
from tlogic.names import INVERSE_MARK, name_keys


class Evidence(NamedTuple):
    """The evidence of some queries of one time step."""

    query: Ints
    """The position of each query among those that were asked."""
    context: QueryContext
    values: Floats
    """One row per candidate, one column per kind of evidence; nan where there is none."""
    history: Floats
    """One row per query: how many answers it had before."""


class Memory:
    """All events so far, and what families of evidence learned from them.

    Args:
        settings: What determines it, besides the facts.
    """

    def __init__(self, settings: MemorySettings) -> None:
        self.settings = settings
        self.events = new_event_memory(np.array(settings.half_lives), settings.max_events)
        self.families: dict[str, Family] = {name: FAMILIES[name]() for name in settings.families}
        """The families by name, with what they have learned."""
        self.newest_facts: Facts = NO_FACTS
        """The facts of the newest time step."""

    @property
    def newest(self) -> int:
        """The newest time step with events; -1 if there are none."""
        return int(self.events.newest[0])

    @property
    def n_entities(self) -> int:
        """The number of entities."""
        return len(self.events.entity_key)

    @property
    def n_relations(self) -> int:
        """The number of relations, without their inverses."""
        return len(self.events.relations)

    @property
    def n_facts(self) -> int:
        """The number of facts."""
        return int(self.events.relations[:, N_LATEST].sum())

    def add_names(self, entities: Sequence[str], relations: Sequence[str]) -> None:
        """Add entities and relations, which get the next ids."""
        both = [name for relation in relations for name in (relation, relation + INVERSE_MARK)]
        self.events = with_names(self.events, name_keys(entities), name_keys(both))
        nothing = step_events(self.events, self.newest, NO_FACTS, _flags(NO_FACTS))
        for family in self.families.values():
            family.observe(self.events, entities, nothing)
            family.learn(self.events, nothing, 1)  # which makes room for the relations

    def reserve(self, facts: Facts) -> None:
        """Make room for facts that will be added to an empty memory, in this order."""
        self.events = with_room_for(self.events, facts)

    def add(self, facts: Facts, heads: Ints | None = None, pool: Executor | None = None) -> None:
        """Take in new facts and learn from them.

        Args:
            facts: Facts in order of time, none before the newest time step, and none known before.
            heads: The relations, numbered as in the memory, for whose queries families learn; None for all.
            pool: Families learn side by side in its threads.
        """
        steps, starts = np.unique(facts.time, return_index=True)
        bounds = np.append(starts, len(facts.time))
        for now, first, end in zip(steps.tolist(), bounds[:-1], bounds[1:], strict=True):
            self._add_step(now, Facts(*(column[first:end] for column in facts)), heads, pool)

    def _add_step(self, now: int, facts: Facts, heads: Ints | None, pool: Executor | None) -> None:
        known = self.newest_facts if now == self.newest else NO_FACTS
        self.events, flags = add_facts(self.events, facts)
        self.newest_facts = Facts(*(np.concatenate(pair) for pair in zip(known, facts, strict=True)))
        events = step_events(self.events, now, facts, flags)
        for family in self.families.values():
            family.observe(self.events, (), events)
        self._learn(events if heads is None else _of_heads(events, heads), 1, pool)

    def _learn(self, events: StepEvents, times: int, pool: Executor | None = None) -> None:
        families = [family for family in self.families.values() if family.state is not None]
        if pool is None:
            for family in families:
                family.learn(self.events, events, times)
        else:
            families.sort(key=lambda family: family.learning_cost, reverse=True)
            list(pool.map(lambda family: family.learn(self.events, events, times), families))

    @contextmanager
    def before(self, now: int, heads: Ints) -> Iterator[None]:
        """Inside the context, nothing is learned from the queries of some relations at a time step or later.

        Raises:
            ValueError: If the time step is before the newest one.
        """
        if now < self.newest:
            raise ValueError(f"the memory has events of time step {self.newest}, after {now}")
        if now > self.newest:
            yield
            return
        facts = self.newest_facts
        events = _of_heads(step_events(self.events, now, facts, _flags(facts)), heads)
        self._learn(events, -1)
        try:
            yield
        finally:
            self._learn(events, 1)

    def popular(self, relations: Ints, now: int, pool: Executor | None = None) -> Ints:
        """The most popular objects of relations before a time step; threads of a pool may find them."""
        found: Ints = most_popular(self.events, relations, now, pool.map if pool else map)
        return found

    def evidence(self, now: int, query: Ints, subject: Ints, relation: Ints, popular: Ints) -> Evidence:
        """The evidence of queries at a time step, for which the memory is ready.

        Args:
            now: The time step, not before the newest one.
            query: The positions of the queries among those that were asked.
            subject: Their subjects.
            relation: Their relations, numbered as in the memory.
            popular: Per relation of the memory: its popular objects.
        """
        order = np.lexsort((relation, subject))
        queries = StepQueries(now, subject[order].astype(np.int64), relation[order].astype(np.int64))
        context = select_candidates(self.events, queries, popular, self._proposals(queries))
        widths = [len(family.columns) for family in self.families.values()]
        # One more column, and two rows for a single candidate, so that kernels always get arrays with gaps and are
        # compiled for those alone: numpy calls an array with one row or none contiguous.
        n = len(context.candidate)
        values = np.empty((max(n, 2), sum(widths) + 1), np.float32)[:, :-1]
        columns = np.split(values, np.cumsum(widths)[:-1], axis=1)
        for family, own in zip(self.families.values(), columns, strict=True):
            if n:
                family.extract(self.events, context, own)
        history = answer_histories(self.events, now, queries.subject, queries.relation, context.slot)
        return Evidence(query[order], context, values[:n], history)

    def _proposals(self, queries: StepQueries) -> Proposals:
        """The candidates that families propose, those of the first family first."""
        n = len(queries.subject)
        query: list[Ints] = [np.empty(0, np.int64)]
        entity: list[Ints] = [np.empty(0, np.int32)]
        for family in self.families.values():
            proposed = family.propose(self.events, queries)
            if proposed is not None:
                query.append(np.repeat(np.arange(n), np.diff(proposed.start)))
                entity.append(proposed.entity)
        own = np.concatenate(query)
        start = np.append(0, np.cumsum(np.bincount(own, minlength=n))).astype(np.int64)
        return Proposals(start, np.concatenate(entity)[np.argsort(own, kind="stable")])


def step_events(memory: EventMemory, now: int, facts: Facts, flags: Bools) -> StepEvents:
    """The facts of one time step as edges in both directions, with flags per fact from `add_facts`."""
    source = np.concatenate([facts.subject, facts.object]).astype(np.int64)
    order = np.argsort(source, kind="stable")
    relation = np.concatenate([2 * facts.relation.astype(np.int64), 2 * facts.relation.astype(np.int64) + 1])
    target = np.concatenate([facts.object, facts.subject]).astype(np.int64)
    forward, backward, new_relation = flags.T
    return StepEvents(
        now,
        source[order],
        relation[order],
        target[order],
        np.concatenate([forward, backward])[order],
        np.concatenate([backward, forward])[order],
        np.concatenate([new_relation, new_relation])[order],
        _draws(memory, now, source[order], relation[order]),
    )


def _draws(memory: EventMemory, now: int, source: Ints, relation: Ints) -> Floats:
    """Random numbers of queries, by hashes of their names: from 0 to the number of earlier facts of the relation."""
    groups = memory.relations[relation >> 1]
    n_before = np.where(groups[:, LATEST] < now, groups[:, N_LATEST], groups[:, N_EARLIER])
    hashes = mixed_hashes([memory.entity_key[source], memory.relation_key[relation], np.full(len(source), now)])
    return hashes / 2.0**64 * n_before


def _flags(facts: Facts) -> Bools:
    """The flags that all facts of a time step have when they are added to a memory at once."""
    flags = np.zeros((len(facts.time), 3), np.bool_)
    ends = (facts.subject, facts.object, np.zeros_like(facts.subject))
    for column, end in enumerate(ends):
        key = (end.astype(np.int64) << 32) | facts.relation
        flags[np.unique(key, return_index=True)[1], column] = True
    return flags


def _of_heads(events: StepEvents, heads: Ints) -> StepEvents:
    own = np.isin(events.relation, heads)
    columns: Any = (column[own] for column in events[1:])
    return StepEvents(events.now, *columns)
