"""`tlogic reproduce`: runs the experiments of the paper, and the same experiments with learned models."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.options import OutOption, Threads


def reproduce(
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only this section; repeatable: main, examples, transfer, statistics, walks, lengths, "
            "windows, scores, counts, seeds, times; with learned models: models, other-split, ablation, pairs, "
            "reliability.",
            metavar="NAME",
        ),
    ] = None,
    out: Annotated[Path, OutOption(help="The folder for the report and the cached results.", metavar="DIR")] = Path(
        "reproduction"
    ),
    on: Annotated[
        str | None, typer.Option(help="Run the experiments on this data instead of the paper's.", metavar="DATA")
    ] = None,
    model_data: Annotated[
        list[str] | None,
        typer.Option(
            help="Fit models only to this dataset; repeatable: icews14, icews18, icews0515, yago, wiki.",
            metavar="NAME",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Fit only this kind of model: scorecard or boosted (slow).", metavar="KIND"),
    ] = None,
    threads: Threads = None,
) -> None:
    """Run all experiments of the paper that evaluate TLogic, and learned models, and write a report.

    With --only, its tables are printed too. Needs the paper's datasets (tlogic download). The same command resumes an
    interrupted run, from results in DIR.
    """
    from tlogic.analysis.reports.report_files import tables_as_markdown
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.forecasting.application import apply_rules
    from tlogic.reproduction import reproduce as run

    with wait_for_kernels(apply_rules), progress() as follow:
        sections = run(
            out,
            only or (),
            on=on,
            model_data=model_data or (),
            models=model or (),
            threads=threads,
            progress=follow,
            announce=partial(error_console.print, markup=False),
        )
    if only:
        print(tables_as_markdown(sections))
    error_console.print(f"Wrote the report to {out / 'report.html'}", markup=False)
