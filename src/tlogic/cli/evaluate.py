"""`tlogic evaluate`: how high true answers rank."""

import json
from enum import StrEnum
from typing import Annotated

import typer

from tlogic.cli.forecasters import ModelFile, RuleFile, check_forecaster, forecasting_kernel, load_forecaster
from tlogic.cli.options import ApplicationOptions, Cluster, DataOptions, Threads


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
    rules: RuleFile = None,
    model: ModelFile = None,
    split: Annotated[Split, typer.Option(help="The facts to forecast.")] = Split.test,
    filter: Annotated[Filter, typer.Option(help="Which other true answers do not count.")] = Filter.time_aware,
    multi_step: Annotated[bool, typer.Option("--multi-step", help="Use no fact from within the split.")] = False,
    threads: Threads = None,
    cluster: Cluster = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Forecast the facts of a split with RULES or a MODEL, and report how high the true answers rank."""
    import time

    import tlogic
    from tlogic.cli.console import print_evaluation, progress, wait_for_kernels, warn_of_other_steps

    check_forecaster(rules, model)
    settings = application.settings() if rules else None
    started = time.perf_counter()
    graph = data.read()
    seconds = {"read": time.perf_counter() - started}
    forecaster = load_forecaster(rules, model)
    if rules is not None:
        warn_of_other_steps(graph, forecaster)
    with wait_for_kernels(forecasting_kernel(model)), progress() as follow:
        evaluation = tlogic.evaluate(
            graph,
            forecaster,
            settings,
            split=split.value,
            filter=filter.value,
            multi_step=multi_step,
            threads=threads,
            cluster=cluster,
            progress=follow,
        )
    figures = evaluation.to_dict()
    figures["seconds"] = seconds | figures["seconds"]
    if json_output:
        print(json.dumps(figures))
    else:
        print_evaluation(figures)
