"""`tlogic tune`: finds the settings that forecast best."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.data_options import DataOptions
from tlogic.cli.options import OutOption, Threads
from tlogic.learning.settings import LearningSettings

if TYPE_CHECKING:
    from rich.table import Table

    from tlogic.analysis.tuning import Tuning

_N_BEST = 10
_BAR_CHARACTERS = 20


class Grid(StrEnum):
    """Predefined grids of settings."""

    paper = "paper"


class Ties(StrEnum):
    """How to rank a true answer among candidates with the same score."""

    realistic = "realistic"
    optimistic = "optimistic"


def tune(
    data: DataOptions,
    trials: Annotated[
        int | None, typer.Option(help="Search with N trials; 30 if no grid is given.", metavar="N")
    ] = None,
    grid: Annotated[Grid | None, typer.Option(help="Evaluate all 9,600 settings of the paper's grid instead.")] = None,
    out: Annotated[Path, OutOption(help="The folder for the report and the cached results.", metavar="DIR")] = Path(
        "tuning"
    ),
    ties: Annotated[
        Ties,
        typer.Option(
            help="The rank of an answer among candidates with the same score: their mean rank (realistic) or the best "
            "(optimistic).",
            metavar="TIES",
        ),
    ] = Ties.realistic,
    seed: Annotated[
        int, typer.Option(help="The seed of the random walks and of the search.", metavar="N")
    ] = LearningSettings.seed,
    threads: Threads = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Find the settings that forecast the validation facts of DATA best, and write a report.

    Results are cached in DIR: the same command resumes an interrupted run, and more trials continue a search.
    """
    from tlogic.analysis.optuna_search import import_optuna
    from tlogic.analysis.reports.report_files import check_report
    from tlogic.analysis.tuning import tune as run
    from tlogic.analysis.tuning_report import report_tuning
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.forecasting.application import apply_rules

    check_report(out)  # before the work, which may take long
    if not grid:
        import_optuna()
    graph = data.read()
    with _resume_hint(out), wait_for_kernels(apply_rules), progress() as follow:
        tuning = run(
            graph,
            out,
            grid="paper" if grid else None,
            trials=trials,
            seed=seed,
            ties=ties.value,
            threads=threads,
            progress=follow,
        )
    name = _name(data)
    page = report_tuning(tuning, out, name)
    if json_output:
        print(json.dumps(tuning.to_dict() | {"commands": _commands(tuning, name)}))
    else:
        _print(tuning, name)
    error_console.print(f"{len(tuning.trials):,} trials; wrote the report to {page}", markup=False)


@contextmanager
def _resume_hint(out: Path) -> Iterator[None]:
    """After an interrupt, print how to resume."""
    from tlogic.cli.console import error_console

    try:
        yield
    except KeyboardInterrupt:
        error_console.print(f"Results are cached in {out}: the same command resumes the run.", markup=False)
        raise


def _name(data: DataOptions) -> str:
    """The name of the data in commands; "DATA" if reading it needs further options."""
    others = [field for field in fields(data) if field.name not in ("data", "quiet")]
    plain = all(getattr(data, field.name) == field.default for field in others)
    return str(Path(data.data)) if data.data and plain else "DATA"


def _commands(tuning: "Tuning", name: str) -> list[str]:
    """The commands that learn rules with the best settings and evaluate them on the test facts."""
    from tlogic.analysis.command_lines import trial_commands

    return trial_commands(replace(tuning.best.trial, data=name, split="test")).split(" && ")


def _print(tuning: "Tuning", name: str) -> None:
    from tlogic.cli.console import console

    console.print(f"The best of {len(tuning.trials):,} trials on the validation facts, {tuning.ties} ties:\n")
    console.print(_top(tuning))
    console.print()
    if tuning.defaults is not None:
        console.print(f"The defaults have an MRR of {tuning.defaults.metrics['mrr']:.4f}.", highlight=False)
    console.print()
    console.print(_importance(tuning))
    console.print("\nLearn rules with the best settings and evaluate them on the test facts:")
    for command in _commands(tuning, name):
        console.print(f"  {command}", markup=False, highlight=False, soft_wrap=True)


def _top(tuning: "Tuning") -> "Table":
    table = _table(*tuning.best.settings, "MRR", "hits@1", "hits@10")
    for each in tuning.top(_N_BEST):
        shown = (f"{each.metrics[name]:.4f}" for name in ("mrr", "hits@1", "hits@10"))
        table.add_row(*map(str, each.settings.values()), *shown)
    return table


def _importance(tuning: "Tuning") -> "Table":
    table = _table("parameter", "best", "importance")
    table.add_column("")
    for name, share in tuning.importance.items():
        table.add_row(name, str(tuning.best.settings[name]), f"{share:.0%}", "█" * round(_BAR_CHARACTERS * share))
    return table


def _table(*columns: str) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for column in columns:
        table.add_column(column, justify="right")
    return table
