"""`tlogic sample` and `tlogic demo`: the built-in sample world."""

from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.options import Threads
from tlogic.cli.serve import Port, serve_sample


def sample(
    out: Annotated[Path, typer.Option(help="The folder to write to.", metavar="DIR")],
    seed: Annotated[int, typer.Option(help="The seed of the world.")] = 7,
    days: Annotated[int, typer.Option(help="How many days of events.")] = 450,
) -> None:
    """Write the sample world: invented events whose rules are known, because they were planted."""
    from tlogic.events.sample.simulation import write_sample

    write_sample(out, seed, days)
    typer.echo(f"The sample world is in {out}; its README.txt tells the planted rules.", err=True)


def demo(
    serve: Annotated[bool, typer.Option("--serve", help="Show it on a page in the browser instead.")] = False,
    port: Port = 8080,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page with --serve.")] = True,
    threads: Threads = None,
) -> None:
    """Learn and forecast the sample world, and show why."""
    if serve:
        serve_sample(port, browser, threads)
        return
    from tlogic.cli.demo import run_demo

    run_demo(threads)
