"""Measurement of rules that exist already, such as hand-written ones: their supports, and so their confidence."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tlogic.errors import InputError
from tlogic.graph.arrays import Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.learning.confidence import RULES_PER_CHUNK, support_counter
from tlogic.learning.settings import Confidence, LearningSettings
from tlogic.learning.training_edges import training_edges
from tlogic.parallel import in_chunks, in_parallel
from tlogic.rules import Rule, RuleSet


def measure(
    graph: TemporalGraph,
    rules: Iterable[Rule],
    *,
    body_samples: int = LearningSettings.body_samples,
    confidence: Confidence = LearningSettings.confidence,
    seed: int = LearningSettings.seed,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[..., Any] | None = None,
) -> RuleSet:
    """The rules, in their order, with supports from a graph's training facts, counted as learning does.

    A rule that learning found gets the same supports again, given the same settings. A rule whose body occurs nowhere,
    or nowhere among the samples, has no confidence and is left out.

    >>> import tlogic
    >>> from tlogic.rules import parse_rule
    >>> measured = measure(tlogic.sample(), [parse_rule("sue(X, Y, T2) <- bid_for(Y, X, T1)")])
    >>> 0.3 < measured[0].confidence < 0.5
    True
    """
    train, rules = graph.train, list(rules)
    by_length: dict[int, list[int]] = {}
    for index, rule in enumerate(rules):
        by_length.setdefault(len(rule.body), []).append(index)
    lengths = tuple(by_length) or LearningSettings.lengths
    settings = LearningSettings(lengths, body_samples=body_samples, confidence=confidence, seed=seed)
    count = support_counter(graph, training_edges(graph), settings)
    supports = np.zeros((len(rules), 2), np.int64)
    for length, indices in sorted(by_length.items()):
        rows = np.array([_row(graph, rules[index]) for index in indices], np.int32)
        order = np.lexsort(rows.T[::-1])  # neighbours with equal bodies share the work
        chunks = in_chunks(rows[order], RULES_PER_CHUNK)
        counted: Iterable[Ints] = in_parallel(lambda: count, chunks, threads, cluster)
        if progress:
            counted = progress(counted, total=len(chunks), description=f"confidence, length {length}")
        supports[np.array(indices)[order]] = np.concatenate(list(counted))
    return RuleSet(
        tuple(
            rule._replace(rule_support=rule_support, body_support=body_support)
            for rule, (body_support, rule_support) in zip(rules, supports.tolist(), strict=True)
            if body_support > 0
        ),
        settings={"body_samples": body_samples, "confidence": confidence, "seed": seed},
        data=train.describe(),
    )


def _row(graph: TemporalGraph, rule: Rule) -> list[int]:
    """A rule with relation ids: body, variables, head."""
    try:
        head, *body = (graph.relations.id_of(name) for name in (rule.head, *rule.body))
    except InputError as error:
        raise InputError(f"Cannot measure {rule}: {error}") from None
    return [*body, *rule.variables, head]
