"""`tlogic tune`: the settings that forecast best."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.options import DataOptions, Threads

if TYPE_CHECKING:
    from rich.table import Table

    from tlogic.analysis.tuning import Tuning

_TOP = 10
_BAR = 20


class Grid(StrEnum):
    """Settings that are tried, all of them."""

    paper = "paper"


class Ties(StrEnum):
    """The rank of an answer among candidates that score the same."""

    realistic = "realistic"
    optimistic = "optimistic"


def tune(
    data: DataOptions,
    trials: Annotated[
        int | None, typer.Option(help="Search with so many trials; 30 if no grid is given.", metavar="N")
    ] = None,
    grid: Annotated[Grid | None, typer.Option(help="Try all 9,600 settings of the paper's grid instead.")] = None,
    out: Annotated[
        Path, typer.Option(help="The folder for the report and for what was measured.", metavar="DIR")
    ] = Path("tuning"),
    ties: Annotated[Ties, typer.Option(help="The rank among equals: their mean, or the best.")] = Ties.realistic,
    seed: Annotated[int, typer.Option(help="The seed of the random walks and of the search.")] = 12,
    threads: Threads = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Find the settings that forecast the validation facts of DATA best, and write a report of what mattered.

    What was measured is kept in DIR and not measured again: a run that was stopped goes on, and more trials add to
    those that are there.
    """
    from tlogic.analysis.tuning import tune as run
    from tlogic.analysis.tuning_report import report_tuning
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.figures import check_figure_path
    from tlogic.forecasting.application import apply_rules

    check_figure_path(out / "chart.svg")  # before the work, which may take long
    graph = data.read()
    with _telling_how_to_go_on(out), wait_for_kernels(apply_rules), progress() as follow:
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
    error_console.print(f"{len(tuning.tried):,} trials, reported in {page}", markup=False)


@contextmanager
def _telling_how_to_go_on(out: Path) -> Iterator[None]:
    """Where the run is interrupted, say that it is not lost."""
    from tlogic.cli.console import error_console

    try:
        yield
    except KeyboardInterrupt:
        error_console.print(f"What was measured is in {out}: the same command goes on from there.", markup=False)
        raise


def _name(data: DataOptions) -> str:
    """What commands call the data; where more than a name was given to read it, a word that stands for it all."""
    others = [field for field in fields(data) if field.name not in ("data", "quiet")]
    plain = all(getattr(data, field.name) == field.default for field in others)
    return str(Path(data.data)) if data.data and plain else "DATA"


def _commands(tuning: "Tuning", name: str) -> list[str]:
    """Learn with the best settings, and see how they do on the test facts."""
    from tlogic.analysis.command_lines import trial_commands

    return trial_commands(replace(tuning.best.trial, data=name, split="test")).split(" && ")


def _print(tuning: "Tuning", name: str) -> None:
    from tlogic.cli.console import console

    console.print(f"The best of {len(tuning.tried):,} trials on the validation facts, {tuning.ties} ties:\n")
    console.print(_top(tuning))
    console.print()
    if tuning.defaults is not None:
        console.print(f"The defaults have an MRR of {tuning.defaults.figures['mrr']:.4f}.", highlight=False)
    console.print()
    console.print(_importance(tuning))
    console.print("\nThe rules of the best trial, and how they do on the test facts:")
    for command in _commands(tuning, name):
        console.print(f"  {command}", markup=False, highlight=False, soft_wrap=True)


def _top(tuning: "Tuning") -> "Table":
    table = _table(*tuning.best.settings, "MRR", "hits@1", "hits@10")
    for each in tuning.top(_TOP):
        shown = (f"{each.figures[name]:.4f}" for name in ("mrr", "hits@1", "hits@10"))
        table.add_row(*map(str, each.settings.values()), *shown)
    return table


def _importance(tuning: "Tuning") -> "Table":
    table = _table("parameter", "best", "importance")
    table.add_column("")
    for name, share in tuning.importance.items():
        table.add_row(name, str(tuning.best.settings[name]), f"{share:.0%}", "█" * round(_BAR * share))
    return table


def _table(*columns: str) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for column in columns:
        table.add_column(column, justify="right")
    return table
