"""LiveRuleForecaster: rules over a graph that grows. New facts count for the next query."""

from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from itertools import compress
from typing import Any, TypeVar

import numpy as np

from tlogic.compilation import kernel
from tlogic.execution import Execution
from tlogic.forecasting.answers import ScoredQueries
from tlogic.forecasting.application import QueryBatch, Scored, new_workspace
from tlogic.forecasting.grounding.join_cache import clear_join_cache, new_join_cache
from tlogic.forecasting.grounding.recent_triples import clear_recent_triples, new_recent_triples
from tlogic.forecasting.grounding.visible_facts import VisibleFacts
from tlogic.forecasting.rule_forecaster import BaseRuleForecaster, Worker
from tlogic.forecasting.rule_groundings import RuleGroundings, concatenate_groundings
from tlogic.forecasting.settings import ApplicationSettings
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.binary_search import find_within
from tlogic.graph.facts import NO_FACTS
from tlogic.graph.growing_index import visible_at
from tlogic.graph.live_graph import LiveGraph
from tlogic.graph.triples import build_triple_index
from tlogic.rules import Rule, RuleSet

Result = TypeVar("Result")

_MAX_CACHED_JOINS = 1 << 15  # what is remembered serves until the next change, and forgetting it must be cheap
_ANY_RELATION = -1


class LiveRuleForecaster(BaseRuleForecaster):
    """Answers queries over a growing graph with one rule set. Many threads may use it while the graph does not change.

    >>> from tlogic.forecasting.queries import Query, encode_queries
    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> forecaster = LiveRuleForecaster(LiveGraph.of(graph), tlogic.learn(graph, lengths=(1,)))
    >>> [answers] = forecaster.answer(encode_queries(forecaster.graph, [Query("Kite Aviation", "sue")]), top=1)
    >>> answers.by, len(answers.entity)
    ('rules', 1)
    """

    graph: LiveGraph

    def __init__(self, graph: LiveGraph, rules: RuleSet, settings: ApplicationSettings | None = None) -> None:
        super().__init__(graph, rules, settings or ApplicationSettings(), LiveFallback(graph))
        self._relations = graph.relations

    @property
    def is_up_to_date(self) -> bool:
        """Do the relations that rules were encoded with, and the limit of groundings, still fit the graph?"""
        limit = self.settings.limit_for(len(self.graph))
        return self._relations is self.graph.relations and self.book.limit == limit

    def map_scored(
        self, queries: QueryBatch, function: Callable[[ScoredQueries], Result], execution: Execution = Execution()
    ) -> Iterator[Result]:
        """Score a batch that is sorted by time with one idle worker: the graph may not change until that is done."""

        def score(batch: QueryBatch) -> Result:
            with self.worker() as worker:
                return function(ScoredQueries(np.arange(len(batch.time)), worker(batch)))

        return iter(execution.follow(map(score, [queries]), 1, "queries"))

    def without(self, rules: Collection[Rule]) -> "LiveRuleForecaster":
        """The same forecaster with some rules switched off."""
        off = set(rules)
        keep = np.array([rule not in off for rule in self.rules], np.bool_)
        plans, kept_before = self.book.plans, np.append(0, np.cumsum(keep))
        fewer = copy(self)
        fewer.rules = list(compress(self.rules, keep))
        fewer.book = self.book._replace(
            plans=plans._replace(
                head_start=kept_before[plans.head_start],
                **{name: getattr(plans, name)[keep] for name in ("confidence", "kind", "first", "back", "part")},
            )
        )
        return fewer

    def new_worker(self) -> "LiveWorker":
        """A worker with scratch memory of its own; it serves one thread."""
        return LiveWorker(self)


class LiveWorker(Worker):
    """A worker that reads the current state of its graph before it answers."""

    def __init__(self, forecaster: LiveRuleForecaster) -> None:
        self._graph, self.book = forecaster.graph, forecaster.book
        self._triples = build_triple_index(NO_FACTS, 0, 0)
        self._n_entities = 0
        self._updated_for = self._size = (-1, -1)

    def __call__(self, queries: QueryBatch) -> Scored:
        """The scored candidates of queries that are sorted by time."""
        return _concatenate([super(LiveWorker, self).__call__(part) for part in self._parts(queries)])

    def ground(self, queries: QueryBatch) -> RuleGroundings:
        """The groundings of each rule of each query, for queries that are sorted by time."""
        return concatenate_groundings([super(LiveWorker, self).ground(part) for part in self._parts(queries)])

    def _parts(self, queries: QueryBatch) -> Iterator[QueryBatch]:
        """Queries with the same visible facts, after these were made visible."""
        until = np.minimum(queries.visible_until, self._graph.end)
        queries = queries._replace(visible_until=until)
        for part in np.split(np.arange(len(until)), np.flatnonzero(np.diff(until)) + 1):
            self._update(int(until[part[0]]) if len(part) else self._graph.end)
            yield QueryBatch(*(column[part] for column in queries))

    def _update(self, until: int) -> None:
        """Make the facts before a time visible, as the graph is now; clear caches that were filled from other facts."""
        graph = self._graph
        if self._n_entities < graph.entity_capacity or len(self._work.grounding.subject_slot) != len(graph.relations):
            self._allocate()
        size = len(graph.index.slot_relation), len(graph.index.target)
        if self._size != size:
            self._size = size
            self._replace(recent=new_recent_triples(*size, self.book.limit, graph.entity_rank))
        if self._updated_for != (graph.version, until):
            self._replace(visible=_visible_facts(graph, until))
            clear_join_cache(self._work.grounding.join_cache)
            clear_recent_triples(self._work.grounding.recent)
            self._replace(recent=self._work.grounding.recent._replace(rank=graph.entity_rank))
            self._updated_for = (graph.version, until)

    def _allocate(self) -> None:
        graph = self._graph
        self._n_entities = graph.entity_capacity
        self._work = new_workspace(self._triples, self._n_entities, len(graph.relations), self.book)
        self._replace(join_cache=new_join_cache(self._n_entities, len(graph.index.target), _MAX_CACHED_JOINS))
        self._updated_for = self._size = (-1, -1)

    def _replace(self, **parts: Any) -> None:
        self._work = self._work._replace(grounding=self._work.grounding._replace(**parts))


def _visible_facts(graph: LiveGraph, until: int) -> VisibleFacts:
    index = graph.index
    n_times, newest, slot_newest = index.n_times, index.newest, index.slot_newest
    if until < graph.end:
        n_times, newest, slot_newest = visible_at(index, until)
    return VisibleFacts(
        slot_start=index.slot_start,
        slot_end=index.slot_end,
        slot_relation=index.slot_relation,
        triple_start=index.triple_start,
        triple_end=index.triple_end,
        target=index.target,
        time_start=index.time_start,
        time=index.time,
        n_times=n_times,
        newest=newest,
        slot_newest=slot_newest,
        n_visible=np.zeros(1, np.int64),
        until=np.array([until], np.int64),
    )


def _concatenate(parts: Sequence[Scored]) -> Scored:
    if len(parts) == 1:
        return parts[0]
    sizes = np.concatenate([np.diff(part.start) for part in parts])
    entity, score, n_rules = (np.concatenate([getattr(part, name) for part in parts]) for name in Scored._fields[1:])
    return Scored(np.append(0, np.cumsum(sizes)), entity, score, n_rules)


class LiveFallback:
    """The share of each entity among the objects of a relation, counted over all facts before a query."""

    def __init__(self, graph: LiveGraph) -> None:
        self._graph = graph

    def of(self, relation: int, time: int) -> tuple[Ints, Floats]:
        """The objects of a relation with their shares; those of all relations if it never occurred."""
        graph = self._graph
        visible, n_entities = _visible_facts(graph, min(time, graph.end)), len(graph.entities)
        counts = _count_objects(visible, n_entities, graph.relations.inverse_of(relation))
        if not counts.any():
            counts = _count_objects(visible, n_entities, _ANY_RELATION)
        seen = np.flatnonzero(counts)
        return seen.astype(np.int32), counts[seen] / max(counts.sum(), 1)


@kernel
def _count_objects(visible: VisibleFacts, n_entities: int, inverse: int) -> Ints:
    """How often each entity was the object of a relation, given by its inverse, or of any relation."""
    count = np.zeros(n_entities, np.int64)
    for entity in range(n_entities):
        first, end = visible.slot_start[entity], visible.slot_end[entity]
        if inverse != _ANY_RELATION:
            slot = find_within(visible.slot_relation, first, end, inverse)
            first, end = slot, slot + (slot >= 0)
        for slot in range(first, end):
            for triple in range(visible.triple_start[slot], visible.triple_end[slot]):
                count[entity] += visible.n_times[triple]
    return count
