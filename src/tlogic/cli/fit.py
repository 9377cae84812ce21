"""`tlogic fit`: a model that scores candidates by sums of evidence."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.options import Cluster, DataOptions, Threads


class Kind(StrEnum):
    """What is fitted."""

    scorecard = "scorecard"
    boosted = "boosted"


class TrainOn(StrEnum):
    """The facts whose queries weights are learned from."""

    train = "train"
    both = "train+valid"


def fit(
    data: DataOptions,
    out: Annotated[Path, typer.Option(help="The model file to write.", metavar="MODEL")],
    model: Annotated[
        Kind, typer.Option(help="A sum of weights, or one with trees on top, which needs LightGBM.")
    ] = Kind.scorecard,
    names: Annotated[bool, typer.Option("--names", help='Use what names say, such as "Police (India)".')] = False,
    train_on: Annotated[TrainOn, typer.Option(help="The facts to learn from.")] = TrainOn.both,
    seed: Annotated[int, typer.Option(help="The seed of the order in which queries are learned from.")] = 12,
    threads: Threads = None,
    cluster: Cluster = None,
) -> None:
    """Fit a model to DATA: weights for what speaks for a candidate, learned from queries whose answers are known."""
    import tlogic
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.models.scorecard import scores_of

    graph = data.read(out)
    with wait_for_kernels(scores_of), progress() as follow:
        fitted = tlogic.fit(
            graph,
            model=model.value,
            names=names,
            train_on=train_on.value,
            seed=seed,
            threads=threads,
            cluster=cluster,
            progress=follow,
        )
    fitted.save(out)
    error_console.print(f"{fitted!r}, written to {out}", markup=False)
