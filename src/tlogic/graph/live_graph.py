"""LiveGraph: a graph that accepts new facts without sorting all facts again."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from tlogic.events.timeline import Timeline
from tlogic.graph.arrays import Ints
from tlogic.graph.binary_search import find_within
from tlogic.graph.facts import NO_FACTS, Facts, sorted_distinct
from tlogic.graph.growing_index import GrowingIndex, build_growing_index, insert_facts, with_spare_capacity
from tlogic.graph.temporal_graph import TemporalGraph, size_text
from tlogic.graph.triples import build_triple_index
from tlogic.graph.vocabulary import NameRanks, Relations, Vocabulary

_MAX_GAP_SHARE = 0.5
"""Share of the compact index size that gaps may take before compaction."""
_MIN_CAPACITY = 1024


class Snapshot(NamedTuple):
    """A copy of the content of a live graph at one point in time."""

    entities: Vocabulary
    relations: Relations
    timeline: Timeline
    facts: Facts
    """In order of arrival."""
    entity_rank: Ints
    relation_rank: Ints
    """The positions of the names of entities and relations, without inverses, among the sorted names."""
    encoding_version: int

    def graph(self) -> TemporalGraph:
        """The graph of these facts, as if they were read at once; all are training facts.

        Its ids follow the sorted names. They are not the ids of the live graph.
        """
        entities = _in_order(self.entities.names, self.entity_rank)
        relations = _in_order(self.relations.base, self.relation_rank)
        subject, relation, object_, time = self.facts
        ranked = Facts(self.entity_rank[subject], self.relation_rank[relation], self.entity_rank[object_], time)
        facts = sorted_distinct(ranked, len(entities), len(relations))
        end = int(facts.time.max(initial=-1)) + 1
        return TemporalGraph(
            Vocabulary(entities, "entity", partial(facts.count_by_entity, len(entities))),
            Relations(relations, partial(facts.count_by_relation, len(relations))),
            self.timeline,
            facts,
            valid_from=end,
            test_from=end,
        )

    def compact_index(self) -> GrowingIndex:
        """The index of these facts without gaps, with the ids of the live graph."""
        n_entities, n_relations = len(self.entities), len(self.relations.base)
        facts = sorted_distinct(self.facts, n_entities, n_relations)
        return build_growing_index(build_triple_index(facts, n_entities, n_relations))


def _in_order(names: Sequence[str], rank: Ints) -> list[str]:
    """The names in the order of their ranks."""
    in_order = np.empty(len(names), object)
    in_order[rank] = names
    return in_order.tolist()


class LiveGraph:
    """A graph that grows. Not thread-safe: while one thread changes it, no other thread may read it.

    Forecasts accept it like a ``TemporalGraph`` and give the same results for the same facts. Ids follow the order of
    arrival, so ties are broken by ranks.

    Attributes:
        entities: The entity names and their ids.
        relations: The relation names and their ids.
        timeline: Converts time steps to dates and back.
        end: The time step after the last fact.
        version: Changes with every change of the graph.
        encoding_version: Changes when relations or time steps get other numbers.

    Example:
        >>> import tlogic
        >>> graph = LiveGraph.of(tlogic.sample())
        >>> facts = Facts(*np.array([[55], [0], [1], [500]]))
        >>> graph.add(facts, new_entities=["Newcomer Ltd"]), graph.end, len(graph)
        (1, 501, 11752)
    """

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self._set_names([], [])
        self.version = self.encoding_version = self.end = 0
        self._log = np.empty((len(Facts._fields), _MIN_CAPACITY), np.int32)
        self._n_facts = 0
        self._set_index(build_growing_index(build_triple_index(NO_FACTS, 0, 0)))

    @classmethod
    def of(cls, graph: TemporalGraph) -> "LiveGraph":
        """Return a live graph with the names and facts of another graph.

        Args:
            graph: The graph to start from; it is not changed.

        Example:
            >>> import tlogic
            >>> LiveGraph.of(tlogic.sample())
            LiveGraph(11751 facts, 55 entities, 22 relations)
        """
        live = cls(graph.timeline)
        live._set_names(graph.entities.names, graph.relations.base)
        live._log = np.array(graph.facts, np.int32)
        live._n_facts, live.end = len(graph), graph.end
        live._set_index(build_growing_index(graph.triples))
        return live

    def __len__(self) -> int:
        return self._n_facts

    def __repr__(self) -> str:
        return f"LiveGraph({size_text(len(self), len(self.entities), len(self.relations.base))})"

    @property
    def entity_rank(self) -> Ints:
        """Per entity: the position of its name among the sorted names."""
        return self._entity_ranks.rank

    @property
    def relation_rank(self) -> Ints:
        """Per relation: the position of its name among the sorted names; inverses follow the relations."""
        rank = self._relation_ranks.rank
        return np.concatenate([rank, rank + np.int32(len(rank))])

    @property
    def valid_from(self) -> int:
        """The end of the graph, because all facts are training facts."""
        return self.end

    @property
    def entity_capacity(self) -> int:
        """The number of entities the arrays have capacity for."""
        return len(self.index.slot_start)

    def add(self, facts: Facts, new_entities: Sequence[str] = (), new_relations: Sequence[str] = ()) -> int:
        """Add facts.

        Args:
            facts: Facts as ids and time steps. Time steps may be negative; then all steps are renumbered from the
                earliest.
            new_entities: Names of new entities, which get the next ids.
            new_relations: Names of new relations, which get the next ids.

        Returns:
            The number of facts that the graph did not hold yet.

        Example:
            >>> import tlogic
            >>> graph = LiveGraph.of(tlogic.sample())
            >>> fact = Facts(*np.array([[0], [0], [1], [500]]))
            >>> graph.add(fact), graph.add(fact)
            (1, 0)
        """
        self._add_names(new_entities, new_relations)
        self.version += 1
        if not len(facts.time):
            return 0
        earliest = int(facts.time.min())
        if earliest < 0:
            self._renumber_time(earliest)
            facts = facts._replace(time=facts.time - earliest)
        self.end = max(self.end, int(facts.time.max()) + 1)
        return self._insert(Facts(*(column.astype(np.int32) for column in facts)))

    def answers_at(self, subject: int, relation: int, time: int) -> list[int]:
        """The entities that complete (subject, relation, ?, time) to a fact, sorted by name; all are ids."""
        index = self.index
        slot = find_within(index.slot_relation, index.slot_start[subject], index.slot_end[subject], relation)
        if slot < 0:
            return []
        triples = range(index.triple_start[slot], index.triple_end[slot])
        answers = [int(index.target[triple]) for triple in triples if time in self.times_of(triple)]
        return sorted(answers, key=self.entity_rank.__getitem__)

    def times_of(self, triple: int) -> Ints:
        """The times of a triple, ascending."""
        start = self.index.time_start[triple]
        return self.index.time[start : start + self.index.n_times[triple]]

    def snapshot(self) -> Snapshot:
        """A copy of the present content."""
        facts = Facts(*self._log[:, : self._n_facts].copy())
        names = Vocabulary(self.entities, kind="entity"), Relations(self.relations.base)
        ranks = self._entity_ranks.rank, self._relation_ranks.rank
        return Snapshot(*names, self.timeline, facts, *ranks, self.encoding_version)

    def facts_between(self, first: int, end: int) -> Facts:
        """A copy of the facts with ``first <= time < end``, in order of arrival."""
        log = self._log[:, : self._n_facts]
        return Facts(*log[:, (log[-1] >= first) & (log[-1] < end)])

    def facts_since(self, n: int) -> Facts:
        """A copy of the facts after the first n, in order of arrival."""
        return Facts(*self._log[:, n : self._n_facts].copy())

    # Runs that moved leave gaps. Another thread can build a compact index from a snapshot meanwhile.

    @property
    def needs_compaction(self) -> bool:
        """Whether the gaps take so much memory that the index should be rebuilt."""
        return int(self.index.used.sum()) > (1.0 + _MAX_GAP_SHARE) * self._compact_size + _MIN_CAPACITY

    def replace_index(self, snapshot: Snapshot, index: GrowingIndex) -> bool:
        """Replace the index by a compact one built from a snapshot, and add the facts that arrived since.

        Returns False, without a change, if the encoding has changed since the snapshot.
        """
        if snapshot.encoding_version != self.encoding_version:
            return False
        since = Facts(*self._log[:, len(snapshot.facts.time) : self._n_facts].copy())
        self._n_facts = len(snapshot.facts.time)
        self._set_index(index)
        self._insert(since)
        self.version += 1
        return True

    def _set_index(self, index: GrowingIndex) -> None:
        self.index, self._compact_size = index, int(index.used.sum())

    def _set_names(self, entities: Sequence[str], relations: Sequence[str]) -> None:
        self.entities = Vocabulary(entities, "entity", self._count_by_entity)
        self.relations = Relations(relations, self._count_by_relation)
        self._entity_ranks, self._relation_ranks = NameRanks(entities), NameRanks(relations)

    def _add_names(self, entities: Sequence[str], relations: Sequence[str]) -> None:
        self.entities.add(entities)
        self._entity_ranks.add(entities)
        self._relation_ranks.add(relations)
        while len(self.entities) > self.entity_capacity:
            self.index = with_spare_capacity(self.index)
        if relations:
            half = len(self.relations.base)
            inverse = self.index.slot_relation >= half
            self.relations = Relations([*self.relations.base, *relations], self._count_by_relation)
            self.index.slot_relation[inverse] += len(self.relations.base) - half
            self.encoding_version += 1

    # Messages about unknown names count facts, possibly while others are added. Logged names do not change.

    def _count_by_entity(self) -> Ints:
        return self.facts_since(0).count_by_entity(len(self.entities))

    def _count_by_relation(self) -> Ints:
        return self.facts_since(0).count_by_relation(len(self.relations.base))

    def _renumber_time(self, earliest: int) -> None:
        """Count time steps from an earlier one."""
        index = self.index
        index.time[:] -= earliest
        self._log[Facts._fields.index("time")] -= earliest
        for newest in (index.newest, index.slot_newest):
            newest[newest >= 0] -= earliest
        self.timeline = self.timeline.starting_at(earliest)
        self.end -= earliest
        self.encoding_version += 1

    def _insert(self, facts: Facts) -> int:
        new = np.zeros(len(facts.time), np.bool_)
        done, half = 0, len(self.relations.base)
        while (done := insert_facts(self.index, *facts, half, done, new)) < len(new):
            self.index = with_spare_capacity(self.index)
        self._append_to_log(Facts(*(column[new] for column in facts)))
        return int(new.sum())

    def _append_to_log(self, facts: Facts) -> None:
        end = self._n_facts + len(facts.time)
        if end > self._log.shape[1]:
            more = np.empty((len(self._log), end // 4 + _MIN_CAPACITY + end - self._log.shape[1]), np.int32)
            self._log = np.concatenate([self._log, more], axis=1)
        self._log[:, self._n_facts : end] = facts
        self._n_facts = end
