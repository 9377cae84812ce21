"""`tlogic learn`: learn rules from facts."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tlogic.cli.data_options import DataOptions
from tlogic.cli.options import Cluster, ExecutionOption, OutOption, Threads, integers
from tlogic.learning.settings import MAX_EXACT_LENGTH, LearningSettings


class Transition(StrEnum):
    """The distribution of the next edge of a walk."""

    exp = "exp"
    unif = "unif"


class Confidence(StrEnum):
    """How to compute the confidence of a rule."""

    sampled = "sampled"
    exact = "exact"


BodySamples = Annotated[
    int, typer.Option(help="The number of bodies to sample per rule for its confidence.", metavar="N")
]
ConfidenceOption = Annotated[
    Confidence,
    typer.Option(
        help="Estimate the confidence from sampled bodies (sampled), or count all bodies (exact; up to length "
        f"{MAX_EXACT_LENGTH})."
    ),
]


def learn(
    data: DataOptions,
    out: Annotated[Path, OutOption(help="The rule file to write.", metavar="RULES")],
    lengths: Annotated[
        str, typer.Option(help="The rule lengths to learn, separated by commas.", metavar="LENGTHS")
    ] = ",".join(map(str, LearningSettings.lengths)),
    walks: Annotated[
        int, typer.Option(help="The number of walks to sample per relation and length.", metavar="N")
    ] = LearningSettings.walks,
    transition: Annotated[
        Transition, typer.Option(help="Whether walks prefer recent edges (exp) or not (unif).")
    ] = Transition[LearningSettings.transition],
    body_samples: BodySamples = LearningSettings.body_samples,
    confidence: ConfidenceOption = Confidence[LearningSettings.confidence],
    relation: Annotated[
        list[str] | None,
        typer.Option(help="Learn rules only for this head relation; repeatable.", metavar="NAME"),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of all sampling.", metavar="N")] = LearningSettings.seed,
    threads: Threads = None,
    cluster: Cluster = None,
    resume: Annotated[
        bool | None,
        ExecutionOption(
            "--resume/--no-resume",
            help="Resume an unfinished run from RULES.partial, or discard it and start again.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Learn rules from the training facts of DATA.

    Finished work is kept in RULES.partial until RULES is written, so that an interrupted run can be resumed.
    """
    from tlogic import api
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.learning.checkpoint import discard

    settings = LearningSettings(
        lengths=integers(lengths),
        walks=walks,
        transition=transition.value,
        body_samples=body_samples,
        confidence=confidence.value,
        seed=seed,
    )
    partial = _partial_file(out)
    finished = _find_unfinished(partial, resume)
    graph = data.read(out)
    if partial and not finished:
        discard(partial)
    with _resume_hint(partial), wait_for_kernels(confidence_kernel(confidence)), progress() as follow:
        execution: dict[str, Any] = {"threads": threads, "cluster": cluster, "progress": follow}
        rules = api.learn(graph, settings, relations=relation, checkpoint=partial, **execution)
        rules.save(out)
    if partial:
        discard(partial)
    counts = ", ".join(f"{count:,} of length {length}" for length, count in rules.by_length().items())
    found = f"{len(rules):,} rules ({counts})" if counts else "No rules were found"
    error_console.print(f"{found} in {len(graph.train):,} facts; written to {out}", markup=False)


def confidence_kernel(confidence: Confidence) -> Any:
    """The kernel that is compiled last when confidence is first computed."""
    if confidence is Confidence.exact:
        from tlogic.learning.exact_repeated_variables import count_repeated

        return count_repeated
    from tlogic.learning.sampled_support import count_sampled_supports

    return count_sampled_supports


def _partial_file(out: Path) -> Path | None:
    """Where finished work is kept; None beside a device or pipe, such as /dev/stdout."""
    from tlogic.files import is_device

    return None if is_device(out) else out.with_name(f"{out.name}.partial")


def _find_unfinished(partial: Path | None, resume: bool | None) -> int:
    """The number of finished chunks to resume from; raises an error if the user must choose whether to resume."""
    from tlogic.cli.console import error_console
    from tlogic.errors import InputError
    from tlogic.learning.checkpoint import count_finished

    if partial is None:
        if resume:
            raise InputError("A run that writes to a device or pipe keeps no finished work; omit --resume.")
        return 0
    if resume is False:
        return 0
    finished = count_finished(partial)
    if finished and not resume:
        raise InputError(
            f"Found an unfinished run in {partial} ({finished} finished chunks): "
            "--resume continues it, --no-resume discards it and starts again."
        )
    if resume:
        resuming = f"Resuming from {partial} ({finished} finished chunks)."
        error_console.print(
            resuming if finished else f"There is no unfinished run in {partial}; starting a new one.", markup=False
        )
    return finished


@contextmanager
def _resume_hint(partial: Path | None) -> Iterator[None]:
    """After an interrupt or an error, such as a cluster failure, print how to resume."""
    from tlogic.cli.console import error_console
    from tlogic.errors import TLogicError
    from tlogic.learning.checkpoint import count_finished

    try:
        yield
    except (KeyboardInterrupt, TLogicError):
        if partial and count_finished(partial):
            error_console.print(
                f"Finished work is kept in {partial}: the same command with --resume continues the run.", markup=False
            )
        raise
