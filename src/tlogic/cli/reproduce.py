"""`tlogic reproduce`: the paper's experiments, and those with learned models."""

from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.options import Threads


def reproduce(
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Run this part only; can be given again: main, examples, transfer, statistics, walks, lengths, "
            "windows, scores, counts, seeds, times; of learned models: models, other-split, ablation, reliability.",
            metavar="NAME",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The folder for the report and for what was measured.", metavar="DIR")
    ] = Path("reproduction"),
    on: Annotated[str | None, typer.Option(help="Other data to run the same experiments on.", metavar="DATA")] = None,
    model_data: Annotated[
        list[str] | None,
        typer.Option(
            help="Of learned models, only those of this dataset; can be given again: icews14, icews18, icews0515, "
            "yago, wiki.",
            metavar="NAME",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Only learned models of this kind: scorecard or boosted, which is slow.", metavar="KIND"),
    ] = None,
    threads: Threads = None,
) -> None:
    """Run every table and figure of the paper whose method is TLogic's, and learned models, and write a report.

    What was measured is kept in DIR and not measured again. Needs the paper's datasets (tlogic download).
    """
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
            tell=error_console.print,
        )
    error_console.print(f"{len(sections)} parts, reported in {out / 'report.html'}", markup=False)
