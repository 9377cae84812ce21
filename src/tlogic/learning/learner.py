"""Rule learning: sample walks, turn them into rules, and count the supports of these."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tlogic.execution import Execution
from tlogic.graph.arrays import Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.learning.checkpoint import Checkpoint, Chunk
from tlogic.learning.confidence import RULES_PER_CHUNK, support_counter
from tlogic.learning.settings import LearningSettings
from tlogic.learning.training_edges import training_edges
from tlogic.learning.walks import WalkIndex, WalkSettings, sample_rules
from tlogic.parallel import in_chunks, in_parallel
from tlogic.rules import Rule, RuleSet
from tlogic.version import __version__

_HEADS_PER_CHUNK = 4  # head relations per unit of parallel work


def learn_rules(
    graph: TemporalGraph,
    settings: LearningSettings,
    relations: Sequence[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    execution: Execution = Execution(),
) -> RuleSet:
    """Learn rules from the training facts of a graph, for all relations and their inverses or for the given ones.

    The ``checkpoint`` file keeps finished chunks, so that a run that was killed continues from there.
    """
    train, heads = graph.train, _heads(graph, relations)
    run = _run(train, settings, relations)
    with nullcontext() if checkpoint is None else Checkpoint(checkpoint, run) as kept:
        compute = _Computation(execution, kept)
        found = list(_find_rules(graph, heads, settings, compute))
    return RuleSet(
        _named(graph, found),
        settings=asdict(settings) | {"relations": list(relations) if relations else "all"},
        data=train.describe(),
    )


def _heads(graph: TemporalGraph, relations: Sequence[str] | None) -> Ints:
    if not relations:
        return np.arange(len(graph.relations))
    return np.unique([graph.relations.id_of(name) for name in relations])


def _run(train: TemporalGraph, settings: LearningSettings, relations: Sequence[str] | None) -> dict[str, Any]:
    """Everything that the results of chunks depend on, by the names that messages use."""
    return {
        "the version of tlogic": __version__,
        "the number of training facts": len(train),
        "the fingerprint of the training facts": train.fingerprint,
        "relations": sorted(set(relations)) if relations else "all",
        **asdict(settings),
        "the size of a chunk": [_HEADS_PER_CHUNK, RULES_PER_CHUNK],
    }


@dataclass(frozen=True)
class _Computation:
    """Computes arrays chunk by chunk, on threads or a cluster; finished chunks come from a checkpoint."""

    execution: Execution
    kept: Checkpoint | None

    def __call__(self, stage: str, length: int, work: Callable[[Ints], Ints], parts: Sequence[Ints]) -> Ints:
        chunks = {Chunk(stage, length, number): part for number, part in enumerate(parts)}
        results = self._results(work, chunks)
        return np.concatenate(list(self.execution.follow(results, len(chunks), f"{stage}, length {length}")))

    def _results(self, work: Callable[[Ints], Ints], chunks: dict[Chunk, Ints]) -> Iterator[Ints]:
        todo = [part for chunk, part in chunks.items() if not (self.kept and chunk in self.kept)]
        computed: Any = in_parallel(lambda: work, todo, self.execution.threads, self.execution.cluster)
        with closing(computed):  # if a result cannot be written, do not wait for the others
            for chunk in chunks:
                rows = self.kept.take(chunk) if self.kept else None
                if rows is None:
                    rows = next(computed)
                    if self.kept:
                        self.kept.keep(chunk, rows)
                yield rows


class _Found(NamedTuple):
    """The rules of one length with a rule support above 0."""

    rows: Ints
    """One rule per row: body, variables, head; sorted."""
    supports: Ints
    """Per rule: body support and rule support."""


def _find_rules(
    graph: TemporalGraph, heads: Ints, settings: LearningSettings, compute: _Computation
) -> Iterator[_Found]:
    training = training_edges(graph)
    index = WalkIndex(training, graph.facts, graph.views.sources, graph.views.pairs, len(graph.relations.base))
    count = support_counter(graph, training, settings)
    for length in settings.lengths:
        how = WalkSettings(length, settings.walks, settings.transition == "exp", settings.seed)
        rows = compute("walks", length, partial(sample_rules, index, how), in_chunks(heads, _HEADS_PER_CHUNK))
        # rules with equal bodies become neighbours, so each body is sampled or counted once
        rows = np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])])
        supports = compute("confidence", length, count, in_chunks(rows, RULES_PER_CHUNK))
        held = supports[:, 1] > 0
        yield _Found(rows[held], supports[held])


def _named(graph: TemporalGraph, found: Sequence[_Found]) -> tuple[Rule, ...]:
    """Rules with names, by head and decreasing confidence; ties: shorter first, then larger body support."""
    names = np.array(graph.relations.names, object)
    rules: list[Rule] = []
    for rows, supports in found:
        length = (rows.shape[1] - 2) // 2
        bodies, variables = zip(*names[rows.T[:length]], strict=True), zip(*rows.T[length:-1].tolist(), strict=True)
        n_bodies, n_followed = supports.T.tolist()
        rules += map(Rule, names[rows[:, -1]], bodies, variables, n_followed, n_bodies)
    body_support, rule_support = np.concatenate([supports for _, supports in found]).T
    length_of = np.concatenate([np.full(len(rows), rows.shape[1]) for rows, _ in found])
    head = np.concatenate([rows[:, -1] for rows, _ in found])
    order = np.lexsort((-body_support, length_of, -rule_support / body_support, head))
    return tuple([rules[i] for i in order.tolist()])
