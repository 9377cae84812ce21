"""Functions for queries: forecast and evaluate, with rules or a model.

Only this module decides between rules and models. Below it, both are a ``Forecaster``.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from tlogic.api.learning import load
from tlogic.api.warn import warn_of_known_facts, warn_of_misfit
from tlogic.errors import SettingsError
from tlogic.files import StrPath
from tlogic.forecasting.settings import ApplicationSettings, Stop
from tlogic.keywords import default, given_keywords, settings_from

if TYPE_CHECKING:
    from tlogic.evaluation import Evaluation, Filter, Protocol
    from tlogic.execution import Progress
    from tlogic.explaining import Explanation, ModelExplanation, RuleExplanation
    from tlogic.forecasting import Forecast, Forecaster
    from tlogic.graph import TemporalGraph
    from tlogic.models import Model
    from tlogic.rules import RuleSet


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
        >>> import tlogic
        >>> graph = tlogic.sample()
        >>> rules = tlogic.learn(graph, lengths=(1,))
        >>> answers = tlogic.forecast(graph, rules, [("Kite Aviation", "sue")], top=1)
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

    loaded = load(forecaster)
    ready = _ready(graph, loaded, arguments)
    explain: Any = explain_by_rules if isinstance(ready, RuleForecaster) else explain_by_model
    answers = forecast_queries(ready, explain, queries, top, Execution(threads, cluster, progress))
    warn_of_misfit(graph, loaded, answers.steps, ready.description)
    return answers


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
    protocol: "Protocol" = "paper",
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
        protocol: "paper" ranks answers as the paper does. "tgb" follows the benchmark TGB 2.0: the data is split at the
            70% and the 85% quantile of the times, whatever its split is; the rules or the model must be learned from
            the training facts alone; answers that are not candidates tie with all entities that are none; and the
            answers of tkgl-wikidata are ranked against its published negatives.
        threads: How many threads to use; None for one per core.
        cluster: The address of a Ray cluster, or "auto". The ranks are the same as without a cluster.
        progress: Shows how many chunks of queries are done.

    Returns:
        The metrics under optimistic, realistic and pessimistic ties.

    Raises:
        SettingsError: If a setting is out of range, if both ``settings`` and keywords are given, or if settings of
            rule application are given with a model. With the protocol of TGB, also if the rules or the model were
            learned from facts after the training period, or if another filter is given.
        InputError: If the split has no facts.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample()
        >>> evaluation = tlogic.evaluate(graph, tlogic.learn(graph, lengths=(1,)))
        >>> 0.3 < evaluation.mrr < 1
        True
    """
    arguments = locals()
    from tlogic.evaluation import PROTOCOLS, evaluate_forecaster
    from tlogic.evaluation.tgb_protocol import check_learned_from_training, split_as_tgb
    from tlogic.execution import Execution

    started = time.perf_counter()
    loaded = load(forecaster)
    if protocol not in PROTOCOLS:
        raise SettingsError(f"protocol must be one of {', '.join(PROTOCOLS)}, not {protocol!r}.")
    if protocol == "tgb":
        if filter != "time-aware" or multi_step:
            raise SettingsError("The protocol of TGB is single-step with the time-aware filter; leave out the others.")
        graph = split_as_tgb(graph)
        check_learned_from_training(graph, loaded.data)
    ready = _ready(graph, loaded, arguments)
    first = graph.valid_from if split == "valid" else graph.test_from
    warn_of_known_facts(graph, loaded, f"{split} facts", first)
    indexed = time.perf_counter() - started
    execution = Execution(threads, cluster, progress)
    evaluation = evaluate_forecaster(graph, ready, split, filter, multi_step, execution, protocol)
    return replace(evaluation, seconds={"index": indexed, **evaluation.seconds})


def _ready(graph: "TemporalGraph", loaded: "RuleSet | Model", arguments: Mapping[str, Any]) -> "Forecaster":
    """Rules or a model, ready to answer queries over a graph, with the settings among the arguments of a function."""
    from tlogic.models import Model, ModelForecaster

    if isinstance(loaded, Model):
        if arguments["settings"] is not None or given_keywords(ApplicationSettings, arguments):
            raise SettingsError("These settings are for rules; a model stores its own settings. Leave them out.")
        return ModelForecaster(graph, loaded)
    from tlogic.forecasting.rule_forecaster import RuleForecaster

    return RuleForecaster(graph, loaded, settings_from(ApplicationSettings, arguments))
