"""`tlogic sample`: write the built-in sample world to a folder."""

from pathlib import Path
from typing import Annotated

import typer

from tlogic import api
from tlogic.cli.options import OutOption, default_of

_DEFAULT_SEED, _DEFAULT_DAYS = (default_of(api.sample, name) for name in ("seed", "days"))


def sample(
    out: Annotated[Path, OutOption(help="The folder to write to.", metavar="DIR")],
    seed: Annotated[int, typer.Option(help="The seed of the simulation.", metavar="N")] = _DEFAULT_SEED,
    days: Annotated[int, typer.Option(help="The number of days to simulate.", metavar="N")] = _DEFAULT_DAYS,
) -> None:
    """Write the sample world: simulated events that follow known (planted) rules."""
    from tlogic.events.sample.simulation import write_sample

    write_sample(out, seed, days)
    typer.echo(f"Wrote the sample world to {out}; its README.txt lists the planted rules.", err=True)
