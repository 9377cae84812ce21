"""Service: forecasts, explanations, events and rules, as the HTTP API, the page and the client need them."""

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tlogic.forecasting import Query
from tlogic.forecasting.forecast import Candidate
from tlogic.forecasting.queries import encode_queries, query_step
from tlogic.graph.live_graph import LiveGraph
from tlogic.models import CountedRule
from tlogic.names import INVERSE_MARK
from tlogic.rules import Rule
from tlogic.rules.selection import Sort, select_rules, sort_rules
from tlogic.serving import schemas
from tlogic.serving.engine.board import Board
from tlogic.serving.engine.entity_history import (
    count_events,
    entity_history,
    facts_of,
    latest_facts,
    relation_counts,
    relation_rates,
)
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.monitor import Monitor
from tlogic.serving.engine.predictors import Predictor, forecast_each
from tlogic.serving.engine.responses import explanation_schema, forecast_schema, query_schema, rule_schema, words_of
from tlogic.serving.engine.time_limit import NO_LIMIT, TimeLimit
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.store.encoded_events import MAX_STEPS_AHEAD
from tlogic.version import __version__

_MAX_OUTLOOK_RELATIONS = 12
_EPSILON = 1e-16


class Service:
    """Answers queries over a live store with the rules or the model of the version in use.

    Args:
        live_store: The events in memory.
        versions: The stored versions and the one in use.

    Attributes:
        live_store: The events in memory.
        versions: The stored versions and the one in use.
        monitor: What is likely next, what was surprising and what changed.
        board: The same about the last time steps, and the latest events, computed once for all who ask.

    Example:
        >>> service.health().status
        'ok'
    """

    def __init__(self, live_store: LiveStore, versions: VersionManager) -> None:
        self.live_store, self.versions = live_store, versions
        self.monitor, self.board = Monitor(live_store, versions), Board(self)
        self._counts_by_version: tuple[int, Any] = (-1, None)

    # Events

    def add(self, events: Sequence[schemas.Event]) -> schemas.AddResult:
        """Add a batch of events: all of them, or none if one is invalid.

        Args:
            events: The events.

        Returns:
            The number of new events, of events that were already stored, and of all events.

        Raises:
            InvalidEventsError: If an event is invalid.
            StoreError: If the database fails.

        Example:
            >>> from tlogic.serving.schemas import Event
            >>> service.add([Event(subject="Eskar", relation="visit", object="Corvania", time="2030-04-30")]).added
            1
        """
        result = self.live_store.add(self.live_store.store.check([event.model_dump() for event in events]))
        self.versions.catch_up()
        with self.live_store.reading() as graph:
            return schemas.AddResult(added=result.added, known=result.known, total=len(graph))

    def events(self, entity: str, other: str | None, offset: int, limit: int) -> schemas.EventPage:
        """List the events of an entity, or between two entities, newest first.

        Args:
            entity: The entity.
            other: A second entity, or None for all events of the first.
            offset: The number of events to skip.
            limit: The maximum number of events to return.

        Returns:
            The events, and their total number.

        Raises:
            UnknownNameError: If an entity is unknown.

        Example:
            >>> len(service.events("Kite Aviation", None, 0, 5).events)
            5
        """
        with self.live_store.reading() as graph:
            entity_id = graph.entities.id_of(entity)
            history = entity_history(graph, entity_id, None if other is None else graph.entities.id_of(other))
            part = type(history)(*(column[offset : offset + limit] for column in history))
            facts = [schemas.Fact(**fact._asdict()) for fact in facts_of(graph, entity_id, part)]
            return schemas.EventPage(total=len(history.time), offset=offset, events=facts)

    def latest_events(self, limit: int) -> schemas.EventPage:
        """List the latest events: newest time step first, and within a time step those that arrived last.

        Args:
            limit: The maximum number of events to return.

        Returns:
            The events, and the number of all events.

        Raises:
            InputError: If the store has no events.

        Example:
            >>> service.latest_events(3).events[0].time
            '2030-04-30'
        """
        with self.live_store.reading() as graph:
            facts = [schemas.Fact(**fact._asdict()) for fact in latest_facts(graph, limit)]
            return schemas.EventPage(total=len(graph), offset=0, events=facts)

    # Names

    def entities(self, text: str, limit: int) -> schemas.EntityPage:
        """Search entities by name.

        Args:
            text: Words of a name, or initials. If it is empty, the entities with the most events are returned.
            limit: The maximum number of entities to return.

        Returns:
            The entities, best matches first.

        Raises:
            InputError: If the store has no events.

        Example:
            >>> service.entities("kite", 1).entities[0].name
            'Kite Aviation'
        """
        with self.live_store.reading() as graph:
            counts, last, _ = self._counts(graph)
            entities, timeline = graph.entities, graph.timeline
        found = [
            schemas.Entity(
                name=entities.name_of(entity),
                events=int(counts[entity]),
                last=timeline.label_of(int(last[entity])) if last[entity] >= 0 else None,
            )
            for entity in entities.index.search(text, limit, counts)
        ]
        return schemas.EntityPage(total=len(counts), entities=found)

    def relations(self, text: str, limit: int) -> schemas.RelationPage:
        """Search relations by name.

        Args:
            text: Words of a name, or initials. If it is empty, the relations with the most events are returned.
            limit: The maximum number of relations to return.

        Returns:
            The relations, best matches first.

        Raises:
            InputError: If the store has no events.

        Example:
            >>> service.relations("sue", 1).relations[0].name
            'sue'
        """
        with self.live_store.reading() as graph:
            _, _, counts = self._counts(graph)
            relations = graph.relations
        found = [
            schemas.Relation(name=relations.name_of(relation), events=int(counts[relation]))
            for relation in relations.index.search(text, limit, counts)
        ]
        return schemas.RelationPage(total=len(counts), relations=found)

    def relations_of(self, entity: str) -> tuple[list[schemas.Relation], list[schemas.Relation]]:
        """List the relations that an entity has events of.

        Args:
            entity: The entity.

        Returns:
            The relations of its events as subject, and as object, each with the most frequent first.

        Raises:
            UnknownNameError: If the entity is unknown.

        Example:
            >>> as_subject, as_object = service.relations_of("Kite Aviation")
            >>> as_subject[0].name
            'bid_for'
        """
        with self.live_store.reading() as graph:
            counts = relation_counts(graph, graph.entities.id_of(entity))
            rank, n_relations = graph.relation_rank, len(graph.relations.base)
            ordered = sorted(counts, key=lambda relation: (-counts[relation], rank[relation]))
            name = graph.relations.name_of
            as_subject = [schemas.Relation(name=name(r), events=counts[r]) for r in ordered if r < n_relations]
            inverse = [r - n_relations for r in ordered if r >= n_relations]
            as_object = [schemas.Relation(name=name(r), events=counts[r + n_relations]) for r in inverse]
            return as_subject, as_object

    # Forecasts

    def forecast(self, query: schemas.Query, top: int = 10, limit: TimeLimit = NO_LIMIT) -> schemas.Forecast:
        """Rank the candidates for a query.

        Args:
            query: The query.
            top: The number of candidates to return.
            limit: When to stop.

        Returns:
            The candidates, best first.

        Raises:
            InputError: If the query is invalid, has an unknown name, or the store has no events.
            TimeLimitError: If it takes too long.

        Example:
            >>> from tlogic.serving.schemas import Query
            >>> service.forecast(Query(subject="Kite Aviation", relation="sue")).by
            'rules'
        """
        return self.forecasts([query], top, limit)[0]

    def forecasts(
        self, queries: Sequence[schemas.Query], top: int = 10, limit: TimeLimit = NO_LIMIT
    ) -> list[schemas.Forecast]:
        """Rank the candidates for several queries, all with the same version and events.

        Args:
            queries: The queries.
            top: The number of candidates to return for each query.
            limit: When to stop.

        Returns:
            The forecasts, in the order of the queries.

        Raises:
            InputError: If a query is invalid, has an unknown name, or the store has no events.
            TimeLimitError: If it takes too long.

        Example:
            >>> from tlogic.serving.schemas import Query
            >>> len(service.forecasts([Query(subject="Kite Aviation", relation="sue")] * 2))
            2
        """
        with self._forecaster(queries, limit) as (forecaster, predictor, converted):
            pairs = zip(converted, (query.without for query in queries), strict=True)
            forecasts = forecast_each(predictor, forecaster, list(pairs), top, limit)
            return [forecast_schema(forecaster.graph, predictor, *each) for each in forecasts]

    def explain(
        self, query: schemas.Query, candidate: str, n: int = 1, limit: TimeLimit = NO_LIMIT
    ) -> schemas.Explanation:
        """Explain the score and rank of a candidate.

        Args:
            query: The query.
            candidate: The entity to explain.
            n: The maximum number of groundings, or facts, per reason.
            limit: When to stop.

        Returns:
            The reasons: rules with the facts they rely on, or the evidence of a model.

        Raises:
            InputError: If the query is invalid, has an unknown name, or the store has no events.
            TimeLimitError: If it takes too long.

        Example:
            >>> from tlogic.serving.schemas import Query
            >>> query = Query(subject="Kite Aviation", relation="sue")
            >>> service.explain(query, service.forecast(query).candidates[0].name).rank
            1
        """
        with self._forecaster([query], limit) as (forecaster, predictor, [converted]):
            found = predictor.explain(forecaster, converted, candidate, query.without, n, limit)
            return explanation_schema(found, predictor)

    def expected_events(self, entity: str, at: schemas.Time | None = None, limit: int = 10) -> schemas.ExpectedEvents:
        """Rank likely next events of an entity by rules, over all relations.

        The likelihoods rank events; they are no probabilities. With a model, `Monitor.outlook` gives probabilities.

        Args:
            entity: The entity.
            at: The time; by default, the time step after the last event.
            limit: The maximum number of events to return.

        Returns:
            The expected events, most likely first.

        Raises:
            InputError: If the entity or the time is unknown, or the store has no events.

        Example:
            >>> len(service.expected_events("Kite Aviation", limit=3).expected)
            3
        """
        with self._reading() as (graph, predictor):
            entity_id = graph.entities.id_of(entity)
            name, now = graph.entities.name_of(entity_id), query_step(graph, at, MAX_STEPS_AHEAD)
            rank = graph.relation_rank
            rates = sorted(relation_rates(graph, entity_id, now).items(), key=lambda pair: (-pair[1], rank[pair[0]]))
            rates = [(relation, rate) for relation, rate in rates[:_MAX_OUTLOOK_RELATIONS] if rate > 0.0]
            label = graph.timeline.label_of(now)
            queries = [_query_about(graph, name, relation, label) for relation, _ in rates]
            forecaster = predictor.forecaster(graph)
            forecasts = predictor.forecast(forecaster, queries, schemas.MAX_CANDIDATES, (), NO_LIMIT)
            expected = [
                event
                for query, candidates, (_, rate) in zip(queries, forecasts, rates, strict=True)
                for event in _expected_events(query, candidates, rate, limit)
            ]
            expected.sort(key=lambda event: -event.likelihood)
            return schemas.ExpectedEvents(entity=name, at=label, expected=expected[:limit], version=predictor.version)

    # Rules

    def rules(
        self,
        *,
        head: str | None,
        words: str,
        lengths: Collection[int],
        min_confidence: float,
        sort: Sort,
        offset: int,
        limit: int,
    ) -> schemas.RulePage:
        """List the rules in use that match the filters.

        Args:
            head: Only rules whose head is this relation.
            words: Only rules that contain all these words.
            lengths: Only rules of these lengths; all if it is empty.
            min_confidence: Only rules with at least this confidence.
            sort: The sort order.
            offset: The number of rules to skip.
            limit: The maximum number of rules to return.

        Returns:
            The rules, and the total number of matching rules.

        If a model is in use, these are the rules that its evidence counts. They have no id: only a whole kind of
        evidence can be switched off.

        Example:
            >>> page = service.rules(
            ...     head="sue", words="", lengths=(), min_confidence=0.0, sort="confidence", offset=0, limit=1
            ... )
            >>> page.rules[0].head
            'sue'
        """
        predictor = self.versions.predictor
        selected = select_rules(predictor.all_rules, head or None, (), lengths, min_confidence)
        wanted = words.casefold().split()
        matching = [rule for rule in sort_rules(selected, sort) if not wanted or _contains(rule, wanted)]
        page = [rule_schema(predictor, rule) for rule in matching[offset : offset + limit]]
        return schemas.RulePage(total=len(matching), offset=offset, rules=page)

    # Status

    def health(self) -> schemas.Health:
        """Get the status of the service and the size of its data.

        Returns:
            The status, the number of events, entities and relations, and the version in use.

        Raises:
            InputError: If there is no version yet.

        Example:
            >>> service.health().kind
            'rules'
        """
        predictor, is_reachable = self.versions.predictor, self.live_store.is_store_reachable()
        size: dict[str, Any] = {"events": 0, "entities": 0, "relations": 0, "first": None, "last": None, "next": None}
        if not self.live_store.is_empty:
            with self.live_store.reading() as graph:
                label = graph.timeline.label_of
                size = {
                    "events": len(graph),
                    "entities": len(graph.entities),
                    "relations": len(graph.relations.base),
                    "first": label(0),
                    "last": label(graph.end - 1),
                    "next": label(graph.end),
                }
        return schemas.Health(
            status="ok" if is_reachable else "store unreachable",
            tlogic=__version__,
            version=predictor.version,
            kind=predictor.kind,
            late_events=self.versions.catch_up(),
            **size,
        )

    @contextmanager
    def _forecaster(
        self, queries: Sequence[schemas.Query], limit: TimeLimit
    ) -> Iterator[tuple[Any, Predictor, list[Query]]]:
        """Answers queries over the live graph, which does not change meanwhile, or over a copy of it.

        Also returns the queries, which have been checked.
        """
        with self._reading() as (graph, predictor):
            converted = to_queries(graph, queries)
            past = predictor.past_forecaster(graph, converted)
            if past is None:
                yield predictor.forecaster(graph), predictor, converted
                return
        with past.forecaster(limit) as forecaster:
            yield forecaster, predictor, converted

    @contextmanager
    def _reading(self) -> Iterator[tuple[LiveGraph, Predictor]]:
        with self.live_store.reading() as graph:
            yield graph, self.versions.predictor

    def _counts(self, graph: LiveGraph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        version, counts = self._counts_by_version
        if version != graph.version:
            version, counts = self._counts_by_version = (graph.version, count_events(graph))
        return counts


def to_queries(graph: LiveGraph, queries: Sequence[schemas.Query]) -> list[Query]:
    """Convert queries of the HTTP API, and check that the graph can answer them."""
    converted = [Query(each.subject, each.relation, each.object, each.at) for each in queries]
    encode_queries(graph, converted, MAX_STEPS_AHEAD)
    return converted


def _query_about(graph: LiveGraph, name: str, relation: int, at: str) -> Query:
    n_relations = len(graph.relations.base)
    if relation < n_relations:
        return Query(name, graph.relations.name_of(relation), None, at)
    return Query(None, graph.relations.name_of(relation - n_relations), name, at)


def _expected_events(
    query: Query, candidates: Sequence[Candidate], rate: float, limit: int
) -> Iterator[schemas.ExpectedEvent]:
    """The first candidates of a query, each weighted by its share of the evidence for all candidates.

    A rule score is 1 minus a noisy-or product, so the evidence for a candidate is minus the logarithm of the product.
    """
    evidence = [-math.log(max(1.0 - candidate.score, _EPSILON)) for candidate in candidates]
    for candidate, weight in zip(candidates[:limit], evidence, strict=False):
        share = weight / max(sum(evidence), _EPSILON) if candidate.probability is None else candidate.probability
        yield schemas.ExpectedEvent(
            question=query_schema(query),
            candidate=candidate.name,
            likelihood=rate * share,
            rate=rate,
            score=candidate.score,
            probability=candidate.probability,
        )


def _contains(rule: Rule | CountedRule, words: Sequence[str]) -> bool:
    text = f"{rule} {words_of(rule)}".casefold().replace("_", " ").replace(INVERSE_MARK, " ")
    return all(word in text for word in words)
