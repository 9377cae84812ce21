"""`tlogic sample`: write the built-in sample world to a folder."""

from pathlib import Path
from typing import Annotated

import typer


def sample(
    out: Annotated[Path, typer.Option(help="The folder to write to.", metavar="DIR")],
    seed: Annotated[int, typer.Option(help="The seed of the simulation.")] = 7,
    days: Annotated[int, typer.Option(help="The number of days to simulate.")] = 450,
) -> None:
    """Write the sample world: simulated events that follow known (planted) rules."""
    from tlogic.events.sample.simulation import write_sample

    write_sample(out, seed, days)
    typer.echo(f"Wrote the sample world to {out}; its README.txt lists the planted rules.", err=True)
