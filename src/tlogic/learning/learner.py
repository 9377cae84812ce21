"""Rule learning: walks become rules, sampled bodies give them their confidence."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from tlogic.graph.arrays import Ints
from tlogic.graph.index import build_pair_edges, build_slot_edges, build_source_edges
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.learning.bodies import count_supports
from tlogic.learning.settings import LearningSettings
from tlogic.learning.walks import WalkIndex, WalkSettings, sample_rules
from tlogic.parallel import in_parallel
from tlogic.rules import Rule, RuleSet

_CHUNKS = 64


def learn(
    graph: TemporalGraph,
    settings: LearningSettings | None = None,
    *,
    relations: Sequence[str] | None = None,
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
    **changes: Any,
) -> RuleSet:
    """Learn rules from a graph's training facts, for all relations and their inverses or for the given ones.

    Settings can be given whole or one by one: ``learn(graph, lengths=(1, 2), walks=50)``.

    >>> import tlogic
    >>> rules = tlogic.learn(tlogic.sample(), lengths=(1,), relations=["sign_agreement_with"])
    >>> print(rules[0])
    sign_agreement_with(X, Y, T2) <- negotiate_with(X, Y, T1)
    """
    settings = settings or LearningSettings(**changes)
    train = graph.train
    heads = _heads(graph, relations)
    follow = progress or (lambda items, **_: items)
    slots = build_slot_edges(train.edges)
    walk_index = WalkIndex(
        slots, build_source_edges(train.edges), build_pair_edges(train.edges), len(graph.relations.base)
    )
    found: list[tuple[tuple[int, ...], Ints]] = []
    for length in settings.lengths:
        how = WalkSettings(length, settings.walks, settings.transition == "exp", settings.seed)
        walk = partial(sample_rules, walk_index, how)
        chunks = np.array_split(heads, min(_CHUNKS, len(heads)))
        rows = in_parallel(partial(_always, walk), chunks, threads)
        tasks = follow(rows, total=len(chunks), description=f"walks of length {length}")
        found += _with_confidence(train, slots, length, np.concatenate(list(tasks)), settings, threads, follow)
    return RuleSet(
        _named(graph, found),
        settings=asdict(settings) | {"relations": list(relations) if relations else "all"},
        data={"fingerprint": train.fingerprint, "training facts": len(train)},
    )


def _always(work: Callable[[Ints], Ints]) -> Callable[[Ints], Ints]:
    """A worker without memory of its own."""
    return work


def _heads(graph: TemporalGraph, relations: Sequence[str] | None) -> Ints:
    if not relations:
        return np.arange(len(graph.relations))
    return np.unique([graph.relations.id_of(name) for name in relations])


def _with_confidence(
    train: TemporalGraph,
    slots: Any,
    length: int,
    rules: Ints,
    settings: LearningSettings,
    threads: int | None,
    follow: Callable[..., Any],
) -> list[tuple[tuple[int, ...], Ints]]:
    """The rules that held at least once, each with its supports."""
    rules = np.ascontiguousarray(
        rules[np.lexsort(rules.T[::-1])]
    )  # equal bodies stand together and share their samples

    def count(chunk: Ints) -> Ints:
        body, variables, head = np.split(chunk, [length, 2 * length + 1], axis=1)
        head, body, variables = (np.ascontiguousarray(column) for column in (head[:, 0], body, variables))
        return count_supports(train.triples, slots, head, body, variables, settings.body_samples, settings.seed)

    chunks = np.array_split(rules, min(_CHUNKS, max(len(rules), 1)))
    counted = follow(
        in_parallel(partial(_always, count), chunks, threads),
        total=len(chunks),
        description=f"confidence, length {length}",
    )
    supports = np.concatenate(list(counted))
    kept = supports[:, 1] > 0
    return list(zip(map(tuple, rules[kept].tolist()), supports[kept].tolist(), strict=True))


def _named(graph: TemporalGraph, found: list[tuple[tuple[int, ...], Ints]]) -> tuple[Rule, ...]:
    """Rules with names, by head and decreasing confidence, shorter and better supported ones first among equals."""
    name = graph.relations.names
    ordered = []
    for row, (body_support, rule_support) in found:
        length = (len(row) - 2) // 2
        key = (row[-1], -rule_support / body_support, length, -body_support, row)
        rule = Rule(
            name[row[-1]],
            tuple(name[relation] for relation in row[:length]),
            row[length:-1],
            rule_support,
            body_support,
        )
        ordered.append((key, rule))
    return tuple(rule for _, rule in sorted(ordered))
