"""Measurement of rules that exist already, such as hand-written ones: their supports, and so their confidence."""

from collections.abc import Iterable

import numpy as np

from tlogic.errors import InputError
from tlogic.execution import Execution
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.learning.confidence import RULES_PER_CHUNK, support_counter
from tlogic.learning.settings import Confidence, LearningSettings
from tlogic.learning.training_edges import training_edges
from tlogic.parallel import in_chunks
from tlogic.rules import Rule, RuleSet


def measure_rules(
    graph: TemporalGraph,
    rules: Iterable[Rule],
    body_samples: int,
    confidence: Confidence,
    seed: int,
    execution: Execution = Execution(),
) -> RuleSet:
    """The rules in their order, with supports counted on the training facts as learning counts them.

    Rules whose body never occurs, or not among the samples, have no confidence and are left out.
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
        counted = execution.run(lambda: count, chunks, f"confidence, length {length}")
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
