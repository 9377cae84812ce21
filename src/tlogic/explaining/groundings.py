"""The facts behind a score: for a rule and a candidate, the grounding with the latest t_1."""

from typing import NamedTuple

import numpy as np

from tlogic.graph.search import find
from tlogic.graph.temporal_graph import TemporalGraph


class DatedFact(NamedTuple):
    """A fact that is in the data, in numbers; its relation may be an inverse one."""

    subject: int
    relation: int
    object: int
    time: int


def latest_grounding(
    graph: TemporalGraph,
    body: tuple[int, ...],
    variables: tuple[int, ...],
    subject: int,
    candidate: int,
    since: int,
    until: int,
) -> list[DatedFact] | None:
    """The body's facts from subject to candidate with ``since <= time < until`` whose first time is latest, or None."""
    bound = {variables[0]: subject}
    if bound.setdefault(variables[-1], candidate) != candidate:
        return None
    best: list[DatedFact] | None = None
    for path in _paths(graph, body, variables, bound, 0):
        dated = _date(graph, path, since, until)
        if dated and (best is None or dated[0].time > best[0].time):
            best = dated
    return best


def _paths(
    graph: TemporalGraph, body: tuple[int, ...], variables: tuple[int, ...], bound: dict[int, int], depth: int
) -> list[list[tuple[int, int, int, int]]]:
    """All ways through the body as (source, relation, target, triple), whatever their times."""
    if depth == len(body):
        return [[]]
    triples, source = graph.triples, bound[variables[depth]]
    slot = find(triples.slot_start, triples.slot_relation, source, body[depth])
    if slot < 0:
        return []
    target = variables[depth + 1]
    if target in bound:
        triple = find(triples.triple_start, triples.target, slot, bound[target])
        steps = [triple] if triple >= 0 else []
    else:
        steps = list(range(triples.triple_start[slot], triples.triple_start[slot + 1]))
    paths = []
    for triple in steps:
        reached = int(triples.target[triple])
        step = (source, body[depth], reached, triple)
        rest = _paths(graph, body, variables, bound | {target: reached}, depth + 1)
        paths += [[step, *path] for path in rest]
    return paths


def _date(
    graph: TemporalGraph, path: list[tuple[int, int, int, int]], since: int, until: int
) -> list[DatedFact] | None:
    """Give the facts of a path their latest times, from the last one back, or None where that cannot be."""
    dated: list[DatedFact] = []
    for source, relation, target, triple in reversed(path):
        start, end = graph.triples.time_start[triple : triple + 2]
        times = graph.triples.time[start:end]
        place = int(np.searchsorted(times, until))
        if place == 0 or times[place - 1] < since:
            return None
        time = int(times[place - 1])
        dated.insert(0, DatedFact(source, relation, target, time))
        until = time + 1
    return dated
