"""`tlogic learn`: rules from facts."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.options import DataOptions, Threads, integers


class Transition(StrEnum):
    """How a walk chooses its next edge."""

    exp = "exp"
    unif = "unif"


def learn(
    data: DataOptions,
    out: Annotated[Path, typer.Option(help="The rule file to write.", metavar="RULES")],
    lengths: Annotated[str, typer.Option(help="Rule lengths, separated by commas.")] = "1,2,3",
    walks: Annotated[int, typer.Option(help="Walks per relation and length.")] = 200,
    transition: Annotated[Transition, typer.Option(help="Prefer recent edges (exp) or not (unif).")] = Transition.exp,
    body_samples: Annotated[int, typer.Option(help="Bodies sampled per rule for its confidence.")] = 500,
    relation: Annotated[
        list[str] | None,
        typer.Option(help="Learn rules for this relation only; can be given again.", metavar="NAME"),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the random walks.")] = 12,
    threads: Threads = None,
) -> None:
    """Learn rules from the training facts of DATA."""
    import tlogic
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.learning.bodies import count_supports

    settings = tlogic.LearningSettings(
        lengths=integers(lengths),
        walks=walks,
        transition=transition.value,
        body_samples=body_samples,
        seed=seed,
    )
    graph = data.read()
    with wait_for_kernels(count_supports), progress() as follow:
        rules = tlogic.learn(graph, settings, relations=relation, threads=threads, progress=follow)
    rules.save(out)
    counts = ", ".join(f"{count:,} of length {length}" for length, count in rules.by_length().items())
    error_console.print(f"{len(rules):,} rules ({counts}) from {len(graph.train):,} facts, written to {out}")
