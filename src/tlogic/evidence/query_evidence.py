"""QueryEvidence: the evidence for any query over one graph, from earlier facts.

Queries are answered in order of time, with one memory that takes in the facts before each of them. The memory is kept,
so that later queries go on from there. For earlier queries, a memory is built anew.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from threading import RLock
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from tlogic.evidence.memory import Evidence, Memory
from tlogic.evidence.memory_cache import MemoryCache
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.evidence.relation_numbers import encode_relations
from tlogic.execution import Execution
from tlogic.forecasting.application import QueryBatch
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph.arrays import Ints
from tlogic.graph.facts import Facts
from tlogic.graph.graph_protocol import Graph
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.parallel import thread_count

Result = TypeVar("Result")
Visitor: TypeAlias = Callable[[Memory, int], None]
"""What is called with a memory and the time step before which all its facts are."""

_MAX_QUERIES = 64  # per chunk; bounds the memory for evidence
_N_BLOCKS = 64  # of queries, for the workers of a cluster; fixed, so that it does not depend on their number
_FEW_RELATIONS = 0.2  # of all; a memory of the past that is built for so few learns about these only
_MANY_FACTS = 100_000  # the progress of learning from so many is shown
_N_PARTS = 100  # of many facts, after each of which the progress is shown


class BaseQueryEvidence(ABC):
    """Extracts the evidence for queries over one graph.

    Args:
        graph: The graph.
        settings: What determines a memory, besides the facts.
    """

    def __init__(self, graph: Graph, settings: MemorySettings) -> None:
        self.graph, self.settings = graph, settings
        self._lock = RLock()
        self._visits: deque[int] = deque()  # time steps, in ascending order
        self._visitor: Visitor | None = None

    @abstractmethod
    def memory_before(
        self, now: int, heads: Ints, pool: ThreadPoolExecutor | None = None, execution: Execution = Execution()
    ) -> Memory:
        """A memory of all facts before a time step, and perhaps some of that step.

        Args:
            now: The time step.
            heads: The relations of the queries, numbered as in a memory.
            pool: Threads that may do the work.
            execution: Who is shown the progress of learning from many facts.
        """

    def map(
        self,
        queries: QueryBatch,
        function: Callable[[Evidence], Result],
        execution: Execution,
        description: str = "queries",
    ) -> Iterator[list[Result]]:
        """Apply a function to the evidence of distinct queries, sorted by time; some lists of results.

        Args:
            queries: The queries.
            function: What to compute from a part of them, of one time step; it runs where the evidence was extracted.
            execution: How work is spread over threads or a cluster, and who is shown its progress.
            description: What the progress is called.
        """
        steps, starts = np.unique(queries.time, return_index=True)
        bounds = np.append(starts, len(queries.time))
        if execution.cluster is None:
            found = self._sweep(queries, steps.tolist(), bounds, function, execution)
            return iter(execution.follow(found, len(steps), description))
        blocks = _blocks(bounds)
        return execution.run(lambda: _ClusterWorker(self, queries, function), blocks, description)

    def visit(self, steps: Iterable[int], visitor: Visitor) -> None:
        """Have the memory visited on its way: with all facts before each of some time steps, and no others.

        The visitor may run while the queries of the time step are answered, so it must not change the memory.
        """
        self._visits, self._visitor = deque(sorted(steps)), visitor

    def visit_at(self, memory: Memory, now: int) -> None:
        """Call the visitor, if it is to visit this time step."""
        if self._visitor and self._visits and self._visits[0] == now:
            self._visits.popleft()
            self._visitor(memory, now)

    def prepare(self, first: int, relations: Ints) -> None:
        """Get a memory ready that serves queries of some relations from a time step on."""
        with self._lock:
            self.memory_before(first, np.unique(encode_relations(relations, len(self.graph.relations.base))))

    @contextmanager
    def at(self, query: EncodedQuery) -> Iterator[tuple[Evidence, Memory]]:
        """The evidence of one query, and the memory as it was before it; no other thread changes that."""
        heads = encode_relations(np.array([query.relation]), len(self.graph.relations.base))
        with self.memory_at(query.time, heads) as memory:
            popular = memory.popular(heads, query.time)
            subject, first = np.array([query.subject]), np.zeros(1, np.int64)
            yield memory.evidence(query.time, first, subject, heads, popular), memory

    @contextmanager
    def memory_at(self, now: int, heads: Ints | None = None, execution: Execution = Execution()) -> Iterator[Memory]:
        """The memory as it was before a time step; no other thread changes that.

        Args:
            now: The time step.
            heads: The relations of the queries, numbered as in a memory; None for all.
            execution: How many threads learn from many facts, and who is shown the progress.
        """
        heads = np.arange(len(self.graph.relations)) if heads is None else heads
        with self._lock, _pool(execution.threads) as pool:
            memory = self.memory_before(now, heads, pool, execution)
            with memory.before(now, heads):
                yield memory

    def _sweep(
        self,
        queries: QueryBatch,
        steps: list[int],
        bounds: Ints,
        function: Callable[[Evidence], Result],
        execution: Execution,
    ) -> Iterator[list[Result]]:
        """The results of each time step. Those of one are handed over while the threads work on the next."""
        relation = encode_relations(queries.relation, len(self.graph.relations.base))
        all_heads = np.unique(relation)
        finished: list[Result] | None = None
        with self._lock, _pool(execution.threads) as pool:
            for now, start, end in zip(steps, bounds[:-1], bounds[1:], strict=True):
                memory = self.memory_before(now, all_heads, pool, execution)
                own = start + np.lexsort((relation[start:end], queries.subject[start:end]))
                heads = np.unique(relation[own])
                with memory.before(now, heads):
                    popular = memory.popular(heads, now, pool)

                    def work(chunk: Ints, memory: Memory = memory, now: int = now, popular: Ints = popular) -> Result:
                        evidence = memory.evidence(now, chunk, queries.subject[chunk], relation[chunk], popular)
                        return function(evidence)

                    visit = partial(self.visit_at, memory, now)  # it takes longer than a chunk, so it begins first
                    visited = pool.submit(visit) if pool else visit()
                    chunks = np.array_split(own, _n_chunks(len(own), thread_count(execution.threads)))
                    results = pool.map(work, chunks) if pool else map(work, chunks)
                    if finished is not None:
                        yield finished
                    finished = list(results)
                    if isinstance(visited, Future):
                        visited.result()
            if finished is not None:
                yield finished


class QueryEvidence(BaseQueryEvidence):
    """Extracts the evidence for queries over a graph that does not change."""

    graph: TemporalGraph

    def __init__(self, graph: TemporalGraph, settings: MemorySettings) -> None:
        super().__init__(graph, settings)
        self._memory = Memory(settings)
        self._heads: Ints | None = None  # the relations for whose queries the memory learned; None for all
        self._cache = MemoryCache(graph, settings)

    def __reduce__(self) -> tuple[Any, ...]:
        """Workers of a cluster get the graph, and build memories of their own: this one changes with every query."""
        return QueryEvidence, (self.graph, self.settings)

    def memory_before(
        self, now: int, heads: Ints, pool: ThreadPoolExecutor | None = None, execution: Execution = Execution()
    ) -> Memory:
        """The memory, with all facts before a time step and perhaps some of that step."""
        lacks_heads = self._heads is not None and not np.isin(heads, self._heads).all()
        if not 0 <= self._memory.newest <= now or lacks_heads:
            self._begin(now, heads)
        first = self._memory.newest + 1
        memory, self._memory = self._memory, Memory(self.settings)  # lost if adding fails halfway
        while self._visits and self._visits[0] < now:
            self._add(memory, self._visits[0], pool, execution)
            self.visit_at(memory, self._visits[0])
        self._add(memory, now, pool, execution)
        self._memory = memory
        if memory.newest >= first and now >= self.graph.end and self._heads is None:
            self._cache.store(self._memory, self.graph.end)
        return self._memory

    def _add(self, memory: Memory, until: int, pool: ThreadPoolExecutor | None, execution: Execution) -> None:
        """Add the facts that come next, before a time step."""
        for part in followed(self.graph.facts.between(memory.newest + 1, until), execution):
            memory.add(part, self._heads, pool)

    def complete_memory(self, execution: Execution = Execution()) -> Memory:
        """The memory of all facts of the graph."""
        return self.memory_until(self.graph.end, execution)

    def memory_until(self, until: int, execution: Execution = Execution()) -> Memory:
        """The memory of exactly the facts before a time step, for queries of all relations."""
        with self._lock, _pool(execution.threads) as pool:
            return self.memory_before(until, np.arange(len(self.graph.relations)), pool, execution)

    def _begin(self, now: int, heads: Ints) -> None:
        """Begin with the stored memory that comes next before a time step, or with none."""
        memory, self._heads = self._cache.open_before(now), None
        if memory is None:
            memory = Memory(self.settings)
            memory.add_names(self.graph.entities.names, self.graph.relations.base)
            memory.reserve(self.graph.facts)
            if not self._visits and now < self.graph.end and len(heads) < _FEW_RELATIONS * len(self.graph.relations):
                self._heads = heads
        self._memory = memory


class _ClusterWorker(Generic[Result]):
    """Goes through its blocks of queries with a memory of its own."""

    def __init__(
        self, evidence: BaseQueryEvidence, queries: QueryBatch, function: Callable[[Evidence], Result]
    ) -> None:
        self._evidence, self._queries, self._function = evidence, queries, function

    def __call__(self, block: Ints) -> list[Result]:
        def in_all(evidence: Evidence) -> Result:
            return self._function(evidence._replace(query=block[evidence.query]))

        own = QueryBatch(*(column[block] for column in self._queries))
        parts = self._evidence.map(own, in_all, Execution(threads=1))
        return [result for part in parts for result in part]


def followed(facts: Facts, execution: Execution) -> Iterable[Facts]:
    """Facts, sorted by time, in parts of whole time steps, with their progress shown; few facts are one part."""
    n = len(facts.time)
    if n < _MANY_FACTS:
        return [facts]
    cuts = np.unique(np.searchsorted(facts.time, facts.time[:: n // _N_PARTS]))
    parts = [Facts(*(column[first:end] for column in facts)) for first, end in pairwise([*cuts.tolist(), n])]
    return execution.follow(parts, len(parts), "learning from events")


def _blocks(bounds: Ints) -> list[Ints]:
    """Queries in blocks of about the same size, cut between time steps, so that parts are those of a single process."""
    n = int(bounds[-1])
    cuts = np.unique(bounds[np.searchsorted(bounds, np.linspace(0, n, _N_BLOCKS + 1).astype(np.int64))])
    return [np.arange(first, end) for first, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]


def _n_chunks(n_queries: int, n_threads: int) -> int:
    """The number of chunks for some queries: as many for each thread, so that none waits for another.

    >>> _n_chunks(150, n_threads=2)
    4
    """
    return min(-(-n_queries // (_MAX_QUERIES * n_threads)) * n_threads, n_queries)


@contextmanager
def _pool(threads: int | None) -> Iterator[ThreadPoolExecutor | None]:
    """Threads that share the work of a time step; None if one thread does it."""
    n = thread_count(threads)
    if n == 1:
        yield None
    else:
        with ThreadPoolExecutor(n) as pool:
            yield pool
