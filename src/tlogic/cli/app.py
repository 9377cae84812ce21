"""The commands, one module each. Heavy modules are imported when a command runs, so that help is instant."""

from collections.abc import Callable
from typing import Annotated

import typer

from tlogic.cli.backtest import backtest
from tlogic.cli.changes import changes
from tlogic.cli.datasets import datasets, download
from tlogic.cli.demo import demo
from tlogic.cli.evaluate import evaluate
from tlogic.cli.events import events
from tlogic.cli.fit import fit
from tlogic.cli.flags import Command, Group
from tlogic.cli.forecast import forecast
from tlogic.cli.groups import with_groups
from tlogic.cli.index import index
from tlogic.cli.ingest import ingest
from tlogic.cli.learn import learn
from tlogic.cli.measure import measure
from tlogic.cli.outlook import outlook
from tlogic.cli.overwriting import keeping_inputs
from tlogic.cli.plot import plot
from tlogic.cli.reproduce import reproduce
from tlogic.cli.rules import rules
from tlogic.cli.sample import sample
from tlogic.cli.serve import serve
from tlogic.cli.stats import stats
from tlogic.cli.surprises import surprises
from tlogic.cli.tune import tune

app = typer.Typer(
    cls=Group,
    help="Learn from dated events, forecast what comes next, and show why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Learn from dated events, forecast what comes next, and show why."""
    if version:
        from tlogic.version import __version__

        print(f"tlogic {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Start": (demo, sample, download, datasets),
    "Ask": (forecast, outlook, surprises, changes),
    "Models and rules": (fit, learn, rules, measure, tune),
    "Check": (evaluate, backtest, stats, reproduce),
    "Serve and store": (serve, ingest, index),
}
for panel, commands in _PANELS.items():
    for command in commands:
        app.command(cls=Command, rich_help_panel=panel)(keeping_inputs(with_groups(command)))
app.add_typer(plot, name="plot", rich_help_panel="Check")
app.add_typer(events, name="events", rich_help_panel="Serve and store")
