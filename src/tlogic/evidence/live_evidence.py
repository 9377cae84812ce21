"""LiveQueryEvidence: the evidence for queries over a graph that grows.

Each event is learned when it arrives, unless its time step is before the newest one. Such late events change what later
events taught, so the memory is built anew: at once if there are few facts, otherwise by a thread of its own. Until then
the evidence is that without the late events.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import numpy as np

from tlogic.evidence.memory import Memory
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.evidence.query_evidence import BaseQueryEvidence, followed
from tlogic.execution import Execution
from tlogic.graph.arrays import Ints
from tlogic.graph.facts import Facts
from tlogic.graph.live_graph import LiveGraph

_FEW_FACTS = 20_000
"""A memory of so many facts is built at once."""


class LiveQueryEvidence(BaseQueryEvidence):
    """Extracts the evidence for queries over a live graph, with a memory that learns from events as they arrive.

    The graph must not change while one of its methods runs.

    Args:
        graph: The graph.
        settings: What determines a memory, besides the facts.
    """

    graph: LiveGraph

    def __init__(self, graph: LiveGraph, settings: MemorySettings) -> None:
        super().__init__(graph, settings)
        self._memory, self._n_known = Memory(settings), 0
        self._origin = graph.timeline.origin
        self._past: tuple[tuple[int, int, bytes], Memory] | None = None
        self._rebuild: Thread | None = None
        self._rebuilt: tuple[Memory, int] | None = None
        self.n_late = 0
        """Events that wait for the memory to be built anew."""

    @property
    def memory(self) -> Memory:
        """The memory of the events so far."""
        return self._memory

    @property
    def n_known(self) -> int:
        """How many facts of the graph the memory has, or has put aside because they are late."""
        return self._n_known

    @property
    def is_complete(self) -> bool:
        """Whether the memory has all facts that it was shown: none was late."""
        return self.n_late == 0 and self._rebuild is None

    def resume(self, memory: Memory, n_known: int) -> None:
        """Go on with a memory of the first facts of the graph."""
        self._memory, self._n_known = memory, n_known

    def memory_before(
        self, now: int, heads: Ints, pool: ThreadPoolExecutor | None = None, execution: Execution = Execution()
    ) -> Memory:
        """The memory with all events; for a time step before the newest one, a memory of what was before it."""
        self.catch_up()
        if now >= self._memory.newest:
            return self._memory
        key = now, len(self.graph), heads.tobytes()
        if self._past is None or self._past[0] != key:
            past = Memory(self.settings)
            past.add_names(self.graph.entities.names, self.graph.relations.base)
            facts = self.graph.facts_since(0)
            for part in followed(_in_time(Facts(*(column[facts.time < now] for column in facts))), execution):
                past.add(part, heads, pool)
            self._past = key, past
        return self._past[1]

    def catch_up(self) -> None:
        """Learn the events that the graph has and the memory lacks."""
        with self._lock:
            self._take_rebuilt()
            self._learn_new()
            if self.n_late and not self._is_rebuilding:
                self._begin_rebuild()

    @property
    def _is_rebuilding(self) -> bool:
        """Whether a thread builds a memory that will be of use. One that failed is forgotten."""
        has_thread = self._rebuild is not None and (self._rebuild.is_alive() or self._rebuilt is not None)
        return has_thread and self._origin == self.graph.timeline.origin

    def _learn_new(self) -> None:
        """Take in new events, apart from late ones."""
        n_facts = len(self.graph)
        if n_facts == self._n_known:
            return
        new = self.graph.facts_since(self._n_known)
        if self.graph.timeline.origin != self._origin:  # all time steps have other numbers
            self.n_late += len(new.time)
        else:
            late = new.time < self._memory.newest
            memory, self._memory = self._memory, Memory(self.settings)  # lost if adding fails halfway
            self._n_known = 0
            _add_names(memory, self.graph)
            memory.add(_in_time(Facts(*(column[~late] for column in new))))
            self._memory = memory
            self.n_late += int(late.sum())
        self._n_known = n_facts

    def _begin_rebuild(self) -> None:
        facts, names = self.graph.facts_since(0), (list(self.graph.entities.names), list(self.graph.relations.base))
        has_new_numbers = self._origin != self.graph.timeline.origin  # of time steps, so the memory is of no use
        origin = self._origin = self.graph.timeline.origin

        def build() -> None:
            memory = Memory(self.settings)
            memory.add_names(*names)
            memory.add(_in_time(facts))
            if origin == self._origin:  # else another one is being built
                self._rebuilt = memory, len(facts.time)

        if len(facts.time) <= _FEW_FACTS or has_new_numbers:
            build()
            self._take_rebuilt()
            self._learn_new()
        else:
            self._rebuild = Thread(target=build, name="memory", daemon=True)
            self._rebuild.start()

    def _take_rebuilt(self) -> None:
        """Use a memory that was built anew; the events since then are learned next."""
        if self._rebuilt is not None:
            self._memory, self._n_known = self._rebuilt
            self._rebuilt, self._rebuild, self.n_late = None, None, 0


def _add_names(memory: Memory, graph: LiveGraph) -> None:
    """Add the names of a graph that a memory lacks."""
    entities, relations = graph.entities.names[memory.n_entities :], graph.relations.base[memory.n_relations :]
    if entities or relations:
        memory.add_names(entities, relations)


def _in_time(facts: Facts) -> Facts:
    order = np.argsort(facts.time, kind="stable")
    return Facts(*(column[order] for column in facts))
