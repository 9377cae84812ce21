"""Monitor: which events are likely, which were surprising, what changed, and how good the probabilities were."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tlogic.errors import InputError
from tlogic.evaluation import Origins, backtest_model
from tlogic.forecasting.forecast_warnings import forecast_warnings
from tlogic.forecasting.queries import query_step
from tlogic.graph.live_graph import LiveGraph
from tlogic.models.occurrence.horizons import parse_horizon
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
from tlogic.monitoring.change_explanation import ChangeExplanation
from tlogic.monitoring.change_groups import KINDS
from tlogic.monitoring.changes import Changes, find_changes
from tlogic.monitoring.outlook import Names, outlook_of, outlook_query, patterns_of
from tlogic.monitoring.surprises import find_surprises
from tlogic.monitoring.watchlist import encode_watchlist, watch
from tlogic.serving import schemas
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.predictors import Predictor
from tlogic.serving.engine.responses import MAX_FACTS, backtest_schema, changes_schema, outlook_schema, surprises_schema
from tlogic.serving.engine.time_limit import NO_LIMIT, TimeLimit
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.store.encoded_events import MAX_STEPS_AHEAD

MAX_FORECAST_STEPS = 100
"""Surprises and backtests forecast from up to so many time steps: all known triples are judged at each of them."""


class Monitor:
    """Answers what is likely next, what was surprising and what changed, and how good the probabilities were.

    Args:
        live_store: The events in memory.
        versions: The stored versions and the one in use.

    Example:
        >>> service.monitor.changes("2030-04-24", top=1).changes[0].kind
        'entity'
    """

    def __init__(self, live_store: LiveStore, versions: VersionManager) -> None:
        self._live_store, self._versions = live_store, versions

    @property
    def has_occurrence(self) -> bool:
        """Whether the version in use gives probabilities of events."""
        return self._versions.predictor.has_occurrence

    def outlook(
        self,
        entity: str | None = None,
        other: str | None = None,
        relation: str | None = None,
        at: schemas.Time | None = None,
        *,
        horizon: str | int = 1,
        top: int = 20,
        new: bool = False,
        when: bool = False,
        explain: bool = False,
        limit: TimeLimit = NO_LIMIT,
    ) -> schemas.Outlook:
        """List the events that are most likely within a period, as `tlogic.outlook` does.

        Args:
            entity: Only events of this entity, as subject or object.
            other: Only events between the entity and this one.
            relation: Only events of this relation. With both entities, the event is exactly that: the first one does
                it to the other one.
            at: The first date of the period; by default, the time step after the last event.
            horizon: The length of the period: a number of time steps, or a span such as "7d".
            top: The number of events to return.
            new: Whether to return only events that never happened before.
            when: Whether to return the probability by date of each event.
            explain: Whether to explain each event.
            limit: The time until which the request may work.

        Returns:
            The events, the most probable first.

        Raises:
            InputError: If a name is unknown, a setting is out of range, or rules are in use.

        Example:
            >>> found = service.monitor.outlook("Kite Aviation", horizon="7d", top=3)
            >>> len(found.events), found.since, found.until
            (3, '2030-05-01', '2030-05-07')
        """
        _check_number_of_explanations(top, explain)
        patterns = patterns_of(entity, other, relation)
        with self._forecaster(at, limit) as (forecaster, predictor):
            query = outlook_query(forecaster.graph, patterns, at=at, horizon=horizon, top=top, new=new)
            found = outlook_of(forecaster, query, limit.execution)
            return outlook_schema(found, predictor, when=when, explain=explain)

    def watch(self, watchlist: schemas.Watchlist, limit: TimeLimit = NO_LIMIT) -> list[schemas.Outlook]:
        """Give the outlooks of many triples, full or with open parts, as `tlogic.watch` does.

        Args:
            watchlist: The triples and the period.
            limit: The time until which the request may work.

        Returns:
            One outlook per triple, in the order given.

        Raises:
            InputError: If a name is unknown, a setting is out of range, or rules are in use.

        Example:
            >>> from tlogic.serving.schemas import WatchedTriple, Watchlist
            >>> sues = WatchedTriple(subject="Kite Aviation", relation="sue")
            >>> [outlook] = service.monitor.watch(Watchlist(triples=[sues], horizon="7d", top=2))
            >>> [event.relation for event in outlook.events]
            ['sue', 'sue']
        """
        names: list[Names] = [(each.subject, each.relation, each.object) for each in watchlist.triples]
        n_events = sum(watchlist.top if None in each else 1 for each in names)
        _check_number_of_explanations(n_events, watchlist.explain)
        if n_events > schemas.MAX_WATCHED_EVENTS:
            raise InputError(
                f"These triples have up to {n_events:,} events; a response may have {schemas.MAX_WATCHED_EVENTS:,}. "
                "Send fewer triples, or ask for fewer events of each."
            )
        self._check_triples(names, watchlist)
        # One at a time, because events that arrive wait meanwhile.
        return [self._watched(each, watchlist, limit) for each in names]

    def surprises(
        self, since: schemas.Time, *, top: int = 20, explain: bool = False, limit: TimeLimit = NO_LIMIT
    ) -> schemas.Surprises:
        """Find events that were improbable beforehand, and likely ones that failed to happen, as `tlogic.surprises`.

        Args:
            since: The first date of the period, which lasts until the last event.
            top: The number of both to return.
            explain: Whether to explain each event.
            limit: The time until which the request may work.

        Returns:
            The events, each with the probability that it had on its date.

        Raises:
            InputError: If there are no events before the date or none since, if the period is too long, if there are
                too many events to explain, or if rules are in use.

        Example:
            >>> found = service.monitor.surprises("2030-04-24", top=5)
            >>> len(found.events), len(found.missing)
            (5, 5)
        """
        _check_number_of_explanations(2 * top, explain)
        with self._live_store.reading() as graph:
            predictor = self._versions.predictor
            past = predictor.past_occurrence(graph)
            _check_period(graph, since, 1, "surprises")
        with past.forecaster(limit) as forecaster:
            fixed = forecaster.graph
            start = fixed.timeline.step_of(since)
            found = find_surprises(forecaster, start, fixed.end, top, limit.execution)
            explanations = found.explain_all(MAX_FACTS, limit.execution.progress) if explain else None
            return surprises_schema(found, explanations, predictor, fixed, start)

    def backtest(self, since: schemas.Time, *, every: int = 1, limit: TimeLimit = NO_LIMIT) -> schemas.Backtest:
        """Measure how good the probabilities of events were in a period, as `tlogic.backtest` does.

        Args:
            since: The first date of the period, which lasts until the last event.
            every: Forecast from every n-th time step only.
            limit: The time until which the request may work.

        Returns:
            The figures for recurring and new events, a table of reliability, and the largest misses.

        Raises:
            InputError: If there are no events before the date or none since, if there are too many time steps, or if
                rules are in use.

        Example:
            >>> measured = service.monitor.backtest("2030-04-24", every=3)
            >>> measured.time_steps, measured.figures[0].horizon, measured.figures[0].kind
            (3, 1, 'recurring')
        """
        with self._live_store.reading() as graph:
            predictor = self._versions.predictor
            past = predictor.past_occurrence(graph)
            _check_period(graph, since, every, "backtest")
        with past.forecaster(limit) as forecaster:
            fixed = forecaster.graph
            origins = Origins.since(fixed, fixed.timeline.step_of(since), every)
            measured = backtest_model(forecaster, origins, limit.execution)
            return backtest_schema(measured, predictor, fixed, origins)

    def changes(
        self,
        since: schemas.Time,
        *,
        top: int = 10,
        horizon: str | int | None = None,
        explain: bool = False,
        limit: TimeLimit = NO_LIMIT,
    ) -> schemas.Changes:
        """Find the entities, pairs and relations whose rate or probability changed most, as `tlogic.changes` does.

        Args:
            since: The first date of the period of interest, which lasts until the last event.
            top: The number of changes of each kind to return.
            horizon: The horizon of the probabilities; None to compare rates only.
            explain: Whether to explain each change by the events behind it.
            limit: The time until which the request may work.

        Returns:
            The changes with the values before and after, the largest first.

        Raises:
            InputError: If there are no events before the date, or none since, or if there are too many changes to
                explain. With a horizon, also if it is out of range, or if rules are in use.

        Example:
            >>> sorted({change.kind for change in service.monitor.changes("2030-04-24").changes})
            ['entity', 'pair', 'relation']
        """
        _check_number_of_explanations(len(KINDS) * top, explain, "changes")
        with self._live_store.reading() as graph:
            predictor, first = self._versions.predictor, graph.timeline.step_of(since)
            if horizon is None:
                found = find_changes(graph, first, graph.end, top)
                return changes_schema(found, _explanations(found, explain, limit), [])
            steps, past = parse_horizon(graph.timeline, horizon), predictor.past_occurrence(graph)
        with past.forecaster(limit) as forecaster:
            fixed = forecaster.graph
            first = fixed.timeline.step_of(since)
            found = find_changes(fixed, first, fixed.end, top, forecaster, steps, limit.execution)
            warnings = forecast_warnings(fixed, predictor.kind, predictor.data, [first])
            return changes_schema(found, _explanations(found, explain, limit), warnings)

    def _check_triples(self, names: list[Names], watchlist: schemas.Watchlist) -> None:
        """Report an invalid triple before any is judged."""
        with self._live_store.reading() as graph:
            self._versions.predictor.occurrence(graph)
            encode_watchlist(graph, names, **_settings(watchlist))

    def _watched(self, names: Names, watchlist: schemas.Watchlist, limit: TimeLimit) -> schemas.Outlook:
        limit.check()
        with self._forecaster(watchlist.at, limit) as (forecaster, predictor):
            [found] = watch(forecaster, [names], **_settings(watchlist), execution=limit.execution)
            return outlook_schema(found, predictor, when=watchlist.when, explain=watchlist.explain)

    @contextmanager
    def _forecaster(
        self, at: schemas.Time | None, limit: TimeLimit
    ) -> Iterator[tuple[OccurrenceForecaster, Predictor]]:
        """Judges events from a time on, over the live graph or, for a time in the past, over a copy of it."""
        with self._live_store.reading() as graph:
            predictor = self._versions.predictor
            if query_step(graph, at, MAX_STEPS_AHEAD) >= graph.end:
                yield predictor.occurrence(graph), predictor
                return
            past = predictor.past_occurrence(graph)
        with past.forecaster(limit) as forecaster:
            yield forecaster, predictor


def _settings(watchlist: schemas.Watchlist) -> dict[str, Any]:
    return {"at": watchlist.at, "horizon": watchlist.horizon, "top": watchlist.top, "new": watchlist.new}


def _check_period(graph: LiveGraph, since: schemas.Time, every: int, command: str) -> None:
    """Report a period with more time steps to forecast from than the service goes through."""
    n_steps = -(-(graph.end - graph.timeline.step_of(since)) // max(every, 1))
    if n_steps > MAX_FORECAST_STEPS and graph.end > MAX_FORECAST_STEPS * every:
        first = graph.timeline.label_of(graph.end - MAX_FORECAST_STEPS * every)
        raise InputError(
            f"The period since {since} has {n_steps:,} time steps to forecast from; the service goes through up to "
            f"{MAX_FORECAST_STEPS}. Give {first} or a later date, or use the command `tlogic {command}`."
        )


def _explanations(changes: Changes, explain: bool, limit: TimeLimit) -> list[ChangeExplanation] | None:
    return changes.explain_all(progress=limit.execution.progress) if explain else None


def _check_number_of_explanations(n_items: int, explain: bool, noun: str = "events") -> None:
    if explain and n_items > schemas.MAX_EXPLAINED_EVENTS:
        raise InputError(
            f"{n_items:,} {noun} are too many to explain; a request may explain up to {schemas.MAX_EXPLAINED_EVENTS}. "
            f"Ask for fewer {noun}."
        )
