"""The functions of tlogic: read, index, sample, learn, measure, fit, forecast, evaluate, outlook and more.

Only this module decides between rules and models. Below it, both are a ``Forecaster``. Heavy modules are imported
when a function first needs them, so that ``import tlogic`` and ``tlogic --help`` are instant.
"""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from tlogic.errors import InputError, SettingsError
from tlogic.forecasting.settings import ApplicationSettings, Stop
from tlogic.keywords import default, given_keywords, settings_from
from tlogic.learning.settings import Confidence, LearningSettings, Transition
from tlogic.models.settings import FitSettings, ModelKind, TrainOn

if TYPE_CHECKING:
    from tlogic.evaluation import Backtest, Evaluation, Filter
    from tlogic.events.sources.columns import Columns
    from tlogic.events.timeline import Label
    from tlogic.execution import Progress
    from tlogic.explaining import Explanation, ModelExplanation, RuleExplanation
    from tlogic.forecasting import Forecast, Forecaster
    from tlogic.graph import TemporalGraph
    from tlogic.models import Model
    from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
    from tlogic.monitoring import Changes, Outlook, Surprises, Watchlist
    from tlogic.rules import Rule, RuleSet

StrPath = str | os.PathLike[str]


def read(
    source: Any,
    *,
    query: str | None = None,
    valid_from: "Label | None" = None,
    test_from: "Label | None" = None,
    step: str | int | None = None,
    columns: "Columns | None" = None,
    time_zone: str = "UTC",
    skip_bad_rows: bool = False,
) -> "TemporalGraph":
    """Read dated facts and build their graph.

    Args:
        source: A folder with train, valid and test files, one file (text, CSV, Parquet, Arrow), the name of a dataset
            under ``TLOGIC_DATA``, a compiled graph (``tlogic index``), the URL of a database, or a data frame of
            polars, pandas or pyarrow.
        query: What to read from a database: a SELECT statement or the name of a table.
        valid_from: The date at which the validation period begins, if the source is one table.
        test_from: The date at which the test period begins, if the source is one table.
        step: The time step, such as "1d", "1h" or "15m"; found from the data if not given.
        columns: The columns of subject, relation, object and time, as a list of names or positions or as a mapping
            from role to column; recognised by their names if not given.
        time_zone: The time zone to which date-times with zones are converted.
        skip_bad_rows: Whether to leave out rows that cannot be read, instead of raising an error.

    Returns:
        The graph. Its ``report`` lists what was read, with warnings.

    Raises:
        InputError: If the source cannot be read. The message names the file, the line and what was expected.

    Example:
        >>> import polars as pl
        >>> calls = pl.DataFrame({"subject": ["Ann", "Bo"], "relation": ["calls"] * 2, "object": ["Bo", "Ann"],
        ...                       "date": ["2030-01-01", "2030-01-03"]})
        >>> read(calls)
        TemporalGraph(2 facts, 2 entities, 1 relation, 2030-01-01 to 2030-01-03)
    """
    from tlogic.graph.building import read_graph

    return read_graph(
        source,
        query=query,
        valid_from=valid_from,
        test_from=test_from,
        step=step,
        columns=columns,
        time_zone=time_zone,
        skip_bad_rows=skip_bad_rows,
    )


def index(
    graph: "TemporalGraph",
    path: StrPath,
    *,
    source: StrPath | None = None,
    model: "Model | StrPath | None" = None,
    threads: int | None = None,
    progress: "Progress | None" = None,
) -> list[Path]:
    """Write a compiled graph, which ``read`` opens in milliseconds; with a model, also the memory of that model.

    ``forecast`` and ``evaluate`` open the memory beside a compiled graph if they get a model with the same families of
    evidence, half-lives and ``max_events``. Otherwise the model has to learn from all facts first.

    Args:
        graph: The graph to write.
        path: The file to write. An existing file is replaced.
        source: The file or folder that the graph was read from. If given, ``read`` refuses the compiled graph once the
            source has changed.
        model: A fitted model, or the path of a model file. Its memory of all facts is written beside the graph: as
            world.memory beside world.graph. If there is a test period, its memory of the facts before that is written
            as world.test.memory.
        threads: How many threads to use; None for one per core.
        progress: Shows the progress of learning from the facts.

    Returns:
        The files that were written: the compiled graph, then the memories.

    Raises:
        InputError: If a file cannot be written, if a file that is not a memory has the name of one, or if the model
            file cannot be read.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> graph = sample(days=60)
        >>> with TemporaryDirectory() as folder:
        ...     files = index(graph, Path(folder, "world.graph"), model=fit(graph))
        ...     same = read(files[0])
        >>> [file.name for file in files]
        ['world.graph', 'world.test.memory', 'world.memory']
        >>> same.fingerprint == graph.fingerprint
        True
    """
    from tlogic.graph.compiled_graph import write_compiled

    out, origin = Path(path), None if source is None else os.fspath(source)
    if model is None:
        write_compiled(graph, out, origin)
        return [out]
    from tlogic.evidence.graph_memories import check_memories, write_memories
    from tlogic.execution import Execution
    from tlogic.models import Model

    fitted = model if isinstance(model, Model) else Model.load(model)
    check_memories(graph, out)
    write_compiled(graph, out, origin)
    execution = Execution(threads, progress=progress)
    return [out, *write_memories(graph, fitted.memory_settings, out, execution)]


def sample(seed: int = 7, days: int = 450) -> "TemporalGraph":
    """Simulate the sample world, a dataset with known rules.

    Args:
        seed: The seed of the simulation.
        days: How many days of events to simulate.

    Returns:
        The graph of its events.

    Example:
        >>> sample()
        TemporalGraph(11751 facts, 55 entities, 22 relations, 2030-01-01 to 2031-03-26)
    """
    from tlogic.graph.building import sample_graph

    return sample_graph(seed, days)


def learn(
    graph: "TemporalGraph",
    settings: LearningSettings | None = None,
    *,
    lengths: Sequence[int] = default(LearningSettings, "lengths"),
    walks: int = default(LearningSettings, "walks"),
    transition: Transition = default(LearningSettings, "transition"),
    body_samples: int = default(LearningSettings, "body_samples"),
    confidence: Confidence = default(LearningSettings, "confidence"),
    seed: int = default(LearningSettings, "seed"),
    relations: Sequence[str] | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
    checkpoint: StrPath | None = None,
) -> "RuleSet":
    """Learn temporal rules from the training facts of a graph.

    Args:
        graph: The graph to learn from.
        settings: All settings at once, instead of the keywords ``lengths`` to ``seed``.
        lengths: The rule lengths to learn: numbers of body atoms.
        walks: How many temporal walks to sample per head relation and length.
        transition: Whether a walk prefers recent edges ("exp") or not ("unif").
        body_samples: How many bodies to sample per rule to estimate its confidence.
        confidence: Whether confidence is estimated from sampled bodies ("sampled") or counted over all ("exact").
        seed: The seed of all sampling.
        relations: The head relations to learn rules for; None for all relations and their inverses.
        threads: How many threads to use; None for one per core.
        cluster: The address of a Ray cluster, or "auto". The rules are the same as without a cluster.
        progress: Shows the progress of each stage.
        checkpoint: A file that keeps finished work, so that a run that was killed continues from there. It stays
            after the run; delete it once the rules are saved.

    Returns:
        The rules, by head relation and decreasing confidence.

    Raises:
        SettingsError: If a setting is out of range, or if both ``settings`` and keywords are given.
        InputError: If a relation is unknown, or the checkpoint belongs to other data or settings.

    Example:
        >>> rules = learn(sample(), lengths=(1,), relations=["sign_agreement_with"])
        >>> print(rules[0])
        sign_agreement_with(X, Y, T2) <- negotiate_with(X, Y, T1)
    """
    arguments = locals()
    from tlogic.execution import Execution
    from tlogic.learning.learner import learn_rules

    chosen = settings_from(LearningSettings, arguments)
    return learn_rules(graph, chosen, relations, checkpoint, Execution(threads, cluster, progress))


def measure(
    graph: "TemporalGraph",
    rules: "Iterable[Rule] | StrPath",
    *,
    body_samples: int = LearningSettings.body_samples,
    confidence: Confidence = LearningSettings.confidence,
    seed: int = LearningSettings.seed,
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
) -> "RuleSet":
    """Measure the confidence of given rules, such as hand-written ones, on the training facts of a graph.

    A rule that learning found gets the same supports again, given the same settings.

    Args:
        graph: The graph to measure on.
        rules: The rules, or the path of a rule file.
        body_samples: How many bodies to sample per rule.
        confidence: Whether confidence is estimated from sampled bodies ("sampled") or counted over all ("exact").
        seed: The seed of the sampling.
        threads: How many threads to use; None for one per core.
        cluster: The address of a Ray cluster, or "auto". The result is the same as without a cluster.
        progress: Shows the progress of each stage.

    Returns:
        The rules in their order, with supports. Rules whose body never occurs have no confidence and are left out.

    Raises:
        SettingsError: If a setting is out of range.
        InputError: If a rule names a relation that the graph does not have.

    Example:
        >>> from tlogic.rules import parse_rule
        >>> measured = measure(sample(), [parse_rule("sue(X, Y, T2) <- bid_for(Y, X, T1)")])
        >>> 0.3 < measured[0].confidence < 0.5
        True
    """
    from tlogic.execution import Execution
    from tlogic.learning.measurement import measure_rules
    from tlogic.rules import RuleSet

    given = RuleSet.load(rules) if isinstance(rules, str | os.PathLike) else rules
    return measure_rules(graph, given, body_samples, confidence, seed, Execution(threads, cluster, progress))


def fit(
    graph: "TemporalGraph",
    settings: FitSettings | None = None,
    *,
    model: ModelKind = default(FitSettings, "model"),
    names: bool = default(FitSettings, "names"),
    train_on: TrainOn = default(FitSettings, "train_on"),
    evidence: Sequence[str] | None = default(FitSettings, "evidence"),
    max_events: int = default(FitSettings, "max_events"),
    seed: int = default(FitSettings, "seed"),
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
) -> "Model":
    """Fit a model: learn the weights of evidence from past queries with their true answers.

    Args:
        graph: The graph to learn from.
        settings: All settings at once, instead of the keywords ``model`` to ``seed``.
        model: "scorecard" for a sum of weights, "boosted" for a scorecard with trees on top (needs LightGBM).
        names: Whether the structure of entity names, such as "Police (India)", is evidence too.
        train_on: Whether weights are learned from the training facts alone ("train") or also from the validation
            facts ("train+valid").
        evidence: The families of evidence to use, such as ("recurrence", "rules"); None for all but names.
        max_events: How many last events of an entity are searched for evidence, which bounds the cost of entities with
            very many events. Forecasts with the model do the same.
        seed: The seed that chooses the queries and candidates to learn from.
        threads: How many threads to use; None for one per core.
        cluster: The address of a Ray cluster, or "auto". The model is the same as without a cluster.
        progress: Shows how many relations are done.

    Returns:
        The fitted model.

    Raises:
        SettingsError: If a setting is out of range, if both ``settings`` and keywords are given, or if LightGBM is
            missing for a boosted model.
        InputError: If no query has its answer among entities seen before, so that there is nothing to learn from.

    Example:
        >>> fit(sample(days=60))
        Model(85 kinds of evidence, fitted to 1,336 facts)
    """
    arguments = locals()
    from tlogic.execution import Execution
    from tlogic.models.fitting import fit_model

    return fit_model(graph, settings_from(FitSettings, arguments), Execution(threads, cluster, progress))


@overload
def forecast(
    graph: "TemporalGraph",
    forecaster: "RuleSet",
    queries: Any,
    settings: ApplicationSettings | None = None,
    *,
    window: int | None = ...,
    k: int = ...,
    alpha: float = ...,
    decay: float = ...,
    stop: Stop = ...,
    min_confidence: float = ...,
    min_support: int = ...,
    lengths: Sequence[int] | None = ...,
    max_groundings: int | None = ...,
    top: int | None = 10,
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
) -> "Forecast[RuleExplanation]": ...


@overload
def forecast(
    graph: "TemporalGraph",
    forecaster: "Model",
    queries: Any,
    *,
    top: int | None = 10,
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
) -> "Forecast[ModelExplanation]": ...


@overload
def forecast(
    graph: "TemporalGraph",
    forecaster: "RuleSet | Model | StrPath",
    queries: Any,
    settings: ApplicationSettings | None = None,
    *,
    window: int | None = ...,
    k: int = ...,
    alpha: float = ...,
    decay: float = ...,
    stop: Stop = ...,
    min_confidence: float = ...,
    min_support: int = ...,
    lengths: Sequence[int] | None = ...,
    max_groundings: int | None = ...,
    top: int | None = 10,
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
) -> "Forecast[Explanation]": ...


def forecast(
    graph: "TemporalGraph",
    forecaster: "RuleSet | Model | StrPath",
    queries: Any,
    settings: ApplicationSettings | None = None,
    *,
    window: int | None = default(ApplicationSettings, "window"),
    k: int = default(ApplicationSettings, "k"),
    alpha: float = default(ApplicationSettings, "alpha"),
    decay: float = default(ApplicationSettings, "decay"),
    stop: Stop = default(ApplicationSettings, "stop"),
    min_confidence: float = default(ApplicationSettings, "min_confidence"),
    min_support: int = default(ApplicationSettings, "min_support"),
    lengths: Sequence[int] | None = default(ApplicationSettings, "lengths"),
    max_groundings: int | None = default(ApplicationSettings, "max_groundings"),
    top: int | None = 10,
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
) -> "Forecast[Any]":
    """Answer queries with rules or a model, each from the facts before its time.

    Args:
        graph: The graph that holds the facts.
        forecaster: A rule set, a fitted model, or the path of a file with either.
        queries: A ``Query``, a list of queries (or of tuples or mappings), or a data frame with the columns subject,
            relation, object and at, with null for the missing entity.
        settings: All settings of rule application at once, instead of the keywords ``window`` to ``max_groundings``.
            They are for rules; a model stores its own settings.
        window: The length of the time window before a query, in time steps; None for all facts.
        k: How many candidates end the search for rules to apply; see ``stop``.
        alpha: The weight of a rule's confidence in a score; the rest is for recency.
        decay: The paper's lambda: how fast a score falls with the age of a grounding, per time step.
        stop: When to stop applying rules: once the k best candidates have different scores ("published"), or once
            there are k candidates ("text").
        min_confidence: Rules with a lower confidence are not applied.
        min_support: Rules with fewer body groundings are not applied.
        lengths: The rule lengths to apply; None for all.
        max_groundings: How many triples of an entity and relation are followed, the most recent first. With None, all
            are followed, or the 50 most recent in graphs of more than two million facts.
        top: How many candidates to keep per query; None for all.
        threads: How many threads to use; None for one per core.
        cluster: The address of a Ray cluster, or "auto". The forecasts are the same as without a cluster.
        progress: Shows how many chunks of queries are done.

    Returns:
        The ranked candidates of each query; ``Forecast.explain`` explains them.

    Raises:
        SettingsError: If a setting is out of range, if both ``settings`` and keywords are given, or if settings of
            rule application are given with a model.
        InputError: If a query names an unknown entity or relation, or a time without facts before it.

    Example:
        >>> graph = sample()
        >>> rules = learn(graph, lengths=(1,))
        >>> answers = forecast(graph, rules, [("Kite Aviation", "sue")], top=1)
        >>> print(answers.queries[0])
        (Kite Aviation, sue, ?, 2031-03-27)
        >>> answers
        Forecast(1 query, 1 candidate)
    """
    arguments = locals()
    from tlogic.execution import Execution
    from tlogic.explaining import explain_by_model, explain_by_rules
    from tlogic.forecasting.forecast import forecast_queries
    from tlogic.forecasting.rule_forecaster import RuleForecaster

    ready = _ready(graph, forecaster, arguments)
    explain: Any = explain_by_rules if isinstance(ready, RuleForecaster) else explain_by_model
    return forecast_queries(ready, explain, queries, top, Execution(threads, cluster, progress))


def evaluate(
    graph: "TemporalGraph",
    forecaster: "RuleSet | Model | StrPath",
    settings: ApplicationSettings | None = None,
    *,
    window: int | None = default(ApplicationSettings, "window"),
    k: int = default(ApplicationSettings, "k"),
    alpha: float = default(ApplicationSettings, "alpha"),
    decay: float = default(ApplicationSettings, "decay"),
    stop: Stop = default(ApplicationSettings, "stop"),
    min_confidence: float = default(ApplicationSettings, "min_confidence"),
    min_support: int = default(ApplicationSettings, "min_support"),
    lengths: Sequence[int] | None = default(ApplicationSettings, "lengths"),
    max_groundings: int | None = default(ApplicationSettings, "max_groundings"),
    split: str = "test",
    filter: "Filter" = "time-aware",
    multi_step: bool = False,
    threads: int | None = None,
    cluster: str | None = None,
    progress: "Progress | None" = None,
) -> "Evaluation":
    """Rank the true answers of every fact in a split, in both directions.

    Args:
        graph: The graph that holds the split and the history before it.
        forecaster: A rule set, a fitted model, or the path of a file with either.
        settings: All settings of rule application at once, instead of the keywords ``window`` to ``max_groundings``.
            They are for rules; a model stores its own settings.
        window: The length of the time window before a query, in time steps; None for all facts.
        k: How many candidates end the search for rules to apply; see ``stop``.
        alpha: The weight of a rule's confidence in a score; the rest is for recency.
        decay: The paper's lambda: how fast a score falls with the age of a grounding, per time step.
        stop: When to stop applying rules: once the k best candidates have different scores ("published"), or once
            there are k candidates ("text").
        min_confidence: Rules with a lower confidence are not applied.
        min_support: Rules with fewer body groundings are not applied.
        lengths: The rule lengths to apply; None for all.
        max_groundings: How many triples of an entity and relation are followed, the most recent first. With None, all
            are followed, or the 50 most recent in graphs of more than two million facts.
        split: "valid" or "test".
        filter: Which other true answers do not count as candidates: those of the same time ("time-aware"), of any
            time ("static"), or none ("raw").
        multi_step: Whether the facts of the split are hidden from its queries; for rules only.
        threads: How many threads to use; None for one per core.
        cluster: The address of a Ray cluster, or "auto". The ranks are the same as without a cluster.
        progress: Shows how many chunks of queries are done.

    Returns:
        The metrics under optimistic, realistic and pessimistic ties.

    Raises:
        SettingsError: If a setting is out of range, if both ``settings`` and keywords are given, or if settings of
            rule application are given with a model.
        InputError: If the split has no facts.

    Example:
        >>> graph = sample()
        >>> evaluation = evaluate(graph, learn(graph, lengths=(1,)))
        >>> 0.3 < evaluation.mrr < 1
        True
    """
    arguments = locals()
    from tlogic.evaluation import evaluate_forecaster
    from tlogic.execution import Execution

    started = time.perf_counter()
    ready = _ready(graph, forecaster, arguments)
    indexed = time.perf_counter() - started
    execution = Execution(threads, cluster, progress)
    evaluation = evaluate_forecaster(graph, ready, split, filter, multi_step, execution)
    return replace(evaluation, seconds={"index": indexed, **evaluation.seconds})


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
        >>> graph = sample(days=120)
        >>> likely = outlook(graph, fit(graph), entity="Kite Aviation", horizon="7d", top=3)
        >>> len(likely), likely.since, likely.until
        (3, '2030-05-01', '2030-05-07')
    """
    from tlogic.execution import Execution
    from tlogic.monitoring.outlook import outlook_of, outlook_query, patterns_of

    patterns = patterns_of(entity, other, relation)
    query = outlook_query(graph, patterns, at=at, horizon=horizon, top=top, new=new)
    return outlook_of(_occurrence_forecaster(graph, model, query.step), query, Execution(threads, progress=progress))


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
        >>> graph = sample(days=120)
        >>> watched = watch(graph, fit(graph), [("Kite Aviation", "sue", "Meadow Textiles")], horizon="7d")
        >>> watched.frame["probability"][0] < 0.5
        True
    """
    from tlogic.execution import Execution
    from tlogic.forecasting.queries import query_step
    from tlogic.monitoring.watchlist import watch as watch_triples
    from tlogic.monitoring.watchlist import watched_triples

    forecaster = _occurrence_forecaster(graph, model, query_step(graph, at))
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
        >>> graph = sample(days=120)
        >>> found = surprises(graph, fit(graph), since="2030-04-24", top=5)
        >>> found.events.height, found.missing.height
        (5, 5)
    """
    from tlogic.execution import Execution
    from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
    from tlogic.monitoring.surprises import find_surprises

    _check_top(top)
    forecaster = OccurrenceForecaster.over_time(graph, _load_model(model))
    first = graph.timeline.step_of(since)
    return find_surprises(forecaster, first, graph.end, top, Execution(threads, progress=progress))


def changes(graph: "TemporalGraph", *, since: str | int, top: int = 10) -> "Changes":
    """Find the entities, pairs and relations whose rate of events changed most.

    Args:
        graph: The graph that holds the facts.
        since: The first date of the period of interest, which lasts until the last fact. It is compared to the time
            before: up to four times as long.
        top: How many changes of each kind to list.

    Returns:
        The changes with the rates before and after, the most significant first.

    Raises:
        InputError: If there are no facts before the date, or none since.

    Example:
        >>> found = changes(sample(), since="2031-03-01", top=3)
        >>> found.frame["kind"].to_list()
        ['entity', 'entity', 'entity', 'pair', 'pair', 'pair', 'relation', 'relation', 'relation']
    """
    from tlogic.monitoring.changes import find_changes

    _check_top(top)
    return find_changes(graph, graph.timeline.step_of(since), graph.end, top)


def backtest(
    graph: "TemporalGraph",
    model: "Model | StrPath",
    *,
    split: str = "test",
    every: int = 1,
    threads: int | None = None,
    progress: "Progress | None" = None,
) -> "Backtest":
    """Measure how good the probabilities of events are: forecast from each time step of a split, from the facts before.

    Args:
        graph: The graph that holds the split and the history before it.
        model: A fitted model, or the path of a model file.
        split: "valid" or "test".
        every: Forecast from every n-th time step only.
        threads: How many threads to use; None for one per core.
        progress: Shows how many time steps are done.

    Returns:
        Average precision, Brier skill and calibration per horizon, for recurring and new events, with a comparison to
        decayed counts, a reliability table and the largest misses.

    Raises:
        SettingsError: If ``every`` is below 1.
        InputError: If the split has no facts, or none before it.

    Example:
        >>> graph = sample(days=200)
        >>> measured = backtest(graph, fit(graph), every=5)
        >>> measured.frame["average_precision"][0] > measured.frame["best_count"][0]
        True
    """
    from tlogic.evaluation import backtest_model
    from tlogic.execution import Execution
    from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster

    forecaster = OccurrenceForecaster.over_time(graph, _load_model(model))
    return backtest_model(forecaster, split, every, Execution(threads, progress=progress))


def _check_top(top: int) -> None:
    if top < 1:
        raise InputError(f"The number of events to list must be 1 or more, not {top}.")


def _occurrence_forecaster(graph: "TemporalGraph", model: "Model | StrPath", step: int) -> "OccurrenceForecaster":
    """A model, ready to judge events from a time step on."""
    from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster

    loaded = _load_model(model)
    if step >= graph.end:
        return OccurrenceForecaster(graph, loaded)
    return OccurrenceForecaster.over_time(graph, loaded)


def _load_model(model: "Model | StrPath") -> "Model":
    from tlogic.models import Model

    loaded = load(model)
    if not isinstance(loaded, Model):
        raise InputError("Rules rank candidates, but give no probabilities of events; fit a model.")
    return loaded


def _ready(graph: "TemporalGraph", forecaster: Any, arguments: Mapping[str, Any]) -> "Forecaster":
    """Rules or a model, ready to answer queries over a graph, with the settings among the arguments of a function."""
    from tlogic.models import Model, ModelForecaster

    loaded = load(forecaster)
    if isinstance(loaded, Model):
        if arguments["settings"] is not None or given_keywords(ApplicationSettings, arguments):
            raise SettingsError("These settings are for rules; a model stores its own settings. Leave them out.")
        return ModelForecaster(graph, loaded)
    from tlogic.forecasting.rule_forecaster import RuleForecaster

    return RuleForecaster(graph, loaded, settings_from(ApplicationSettings, arguments))


def load(forecaster: "RuleSet | Model | StrPath") -> "RuleSet | Model":
    """Load a rule set or a model from a file; a rule set or a model is returned as it is.

    Args:
        forecaster: The path of a rule file or a model file, a rule set or a model.

    Returns:
        The rule set or the model.

    Raises:
        InputError: If there is no such file, or if it holds neither rules nor a model.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> rules = learn(sample(), lengths=(1,), relations=["sign_agreement_with"])
        >>> with TemporaryDirectory() as folder:
        ...     rules.save(Path(folder, "sample.rules"))
        ...     loaded = load(Path(folder, "sample.rules"))
        >>> len(loaded) == len(rules)
        True
    """
    from tlogic.models import Model
    from tlogic.models.file_format import is_model_file
    from tlogic.rules import RuleSet

    if isinstance(forecaster, RuleSet | Model):
        return forecaster
    if not isinstance(forecaster, str | os.PathLike):
        raise InputError(
            f"Expected a rule set, a model, or the path of a file with either; found {type(forecaster).__name__}."
        )
    path = Path(forecaster)
    return Model.load(path) if is_model_file(path) else RuleSet.load(path)
