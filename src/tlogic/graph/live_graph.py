"""LiveGraph: a graph that takes in facts as they come, without sorting the others again."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tlogic.events.timeline import Timeline
from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import find_within
from tlogic.graph.facts import NO_FACTS, Facts, sorted_distinct
from tlogic.graph.growing_index import GrowingIndex, build_growing_index, insert_facts, with_spare_capacity
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.graph.triples import build_triple_index
from tlogic.graph.vocabulary import Relations, Vocabulary

_WORTH_MERGING = 0.5
_FIRST_ROOM = 1024


class Snapshot(NamedTuple):
    """What a live graph held at some moment: copies, so that the graph may go on."""

    entities: Vocabulary
    relations: Relations
    timeline: Timeline
    facts: Facts
    """In the order in which they came."""
    numbers: int

    def graph(self) -> TemporalGraph:
        """The graph of these facts, all of them for training."""
        facts = sorted_distinct(self.facts, len(self.entities), len(self.relations.base))
        end = int(facts.time.max(initial=-1)) + 1
        return TemporalGraph(self.entities, self.relations, self.timeline, facts, valid_from=end, test_from=end)


class LiveGraph:
    """Names, a timeline and the facts so far. While one thread changes it, no other may read it.

    Forecasts take it where they take a ``TemporalGraph``, and are the same as from one that holds the same facts.
    ``version`` is another after every change; ``numbers`` is another when relations or times are numbered anew.

    >>> import tlogic
    >>> graph = LiveGraph.of(tlogic.sample())
    >>> facts = Facts(*np.array([[55], [0], [1], [500]]))
    >>> graph.add(facts, new_entities=["Newcomer Ltd"]), graph.end, len(graph)
    (1, 501, 11752)
    """

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.entities, self.relations = Vocabulary([], kind="entity"), Relations([])
        self.version = self.numbers = self.end = 0
        self._log = np.empty((len(Facts._fields), _FIRST_ROOM), np.int32)
        self._n_facts = 0
        self._settle(build_growing_index(build_triple_index(NO_FACTS, 0, 0)))

    @classmethod
    def of(cls, graph: TemporalGraph) -> "LiveGraph":
        """A graph that grows from what another one holds."""
        live = cls(graph.timeline)
        live.entities, live.relations = Vocabulary(graph.entities, kind="entity"), Relations(graph.relations.base)
        live._log = np.array(graph.facts, np.int32)
        live._n_facts, live.end = len(graph), graph.end
        live._settle(build_growing_index(graph.triples))
        return live

    def __len__(self) -> int:
        return self._n_facts

    def __repr__(self) -> str:
        return f"LiveGraph({len(self)} facts, {len(self.entities)} entities, {len(self.relations.base)} relations)"

    @property
    def valid_from(self) -> int:
        """All facts are for training."""
        return self.end

    @property
    def entity_capacity(self) -> int:
        """How many entities its arrays have room for."""
        return len(self.index.slot_start)

    def add(self, facts: Facts, new_entities: Sequence[str] = (), new_relations: Sequence[str] = ()) -> int:
        """Take in facts by the numbers of their names, of which new ones follow the others; how many were new.

        Steps may lie before the first one: then all are counted from the earliest.
        """
        self._name(new_entities, new_relations)
        self.version += 1
        if not len(facts.time):
            return 0
        earliest = int(facts.time.min())
        if earliest < 0:
            self._count_from(earliest)
            facts = facts._replace(time=facts.time - earliest)
        self.end = max(self.end, int(facts.time.max()) + 1)
        return self._take_in(Facts(*(column.astype(np.int32) for column in facts)))

    def answers_at(self, subject: int, relation: int, time: int) -> list[int]:
        """The entities to which a subject did a relation at a time."""
        index = self.index
        slot = find_within(index.slot_relation, index.slot_start[subject], index.slot_end[subject], relation)
        if slot < 0:
            return []
        triples = range(index.triple_start[slot], index.triple_end[slot])
        return [int(index.target[triple]) for triple in triples if time in self.times_of(triple)]

    def times_of(self, triple: int) -> Ints:
        """The times of a triple, ascending."""
        start = self.index.time_start[triple]
        return self.index.time[start : start + self.index.n_times[triple]]

    def snapshot(self) -> Snapshot:
        """All that it holds now."""
        facts = Facts(*self._log[:, : self._n_facts].copy())
        names = Vocabulary(self.entities, kind="entity"), Relations(self.relations.base)
        return Snapshot(*names, self.timeline, facts, self.numbers)

    # Runs that moved left gaps behind. Sorting all anew closes them, and can be done meanwhile, from a snapshot.

    @property
    def needs_compaction(self) -> bool:
        """Did runs move so much that sorting all anew would give back much memory?"""
        return int(self.index.used.sum()) > (1.0 + _WORTH_MERGING) * self._n_merged + _FIRST_ROOM

    def replace_index(self, taken: Snapshot, index: GrowingIndex) -> bool:
        """Go on with a snapshot that was sorted anew, and what came since; False where its numbers fit no more."""
        if taken.numbers != self.numbers:
            return False
        since = Facts(*self._log[:, len(taken.facts.time) : self._n_facts].copy())
        self._n_facts = len(taken.facts.time)
        self._settle(index)
        self._take_in(since)
        self.version += 1
        return True

    def _settle(self, index: GrowingIndex) -> None:
        self.index, self._n_merged = index, int(index.used.sum())

    def _name(self, entities: Sequence[str], relations: Sequence[str]) -> None:
        self.entities.add(entities)
        while len(self.entities) > self.entity_capacity:
            self.index = with_spare_capacity(self.index)
        if relations:
            half = len(self.relations.base)
            inverse = self.index.slot_relation >= half
            self.relations = Relations([*self.relations.base, *relations])
            self.index.slot_relation[inverse] += len(self.relations.base) - half
            self.numbers += 1

    def _count_from(self, earliest: int) -> None:
        """Count time from an earlier step on."""
        index = self.index
        index.time[:] -= earliest
        self._log[Facts._fields.index("time")] -= earliest
        for newest in (index.newest, index.slot_newest):
            newest[newest >= 0] -= earliest
        self.timeline = self.timeline.starting_at(earliest)
        self.end -= earliest
        self.numbers += 1

    def _take_in(self, facts: Facts) -> int:
        new = np.zeros(len(facts.time), np.bool_)
        done, half = 0, len(self.relations.base)
        while (done := insert_facts(self.index, *facts, half, done, new)) < len(new):
            self.index = with_spare_capacity(self.index)
        self._note(Facts(*(column[new] for column in facts)))
        return int(new.sum())

    def _note(self, facts: Facts) -> None:
        end = self._n_facts + len(facts.time)
        if end > self._log.shape[1]:
            more = np.empty((len(self._log), end // 4 + _FIRST_ROOM + end - self._log.shape[1]), np.int32)
            self._log = np.concatenate([self._log, more], axis=1)
        self._log[:, self._n_facts : end] = facts
        self._n_facts = end
