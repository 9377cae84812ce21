"""`tlogic evaluate`: rank the true answers of a split."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from tlogic.cli.application_options import ApplicationOptions
from tlogic.cli.data_options import DataOptions
from tlogic.cli.forecasters import ForecasterOptions, default_model
from tlogic.cli.options import Cluster, Threads


class Split(StrEnum):
    """The facts to forecast."""

    test = "test"
    valid = "valid"


class Filter(StrEnum):
    """Which other true answers are removed from a ranking."""

    time_aware = "time-aware"
    static = "static"
    raw = "raw"


class Protocol(StrEnum):
    """The rules of the evaluation."""

    paper = "paper"
    tgb = "tgb"


def evaluate(
    forecaster: ForecasterOptions,
    data: DataOptions,
    application: ApplicationOptions,
    split: Annotated[Split, typer.Option(help="The facts to forecast.")] = Split.test,
    filter: Annotated[
        Filter,
        typer.Option(
            help="Remove other true answers from a ranking: those at the same time (time-aware), at any time (static), "
            "or none (raw).",
            metavar="FILTER",
        ),
    ] = Filter.time_aware,
    multi_step: Annotated[
        bool, typer.Option("--multi-step", help="Forecast without the facts of the split; for rules only.")
    ] = False,
    protocol: Annotated[
        Protocol,
        typer.Option(
            help="Evaluate as in the paper (paper), or as the benchmark TGB 2.0 does (tgb): split at quantiles of the "
            "times, learned from training facts only, and with its ties and negatives.",
            metavar="PROTOCOL",
        ),
    ] = Protocol.paper,
    threads: Threads = None,
    cluster: Cluster = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Forecast the facts of a split, and report how high the true answers rank.

    Without MODEL and RULES, a scorecard is fitted to the facts before the split, and kept for the next time.
    """
    import time

    from tlogic import api
    from tlogic.cli.console import console, progress, wait_for_kernels
    from tlogic.cli.reliability_output import reliability_table
    from tlogic.evaluation.tgb_protocol import split_as_tgb

    forecaster.check()
    settings = None if forecaster.rules is None else application.settings()
    started = time.perf_counter()
    graph = data.read()
    seconds = {"read": time.perf_counter() - started}
    as_tgb = protocol is Protocol.tgb
    graph = split_as_tgb(graph) if as_tgb else graph
    loaded = forecaster.load(lambda: default_model(graph, threads, split=split.value, train_only=as_tgb))
    with wait_for_kernels(forecaster.kernel), progress() as follow:
        evaluation = api.evaluate(
            graph,
            loaded,
            settings,
            split=split.value,
            filter=filter.value,
            multi_step=multi_step,
            protocol=protocol.value,
            threads=threads,
            cluster=cluster,
            progress=follow,
        )
    figures = evaluation.to_dict()
    figures["seconds"] = seconds | figures["seconds"]
    if json_output:
        print(json.dumps(figures))
    else:
        _print_evaluation(figures)
        if evaluation.reliability is not None:
            console.print(reliability_table(evaluation))


def _print_evaluation(figures: dict[str, Any]) -> None:
    from rich.table import Table

    from tlogic.cli.console import console

    by = _rules_applied(figures["settings"]) if "rules" in figures["settings"] else "by a model"
    table = Table(title=f"{figures['queries']:,} queries, {by}")
    for column in ("ties", "MRR", "hits@1", "hits@3", "hits@10"):
        table.add_column(column, justify="left" if column == "ties" else "right")
    for ties in ("realistic", "optimistic", "pessimistic"):
        table.add_row(ties, *(f"{value:.4f}" for value in figures[ties].values()))
    console.print(table)
    seconds = ", ".join(f"{stage} {value:.2f} s" for stage, value in figures["seconds"].items())
    console.print(
        f"{figures['no_candidates']:,} queries had no candidate and were answered by the fallback; "
        f"{seconds}; peak memory {figures['peak_mb']} MB",
        highlight=False,
    )


def _rules_applied(settings: dict[str, Any]) -> str:
    applied, given, foreign = (settings[name] for name in ("rules", "rules_given", "rules_foreign"))
    text = f"{applied:,} of {given:,} rules applied"
    return f"{text}; {foreign:,} have relations that the data does not have" if foreign else text
