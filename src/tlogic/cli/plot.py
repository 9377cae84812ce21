"""`tlogic plot`: plots of data, rules and models."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from tlogic.cli.data_options import DataOptions
from tlogic.cli.evaluate import Split
from tlogic.cli.flags import Command, Group
from tlogic.cli.groups import with_groups
from tlogic.cli.options import OutOption, Threads
from tlogic.cli.overwriting import keeping_inputs

Out = Annotated[Path, OutOption(help="The .svg or .png file to write.", metavar="FILE")]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]

plot = typer.Typer(cls=Group, help="Plot DATA, RULES or a MODEL to an .svg or .png file.", no_args_is_help=True)


def events(data: DataOptions, out: Out) -> None:
    """Plot the number of facts over time."""
    from tlogic.analysis.plots import plot_events

    _draw(plot_events, partial(data.read, out), out)


def degrees(data: DataOptions, out: Out) -> None:
    """Plot the number of facts and neighbours per entity and relation."""
    from tlogic.analysis.plots import plot_degrees

    _draw(plot_degrees, partial(data.read, out), out)


def recurrence(data: DataOptions, out: Out) -> None:
    """Plot the share of facts that occurred before, over time."""
    from tlogic.analysis.plots import plot_recurrence

    _draw(plot_recurrence, partial(data.read, out), out)


def rules(
    rules: Annotated[Path, typer.Argument(metavar="RULES", help="A rule file.", show_default=False)], out: Out
) -> None:
    """Plot rules by length, confidence and support."""
    from tlogic.analysis.plots import plot_rules
    from tlogic.rules import RuleSet

    _draw(plot_rules, lambda: RuleSet.load(rules), out)


def ages(
    model: ModelFile,
    out: Out,
    head: Annotated[str | None, typer.Option(help="Only rules for this head relation.", metavar="NAME")] = None,
    kind: Annotated[
        str, typer.Option(help="The kind of rules: rules (of length 1), chains or acyclic.", metavar="KIND")
    ] = "rules",
    top: Annotated[int, typer.Option(help="The number of rules; the strongest come first.", metavar="N", min=1)] = 6,
) -> None:
    """Plot the probability of a model's rules by the age of their body."""
    from tlogic.analysis.plots import plot_ages
    from tlogic.models import Model

    _draw(partial(plot_ages, head=head, kind=kind, top=top), lambda: Model.load(model), out)


def weights(
    model: ModelFile,
    out: Out,
    top: Annotated[
        int,
        typer.Option(
            help="The number of features; those with the largest effect on scores come first.", metavar="N", min=1
        ),
    ] = 12,
) -> None:
    """Plot the weights of a model's evidence features."""
    from tlogic.analysis.plots import plot_weights
    from tlogic.models import Model

    _draw(partial(plot_weights, top=top), lambda: Model.load(model), out)


def reliability(
    data: DataOptions,
    model: Annotated[Path, typer.Option(help="The model file to evaluate.", metavar="MODEL")],
    out: Out,
    split: Annotated[Split, typer.Option(help="The facts to forecast.")] = Split.test,
    threads: Threads = None,
) -> None:
    """Plot the predicted probabilities of a model against the share of true candidates."""
    from tlogic.analysis.plots import plot_reliability

    _draw(plot_reliability, lambda: _evaluation(data, model, split, threads, out), out)


def _evaluation(data: DataOptions, model: Path, split: Split, threads: int | None, out: Path) -> Any:
    from tlogic.api import evaluate
    from tlogic.cli.console import progress, wait_for_kernels
    from tlogic.models import Model
    from tlogic.models.softmax import scores_of

    graph, fitted = data.read(out), Model.load(model)
    with wait_for_kernels(scores_of), progress() as follow:
        return evaluate(graph, fitted, split=split.value, threads=threads, progress=follow)


def _draw(draw: Callable[[Any, Path], None], read: Callable[[], Any], out: Path) -> None:
    from tlogic.cli.console import error_console
    from tlogic.figures import check_figure_path

    check_figure_path(out)  # before reading, which may take long
    draw(read(), out)
    error_console.print(f"Wrote {out}", markup=False)


for command in (events, degrees, recurrence, rules, ages, weights, reliability):
    plot.command(cls=Command)(keeping_inputs(with_groups(command)))
