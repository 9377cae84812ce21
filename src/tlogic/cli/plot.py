"""`tlogic plot`: pictures of data, of rules and of models."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from tlogic.cli.evaluate import Split
from tlogic.cli.groups import with_groups
from tlogic.cli.options import DataOptions, Threads

Out = Annotated[Path, typer.Option(help="The .svg or .png file to write.", metavar="FILE")]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]

plot = typer.Typer(help="Draw what DATA, RULES or a MODEL are like, to an .svg or .png file.", no_args_is_help=True)


def events(data: DataOptions, out: Out) -> None:
    """Draw how many facts there are over time."""
    from tlogic.analysis.plots import plot_events

    _draw(plot_events, data.read, out)


def degrees(data: DataOptions, out: Out) -> None:
    """Draw how many facts and neighbours entities and relations have."""
    from tlogic.analysis.plots import plot_degrees

    _draw(plot_degrees, data.read, out)


def recurrence(data: DataOptions, out: Out) -> None:
    """Draw how many facts were seen before, over time."""
    from tlogic.analysis.plots import plot_recurrence

    _draw(plot_recurrence, data.read, out)


def rules(
    rules: Annotated[Path, typer.Argument(metavar="RULES", help="A rule file.", show_default=False)], out: Out
) -> None:
    """Draw rules by length, confidence and support."""
    from tlogic.analysis.plots import plot_rules
    from tlogic.rules import RuleSet

    _draw(plot_rules, lambda: RuleSet.load(rules), out)


def ages(
    model: ModelFile,
    out: Out,
    head: Annotated[
        str | None, typer.Option(help="Rules for this relation; for any if not given.", metavar="R")
    ] = None,
    kind: Annotated[
        str, typer.Option(help="The kind of rules: rules (of length 1), chains or acyclic.", metavar="KIND")
    ] = "rules",
    top: Annotated[int, typer.Option(help="How many rules, the strongest.", min=1)] = 6,
) -> None:
    """Draw the probability by age of the rules that a model counted."""
    from tlogic.analysis.plots import plot_ages
    from tlogic.models import Model

    _draw(partial(plot_ages, head=head, kind=kind, top=top), lambda: Model.load(model), out)


def weights(
    model: ModelFile,
    out: Out,
    top: Annotated[int, typer.Option(help="How many kinds of evidence, those that move scores most.", min=1)] = 12,
) -> None:
    """Draw the weights of a model's kinds of evidence."""
    from tlogic.analysis.plots import plot_weights
    from tlogic.models import Model

    _draw(partial(plot_weights, top=top), lambda: Model.load(model), out)


def reliability(
    data: DataOptions,
    model: Annotated[Path, typer.Option(help="The model that forecasts.", metavar="MODEL")],
    out: Out,
    split: Annotated[Split, typer.Option(help="The facts to forecast.")] = Split.test,
    threads: Threads = None,
) -> None:
    """Draw how far a model's probabilities come true."""
    from tlogic.analysis.plots import plot_reliability

    _draw(plot_reliability, lambda: _evaluation(data, model, split, threads), out)


def _evaluation(data: DataOptions, model: Path, split: Split, threads: int | None) -> Any:
    import tlogic
    from tlogic.cli.console import progress, wait_for_kernels
    from tlogic.models.scorecard import scores_of

    graph, fitted = data.read(), tlogic.Model.load(model)
    with wait_for_kernels(scores_of), progress() as follow:
        return tlogic.evaluate(graph, fitted, split=split.value, threads=threads, progress=follow)


def _draw(draw: Callable[[Any, Path], None], read: Callable[[], Any], out: Path) -> None:
    from tlogic.cli.console import error_console
    from tlogic.figures import check_figure_path

    check_figure_path(out)  # before reading, which may take long
    draw(read(), out)
    error_console.print(f"The picture is in {out}", markup=False)


for command in (events, degrees, recurrence, rules, ages, weights, reliability):
    plot.command()(with_groups(command))
