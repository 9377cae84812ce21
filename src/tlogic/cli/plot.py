"""`tlogic plot`: pictures of data and of rules."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from tlogic.cli.groups import with_groups
from tlogic.cli.options import DataOptions

Out = Annotated[Path, typer.Option(help="The .svg or .png file to write.", metavar="FILE")]

plot = typer.Typer(help="Draw what DATA or RULES are like, to an .svg or .png file.", no_args_is_help=True)


def events(data: DataOptions, out: Out) -> None:
    """Draw how many facts there are over time."""
    from tlogic.plots import plot_events

    _draw(plot_events, data.read, out)


def degrees(data: DataOptions, out: Out) -> None:
    """Draw how many facts and neighbours entities and relations have."""
    from tlogic.plots import plot_degrees

    _draw(plot_degrees, data.read, out)


def recurrence(data: DataOptions, out: Out) -> None:
    """Draw how many facts were seen before, over time."""
    from tlogic.plots import plot_recurrence

    _draw(plot_recurrence, data.read, out)


def rules(
    rules: Annotated[Path, typer.Argument(metavar="RULES", help="A rule file.", show_default=False)], out: Out
) -> None:
    """Draw rules by length, confidence and support."""
    from tlogic.plots import plot_rules
    from tlogic.rules import RuleSet

    _draw(plot_rules, lambda: RuleSet.load(rules), out)


def _draw(draw: Callable[[Any, Path], None], read: Callable[[], Any], out: Path) -> None:
    from tlogic.cli.console import error_console
    from tlogic.pictures import check_picture

    check_picture(out)  # before reading, which may take long
    draw(read(), out)
    error_console.print(f"The picture is in {out}", markup=False)


for command in (events, degrees, recurrence, rules):
    plot.command()(with_groups(command))
