"""`tlogic backtest`: how good the probabilities of events are."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tlogic import api
from tlogic.cli.data_options import DataOptions
from tlogic.cli.evaluate import Split
from tlogic.cli.forecasters import default_model, load_model
from tlogic.cli.options import OutOption, Threads, default_of
from tlogic.cli.outlook import Model
from tlogic.errors import SettingsError


def backtest(
    data: DataOptions,
    model: Model = None,
    split: Annotated[Split | None, typer.Option(help="The facts to forecast; by default test.")] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Forecast from this date on instead, until the last fact.", metavar="DATE"),
    ] = None,
    every: Annotated[
        int, typer.Option(help="Forecast from every N-th time step only.", metavar="N", min=1)
    ] = default_of(api.backtest, "every"),
    out: Annotated[
        Path | None, OutOption(help="Write a report with reliability diagrams to a folder.", metavar="DIR")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    threads: Threads = None,
) -> None:
    """Forecast the events of a period from every time step, and compare with what happened."""
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.cli.monitoring_output import print_backtest
    from tlogic.evidence.occurrence_evidence import extract_kernel

    if split is not None and since is not None:
        raise SettingsError("Give either --split or --since, not both.")
    if out is not None:
        from tlogic.analysis.reports.report_files import check_report

        check_report(out)  # before the work, which may take long
    chosen = (split or Split.test).value
    graph = data.read()
    before = None if since is None else graph.timeline.step_of(since)
    fitted = load_model(model, lambda: default_model(graph, threads, before=before, split=chosen))
    with wait_for_kernels(extract_kernel), progress() as follow:
        measured = api.backtest(graph, fitted, split=chosen, since=since, every=every, threads=threads, progress=follow)
    if out is not None:
        from tlogic.analysis import report_backtest

        with_model = "" if model is None else f" --model {model}"
        period = f"--split {chosen}" if since is None else f"--since {since}"
        about = f"{with_model} {period} --every {every}"
        command = f"tlogic backtest {data.data or '--db URL'}{about}"
        error_console.print(f"wrote the report to {report_backtest(measured, out, command)}", markup=False)
    if json_output:
        print(json.dumps(measured.to_dict(), ensure_ascii=False))
    else:
        print_backtest(measured)
