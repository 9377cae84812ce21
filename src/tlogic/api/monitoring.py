"""Functions for events that nobody asked about: outlook, watch, surprises, changes, backtest."""

from typing import TYPE_CHECKING, Any

from tlogic.api.learning import load
from tlogic.api.warn import warn_of_known_facts, warn_of_misfit
from tlogic.checks import check_count
from tlogic.errors import InputError, SettingsError
from tlogic.files import StrPath

if TYPE_CHECKING:
    from tlogic.evaluation import Backtest
    from tlogic.execution import Progress
    from tlogic.graph import TemporalGraph
    from tlogic.models import Model
    from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
    from tlogic.monitoring import Changes, Outlook, Surprises, Watchlist


def outlook(
    graph: "TemporalGraph",
    model: "Model | StrPath",
    *,
    entity: str | None = None,
    other: str | None = None,
    relation: str | None = None,
    at: str | int | None = None,
    horizon: str | int = 1,
    top: int = 20,
    new: bool = False,
    threads: int | None = None,
    progress: "Progress | None" = None,
) -> "Outlook":
    """List the events that are most likely within a period, with the probability of each.

    Args:
        graph: The graph that holds the facts.
        model: A fitted model, or the path of a model file.
        entity: Only events of this entity, as subject or object.
        other: Only events between the entity and this one.
        relation: Only events of this relation. With an entity and another one, the event is exactly that: the entity
            does it to the other one.
        at: The first date of the period; by default the time step after the last fact.
        horizon: The length of the period: a number of time steps, or a span such as "7d".
        top: How many events to list.
        new: Whether to list only events that never happened before.
        threads: How many threads to use; None for one per core.
        progress: Shows the progress of learning from many facts.

    Returns:
        The events, the most probable first; ``Outlook.explain`` explains them.

    Raises:
        InputError: If a name is unknown, if there are no facts before the date, or if a setting is out of range.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["popularity"])
        >>> likely = tlogic.outlook(graph, model, entity="Kite Aviation", horizon="7d", top=3)
        >>> len(likely), likely.since, likely.until
        (3, '2030-03-02', '2030-03-08')
    """
    from tlogic.execution import Execution
    from tlogic.monitoring.outlook import outlook_of, outlook_query, patterns_of

    patterns = patterns_of(entity, other, relation)
    query = outlook_query(graph, patterns, at=at, horizon=horizon, top=top, new=new)
    loaded = _load_model(model)
    warn_of_misfit(graph, loaded, [query.step])
    return outlook_of(_occurrence_forecaster(graph, loaded, query.step), query, Execution(threads, progress=progress))


def watch(
    graph: "TemporalGraph",
    model: "Model | StrPath",
    queries: Any,
    *,
    at: str | int | None = None,
    horizon: str | int = 1,
    top: int = 20,
    new: bool = False,
    threads: int | None = None,
    progress: "Progress | None" = None,
) -> "Watchlist":
    """Give the outlooks of many triples, full or with open parts.

    Args:
        graph: The graph that holds the facts.
        model: A fitted model, or the path of a model file.
        queries: A list of (subject, relation, object), or a data frame with these columns; None for what is open.
        at: The first date of the period; by default the time step after the last fact.
        horizon: The length of the period: a number of time steps, or a span such as "7d".
        top: How many events to list for a triple with open parts.
        new: Whether to list only events that never happened before.
        threads: How many threads to use; None for one per core.
        progress: Shows how many triples are done.

    Returns:
        One outlook per triple.

    Raises:
        InputError: If a name is unknown, if there are no facts before the date, or if a setting is out of range.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["popularity"])
        >>> watched = tlogic.watch(graph, model, [("Kite Aviation", "sue", "Orchard Foods")], horizon="7d")
        >>> watched.frame["probability"][0] < 0.5
        True
    """
    from tlogic.execution import Execution
    from tlogic.forecasting.queries import query_step
    from tlogic.monitoring.watchlist import watch as watch_triples
    from tlogic.monitoring.watchlist import watched_triples

    loaded, step = _load_model(model), query_step(graph, at)
    warn_of_misfit(graph, loaded, [step])
    forecaster = _occurrence_forecaster(graph, loaded, step)
    execution = Execution(threads, progress=progress)
    triples = watched_triples(queries)
    return watch_triples(forecaster, triples, at=at, horizon=horizon, top=top, new=new, execution=execution)


def surprises(
    graph: "TemporalGraph",
    model: "Model | StrPath",
    *,
    since: str | int,
    top: int = 20,
    threads: int | None = None,
    progress: "Progress | None" = None,
) -> "Surprises":
    """Find the events since a date that were least probable beforehand, and likely events that failed to happen.

    Args:
        graph: The graph that holds the facts.
        model: A fitted model, or the path of a model file.
        since: The first date of the period, which lasts until the last fact.
        top: How many of both to list.
        threads: How many threads to use; None for one per core.
        progress: Shows how many time steps are done.

    Returns:
        The events, each with the probability that it had the time step before; ``Surprises.explain`` explains them.

    Raises:
        InputError: If there are no facts before the date, or none since.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["popularity"])
        >>> found = tlogic.surprises(graph, model, since="2030-02-25", top=5)
        >>> found.events.height, found.missing.height
        (5, 5)
    """
    from tlogic.execution import Execution
    from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
    from tlogic.monitoring.surprises import find_surprises

    check_count(top, "The number of events to list")
    loaded, first = _load_model(model), graph.timeline.step_of(since)
    warn_of_misfit(graph, loaded, [first])
    forecaster = OccurrenceForecaster.over_time(graph, loaded)
    return find_surprises(forecaster, first, graph.end, top, Execution(threads, progress=progress))


def changes(
    graph: "TemporalGraph",
    model: "Model | StrPath | None" = None,
    *,
    since: str | int,
    top: int = 10,
    horizon: str | int | None = None,
    threads: int | None = None,
    progress: "Progress | None" = None,
) -> "Changes":
    """Find the entities, pairs and relations whose rate of events changed most.

    With a model, also those whose probability changed most: that of at least one event within a horizon, from the first
    date of the period, and from the time step after the last fact.

    Args:
        graph: The graph that holds the facts.
        model: A fitted model, or the path of a model file; None to compare rates only.
        since: The first date of the period of interest, which lasts until the last fact. It is compared to the time
            before: up to four times as long.
        top: How many changes of each kind to list.
        horizon: The horizon of the probabilities: a number of time steps, or a span such as "7d"; by default 1.
        threads: How many threads to use; None for one per core.
        progress: Shows the progress of learning from many facts.

    Returns:
        The changes with rates and probabilities before and after, ranked by the better of their positions by rate and
        by probability; ``Changes.explain`` explains them.

    Raises:
        InputError: If there are no facts before the date, or none since, or if the horizon is out of range.
        SettingsError: If there is a horizon without a model.

    Example:
        >>> import tlogic
        >>> found = tlogic.changes(tlogic.sample(), since="2031-03-01", top=3)
        >>> found.frame["kind"].to_list()
        ['entity', 'entity', 'entity', 'pair', 'pair', 'pair', 'relation', 'relation', 'relation']
    """
    from tlogic.execution import Execution
    from tlogic.models.occurrence.horizons import parse_horizon
    from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
    from tlogic.monitoring.changes import find_changes

    check_count(top, "The number of events to list")
    first = graph.timeline.step_of(since)
    if model is None:
        if horizon is not None:
            raise SettingsError("A horizon needs a model, which gives the probabilities.")
        return find_changes(graph, first, graph.end, top)
    steps = parse_horizon(graph.timeline, 1 if horizon is None else horizon)
    loaded = _load_model(model)
    warn_of_misfit(graph, loaded, [first])
    forecaster = OccurrenceForecaster.over_time(graph, loaded)
    return find_changes(graph, first, graph.end, top, forecaster, steps, Execution(threads, progress=progress))


def backtest(
    graph: "TemporalGraph",
    model: "Model | StrPath",
    *,
    split: str = "test",
    since: str | int | None = None,
    every: int = 1,
    threads: int | None = None,
    progress: "Progress | None" = None,
) -> "Backtest":
    """Measure how good the probabilities of events are: forecast each time step of a period from the facts before it.

    Args:
        graph: The graph that holds the period and the history before it.
        model: A fitted model, or the path of a model file.
        split: The period: "valid" or "test".
        since: The first date of another period, which lasts until the last fact.
        every: Forecast from every n-th time step only.
        threads: How many threads to use; None for one per core.
        progress: Shows how many time steps are done.

    Returns:
        Average precision, Brier skill and calibration per horizon, for recurring and new events, with a comparison to
        decayed counts, a reliability table and the largest misses.

    Raises:
        SettingsError: If ``every`` is below 1.
        InputError: If the period has no facts, or if there are none before it.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["popularity"])
        >>> measured = tlogic.backtest(graph, model, every=3)
        >>> measured.frame["average_precision"][0] > measured.frame["best_count"][0]
        True
    """
    from tlogic.evaluation import Origins, backtest_model
    from tlogic.execution import Execution
    from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster

    loaded = _load_model(model)
    if since is None:
        origins = Origins.of_split(graph, split, every)
    else:
        origins = Origins.since(graph, graph.timeline.step_of(since), every)
    warn_of_known_facts(graph, loaded, origins.facts, origins.first)
    forecaster = OccurrenceForecaster.over_time(graph, loaded)
    return backtest_model(forecaster, origins, Execution(threads, progress=progress))


def _occurrence_forecaster(graph: "TemporalGraph", model: "Model", step: int) -> "OccurrenceForecaster":
    """A model, ready to judge events from a time step on."""
    from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster

    if step >= graph.end:
        return OccurrenceForecaster(graph, model)
    return OccurrenceForecaster.over_time(graph, model)


def _load_model(model: "Model | StrPath") -> "Model":
    from tlogic.models import Model

    loaded = load(model)
    if not isinstance(loaded, Model):
        raise InputError("Rules rank candidates, but give no probabilities of events; fit a model.")
    return loaded
