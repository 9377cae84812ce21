"""The evidence of queries over small graphs, row by row."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tests.evidence import twin
from tests.naive import Edge
from tests.strategies import LAST_TIME
from tlogic.evidence.groups import half_lives
from tlogic.evidence.memory import Evidence, Memory
from tlogic.evidence.memory_settings import ALL_EVENTS, MemorySettings
from tlogic.evidence.query_evidence import QueryEvidence
from tlogic.evidence.relation_numbers import decoded
from tlogic.execution import Execution
from tlogic.forecasting.application import QueryBatch
from tlogic.graph import Facts, TemporalGraph
from tlogic.graph.arrays import Floats

LIVES = half_lives(LAST_TIME)


class Extracted(NamedTuple):
    """A query (subject, relation, ?, time), its candidates, and their evidence: one row each."""

    subject: int
    relation: int
    time: int
    candidates: list[int]
    values: Floats


def facts_of(graph: TemporalGraph) -> list[Edge]:
    return [(s, r, o, t) for s, r, o, t in zip(*(column.tolist() for column in graph.facts), strict=True)]


def settings_of(*families: str, max_events: int = ALL_EVENTS) -> MemorySettings:
    """The settings of a memory for a small graph."""
    return MemorySettings(families, LIVES, max_events)


def data_of(graph: TemporalGraph, max_events: int = ALL_EVENTS) -> twin.Data:
    """The same facts for the twin."""
    return twin.Data(facts_of(graph), graph.entities.names, graph.relations.base, LIVES, max_events)


def extract(graph: TemporalGraph, queries: Sequence[tuple[int, int, int]], settings: MemorySettings) -> list[Extracted]:
    """The evidence of queries (subject, relation, time), in their order, which is that of time."""
    subject, relation, time = np.array(queries, np.int64).reshape(-1, 3).T.copy()
    batch = QueryBatch(subject, relation, time, time)
    parts = QueryEvidence(graph, settings).map(batch, lambda part: part, Execution(threads=1))
    found: dict[int, Extracted] = {}
    for part in (part for step in parts for part in step):
        found |= dict(zip(part.query.tolist(), rows_of(part, len(graph.relations.base)), strict=True))
    return [found[i] for i in range(len(queries))]


def rows_of(part: Evidence, n_base: int) -> Iterator[Extracted]:
    """The evidence of each query."""
    context = part.context
    bounds = zip(context.start[:-1].tolist(), context.start[1:].tolist(), strict=True)
    for s, r, (first, end) in zip(context.subject.tolist(), context.relation.tolist(), bounds, strict=True):
        candidates = context.candidate[first:end].tolist()
        yield Extracted(s, decoded(r, n_base), context.now, candidates, part.values[first:end])


def memory_evidence(memory: Memory, now: int) -> Evidence:
    """The evidence of all queries at a time step, for which the memory is ready."""
    n, heads = memory.n_entities, np.arange(2 * memory.n_relations)
    subject, relation = np.repeat(np.arange(n), len(heads)), np.tile(heads, n)
    return memory.evidence(now, np.arange(len(subject)), subject, relation, memory.popular(heads, now))


def as_facts(edges: Iterable[Edge]) -> Facts:
    """Facts in the given order."""
    return Facts(*np.array(list(edges), np.int32).reshape(-1, 4).T.copy())
