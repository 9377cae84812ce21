"""`tlogic sample`: write the built-in sample world to a folder."""

from pathlib import Path
from typing import Annotated

import typer


def sample(
    out: Annotated[Path, typer.Option(help="The folder to write to.", metavar="DIR")],
    seed: Annotated[int, typer.Option(help="The seed of the world.")] = 7,
    days: Annotated[int, typer.Option(help="How many days of events.")] = 450,
) -> None:
    """Write the sample world: invented events whose rules are known, because they were planted."""
    from tlogic.events.sample.simulation import write_sample

    write_sample(out, seed, days)
    typer.echo(f"The sample world is in {out}; its README.txt tells the planted rules.", err=True)
