"""`tlogic measure`: the confidence of rules that are already there."""

from pathlib import Path
from typing import Annotated

import typer

from tlogic.cli.learn import Confidence, ConfidenceOption
from tlogic.cli.options import Cluster, DataOptions, Threads


def measure(
    data: DataOptions,
    rules: Annotated[Path, typer.Option(help="The rule file to measure; a text file will do.", metavar="RULES")],
    out: Annotated[Path, typer.Option(help="The rule file to write.", metavar="NEW")],
    body_samples: Annotated[int, typer.Option(help="Bodies sampled per rule for its confidence.")] = 500,
    confidence: ConfidenceOption = Confidence.sampled,
    seed: Annotated[int, typer.Option(help="The seed of the samples.")] = 12,
    threads: Threads = None,
    cluster: Cluster = None,
) -> None:
    """Compute the confidence of RULES, such as hand-written ones, from the training facts of DATA."""
    import tlogic
    from tlogic.cli.console import error_console, progress, wait_for_kernels
    from tlogic.errors import InputError
    from tlogic.learning.exact_repeated_variables import count_repeated
    from tlogic.learning.sampled_support import count_sampled_supports
    from tlogic.names import did_you_mean

    given = tlogic.RuleSet.load(rules)
    graph = data.read(out)
    unknown = {name for rule in given for name in (rule.head, *rule.body) if graph.relations.match(name) is None}
    native = [rule for rule in given if unknown.isdisjoint((rule.head, *rule.body))]
    told = [f"The data has no relation {name!r}{did_you_mean(name, graph.relations)}" for name in sorted(unknown)]
    if not native:
        raise InputError("\n".join(["There is no rule to measure.", *told]))
    kernel = count_repeated if confidence is Confidence.exact else count_sampled_supports
    with wait_for_kernels(kernel), progress() as follow:
        measured = tlogic.measure(
            graph,
            native,
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
    if told:
        error_console.print("\n".join(["Left out for relations that are unknown:", *told]), markup=False)
    kept = {rule.identity for rule in measured}
    for rule in native:
        if rule.identity not in kept:
            error_console.print(f"Left out, since its body occurs nowhere: {rule}", markup=False)
