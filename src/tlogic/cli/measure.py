"""`tlogic measure`: compute the confidence of given rules."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlogic.cli.data_options import DataOptions
from tlogic.cli.learn import BodySamples, Confidence, ConfidenceOption, confidence_kernel
from tlogic.cli.options import Cluster, OutOption, Threads
from tlogic.learning.settings import LearningSettings

if TYPE_CHECKING:
    from tlogic.graph import TemporalGraph
    from tlogic.rules import Rule, RuleSet


def measure(
    data: DataOptions,
    rules: Annotated[
        Path,
        typer.Option(help="The rule file to measure, such as a text file of rules.", metavar="RULES"),
    ],
    out: Annotated[Path, OutOption(help="The rule file to write.", metavar="NEW")],
    body_samples: BodySamples = LearningSettings.body_samples,
    confidence: ConfidenceOption = Confidence[LearningSettings.confidence],
    seed: Annotated[int, typer.Option(help="The seed of the sampling.", metavar="N")] = LearningSettings.seed,
    threads: Threads = None,
    cluster: Cluster = None,
) -> None:
    """Compute the confidence of RULES, such as hand-written ones, from the training facts of DATA."""
    from tlogic import api
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.errors import InputError
    from tlogic.rules import RuleSet

    given = RuleSet.load(rules)
    graph = data.read(out)
    measurable, problems = _split_measurable(given, graph)
    if not measurable:
        raise InputError("\n".join(["There is no rule to measure.", *problems]))
    with wait_for_kernels(confidence_kernel(confidence)), progress() as follow:
        measured = api.measure(
            graph,
            measurable,
            body_samples=body_samples,
            confidence=confidence.value,
            seed=seed,
            threads=threads,
            cluster=cluster,
            progress=follow,
        )
    measured.save(out)
    error_console.print(
        f"{len(measured):,} rules measured on {len(graph.train):,} facts, written to {out}", markup=False
    )
    if problems:
        error_console.print("\n".join(["Skipped rules with unknown relations:", *problems]), markup=False)
    kept = {rule.identity for rule in measured}
    for rule in measurable:
        if rule.identity not in kept:
            error_console.print(f"Skipped, because its body never occurs: {rule}", markup=False)


def _split_measurable(rules: "RuleSet", graph: "TemporalGraph") -> "tuple[list[Rule], list[str]]":
    """The rules whose relations the data has, and one message per relation that it does not have."""
    from tlogic.names import did_you_mean

    unknown = {name for rule in rules for name in (rule.head, *rule.body) if graph.relations.match(name) is None}
    measurable = [rule for rule in rules if unknown.isdisjoint((rule.head, *rule.body))]
    return measurable, [
        f"The data has no relation {name!r}{did_you_mean(name, graph.relations)}" for name in sorted(unknown)
    ]
