"""`tlogic fit`: fit a model, which scores candidates by weighted evidence."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.data_options import DataOptions
from tlogic.cli.options import Cluster, OutOption, Threads
from tlogic.models.settings import FitSettings


class Kind(StrEnum):
    """The kind of model."""

    scorecard = "scorecard"
    boosted = "boosted"


class TrainOn(StrEnum):
    """The facts to learn weights from."""

    train = "train"
    both = "train+valid"


_DEFAULT_TRAIN_ON = TrainOn(FitSettings.train_on)


def fit(
    data: DataOptions,
    out: Annotated[Path, OutOption(help="The model file to write.", metavar="MODEL")],
    model: Annotated[
        Kind,
        typer.Option(
            help="scorecard (a sum of weights) or boosted (a scorecard with trees on top; needs LightGBM).",
            metavar="KIND",
        ),
    ] = Kind[FitSettings.model],
    names: Annotated[
        bool, typer.Option("--names", help='Use the structure of entity names, such as "Police (India)", as evidence.')
    ] = FitSettings.names,
    train_on: Annotated[
        TrainOn, typer.Option(help="The facts to learn weights from: train or train+valid.", metavar="SPLITS")
    ] = _DEFAULT_TRAIN_ON,
    max_events: Annotated[
        int,
        typer.Option(
            help="How many last events of an entity are searched for evidence; bounds the cost of hubs.", metavar="N"
        ),
    ] = FitSettings.max_events,
    seed: Annotated[
        int, typer.Option(help="The seed of the sampling of queries and candidates.", metavar="N")
    ] = FitSettings.seed,
    threads: Threads = None,
    cluster: Cluster = None,
) -> None:
    """Fit a model to DATA: learn weights of evidence from past queries and their true answers."""
    from tlogic import api
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.models.boosting import lightgbm
    from tlogic.models.softmax import scores_of

    if model is Kind.boosted:
        lightgbm()  # a missing package is noticed before anything is read
    graph = data.read(out)
    with wait_for_kernels(scores_of), progress() as follow:
        fitted = api.fit(
            graph,
            model=model.value,
            names=names,
            train_on=train_on.value,
            max_events=max_events,
            seed=seed,
            threads=threads,
            cluster=cluster,
            progress=follow,
        )
    fitted.save(out)
    error_console.print(f"{fitted!r}, written to {out}", markup=False)
