"""`tlogic learn`: rules from facts."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tlogic.cli.options import Cluster, DataOptions, Threads, integers


class Transition(StrEnum):
    """How a walk chooses its next edge."""

    exp = "exp"
    unif = "unif"


class Confidence(StrEnum):
    """Which bodies count."""

    sampled = "sampled"
    exact = "exact"


ConfidenceOption = Annotated[
    Confidence, typer.Option(help="Count the sampled bodies, or all there are (exact; up to length 3).")
]


def learn(
    data: DataOptions,
    out: Annotated[Path, typer.Option(help="The rule file to write.", metavar="RULES")],
    lengths: Annotated[str, typer.Option(help="Rule lengths, separated by commas.")] = "1,2,3",
    walks: Annotated[int, typer.Option(help="Walks per relation and length.")] = 200,
    transition: Annotated[Transition, typer.Option(help="Prefer recent edges (exp) or not (unif).")] = Transition.exp,
    body_samples: Annotated[int, typer.Option(help="Bodies sampled per rule for its confidence.")] = 500,
    confidence: ConfidenceOption = Confidence.sampled,
    relation: Annotated[
        list[str] | None,
        typer.Option(help="Learn rules for this relation only; can be given again.", metavar="NAME"),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the random walks.")] = 12,
    threads: Threads = None,
    cluster: Cluster = None,
    resume: Annotated[
        bool | None,
        typer.Option(
            "--resume/--no-resume",
            help="Go on with an unfinished run, which lies in RULES.partial; or begin anew without it.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Learn rules from the training facts of DATA.

    What is finished is kept in RULES.partial until RULES is written, so that a run that was killed can go on.
    """
    import tlogic
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.learning.checkpoint import discard
    from tlogic.learning.exact_repeated_variables import count_repeated
    from tlogic.learning.sampled_support import count_sampled_supports

    settings = tlogic.LearningSettings(
        lengths=integers(lengths),
        walks=walks,
        transition=transition.value,
        body_samples=body_samples,
        confidence=confidence.value,
        seed=seed,
    )
    kernel = count_repeated if confidence is Confidence.exact else count_sampled_supports
    partial = out.with_name(f"{out.name}.partial")
    finished = _find_unfinished(partial, resume)
    graph = data.read(out)
    if not finished:
        discard(partial)
    with _telling_how_to_go_on(partial), wait_for_kernels(kernel), progress() as follow:
        how: dict[str, Any] = {"threads": threads, "cluster": cluster, "progress": follow}
        rules = tlogic.learn(graph, settings, relations=relation, checkpoint=partial, **how)
        rules.save(out)
    discard(partial)
    counts = ", ".join(f"{count:,} of length {length}" for length, count in rules.by_length().items())
    found = f"{len(rules):,} rules ({counts})" if counts else "No rules were found"
    error_console.print(f"{found} in {len(graph.train):,} facts; written to {out}", markup=False)


def _find_unfinished(partial: Path, resume: bool | None) -> int:
    """How many finished chunks to go on with; work of hours is not thrown away, nor taken up, without being asked."""
    from tlogic.cli.console import error_console
    from tlogic.errors import InputError
    from tlogic.learning.checkpoint import count_finished

    if resume is False:
        return 0
    finished = count_finished(partial)
    if finished and not resume:
        raise InputError(
            f"An unfinished run is in {partial} ({finished} finished chunks): "
            "--resume goes on with it, --no-resume begins anew without it."
        )
    if resume:
        going_on = f"Going on with {partial} ({finished} finished chunks)."
        error_console.print(
            going_on if finished else f"There is no unfinished run in {partial}; beginning anew.", markup=False
        )
    return finished


@contextmanager
def _telling_how_to_go_on(partial: Path) -> Iterator[None]:
    """Where the run is interrupted, or its cluster breaks down, say that it is not lost."""
    from tlogic.cli.console import error_console
    from tlogic.errors import TLogicError
    from tlogic.learning.checkpoint import count_finished

    try:
        yield
    except (KeyboardInterrupt, TLogicError):
        if count_finished(partial):
            error_console.print(
                f"What is finished is in {partial}: the same command with --resume goes on from there.", markup=False
            )
        raise
