"""`tlogic evaluate`: how high true answers rank."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.options import ApplicationOptions, DataOptions, Threads


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
    rules: Annotated[Path, typer.Option(help="The rule file to apply.", metavar="RULES")],
    application: ApplicationOptions,
    split: Annotated[Split, typer.Option(help="The facts to forecast.")] = Split.test,
    filter: Annotated[Filter, typer.Option(help="Which other true answers do not count.")] = Filter.time_aware,
    multi_step: Annotated[bool, typer.Option("--multi-step", help="Use no fact from within the split.")] = False,
    threads: Threads = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Forecast the facts of a split with RULES and report how high the true answers rank."""
    import time

    import tlogic
    from tlogic.cli.console import print_evaluation, progress, wait_for_kernels, warn_of_other_steps
    from tlogic.forecasting.application import apply_rules

    settings = application.settings()
    started = time.perf_counter()
    rule_set = tlogic.RuleSet.load(rules)
    graph = data.read()
    warn_of_other_steps(graph, rule_set)
    read_in = time.perf_counter() - started
    with wait_for_kernels(apply_rules), progress() as follow:
        evaluation = tlogic.evaluate(
            graph,
            rule_set,
            settings,
            split=split.value,
            filter=filter.value,
            multi_step=multi_step,
            threads=threads,
            progress=follow,
        )
    figures = evaluation.to_dict()
    figures["seconds"] = {"read": read_in, **figures["seconds"]}
    if json_output:
        print(json.dumps(figures))
    else:
        print_evaluation(figures)
