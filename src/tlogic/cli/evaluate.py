"""`tlogic evaluate`: how high true answers rank."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tlogic.cli.options import ApplicationOptions, Cluster, DataOptions, Threads
from tlogic.errors import SettingsError

if TYPE_CHECKING:
    from tlogic import ApplicationSettings, Evaluation, TemporalGraph


class Split(StrEnum):
    """The facts that are asked."""

    test = "test"
    valid = "valid"


class Filter(StrEnum):
    """Which other true answers are left out of a ranking."""

    time_aware = "time-aware"
    static = "static"
    raw = "raw"


def evaluate(
    data: DataOptions,
    application: ApplicationOptions,
    rules: Annotated[Path | None, typer.Option(help="The rule file to apply.", metavar="RULES")] = None,
    model: Annotated[Path | None, typer.Option(help="A model to use in the place of rules.", metavar="MODEL")] = None,
    split: Annotated[Split, typer.Option(help="The facts to forecast.")] = Split.test,
    filter: Annotated[Filter, typer.Option(help="Which other true answers do not count.")] = Filter.time_aware,
    multi_step: Annotated[bool, typer.Option("--multi-step", help="Use no fact from within the split.")] = False,
    threads: Threads = None,
    cluster: Cluster = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Forecast the facts of a split with RULES, or a MODEL, and report how high the true answers rank."""
    import time

    from tlogic.cli.console import print_evaluation, progress

    if (rules is None) == (model is None):
        raise SettingsError("Forecast with one of --rules RULES and --model MODEL.")
    settings = application.settings()
    started = time.perf_counter()
    graph = data.read()
    read_in = time.perf_counter() - started
    how: dict[str, Any] = {"split": split.value, "filter": filter.value, "threads": threads, "cluster": cluster}
    with progress() as follow:
        if model is not None:
            figures = _with_model(graph, model, how | {"progress": follow}).to_dict()
        else:
            how |= {"multi_step": multi_step, "progress": follow}
            figures = _with_rules(graph, Path(str(rules)), settings, how).to_dict()
    figures["seconds"] = {"read": read_in, **figures["seconds"]}
    if json_output:
        print(json.dumps(figures))
    else:
        print_evaluation(figures)


def _with_rules(
    graph: "TemporalGraph", path: Path, settings: "ApplicationSettings", how: dict[str, Any]
) -> "Evaluation":
    import tlogic
    from tlogic.cli.console import wait_for_kernels, warn_of_other_steps
    from tlogic.forecasting.application import apply_rules

    rules = tlogic.RuleSet.load(path)
    warn_of_other_steps(graph, rules)
    with wait_for_kernels(apply_rules):
        return tlogic.evaluate(graph, rules, settings, **how)


def _with_model(graph: "TemporalGraph", path: Path, how: dict[str, Any]) -> "Evaluation":
    import tlogic
    from tlogic.cli.console import wait_for_kernels
    from tlogic.evidence.families.one_step_rules import advance

    model = tlogic.Model.load(path)
    with wait_for_kernels(advance):
        return tlogic.evaluate(graph, model, **how)
