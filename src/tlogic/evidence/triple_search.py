"""The triples that are worth judging: those that occurred before, and new ones whose parts did."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from tlogic.evidence.memory import Memory
from tlogic.evidence.occurrence_evidence import known_triples
from tlogic.evidence.triples import Triples
from tlogic.graph.arrays import Ints
from tlogic.graph.graph_protocol import Graph

_MAX_PARTNERS = 200  # of one entity, with whom new events are considered
_MAX_NEW_ENDS = 50  # recent objects of a relation, for new pairs with one subject; and the other way round
_MAX_ENDS_ANYWHERE = 20  # recent subjects and recent objects of each relation, for new pairs anywhere
_MAX_ENDS_OF_RELATION = 200  # the same, if only one relation is of interest
_MAX_RELATIONS = 5  # recent relations of a subject, for new events with a recent partner


class Pattern(NamedTuple):
    """A triple with ids, of which parts may be open (None)."""

    subject: int | None
    relation: int | None
    """A relation of the data, without inverses."""
    object: int | None

    @property
    def is_exact(self) -> bool:
        """Whether nothing is open."""
        return None not in self

    @property
    def turned(self) -> "Pattern":
        """The same with subject and object swapped."""
        return Pattern(self.object, self.relation, self.subject)


def triples_of(graph: Graph, memory: Memory, now: int, reach: int, patterns: list[Pattern]) -> Triples:
    """The triples that fit one of some patterns, each once, in the order of their ids.

    If the relation is open, or both ends are, only triples whose parts have occurred are considered: all that occurred
    before, and new ones that combine recent partners, relations and ends.

    Args:
        graph: The graph.
        memory: All facts before the time step.
        now: The time step.
        reach: How many time steps before it are recent.
        patterns: The patterns.
    """
    search = _Search(graph, memory, now, reach)
    return Triples.joined(search.find(pattern) for pattern in patterns).distinct(graph)


def promising_triples(graph: Graph, now: int, reach: int) -> Triples:
    """All triples that combine recent partners, relations and ends, each once; most have not occurred before.

    Args:
        graph: The graph.
        now: The time step.
        reach: How many time steps before it are recent.
    """
    return Triples.joined(_RecentFacts(graph, now, reach).new_anywhere(None)).distinct(graph)


class _RecentFacts:
    """Combines the entities and relations of recent facts to new triples."""

    def __init__(self, graph: Graph, now: int, reach: int) -> None:
        self._graph, self._now, self._reach = graph, now, reach
        self._n = len(graph.entities)
        self._entity_rank, self._relation_rank = graph.entity_rank, graph.relation_rank

    @cached_property
    def _recent(self) -> Triples:
        return Triples.of_facts(self._graph.facts_between(max(self._now - self._reach, 0), self._now))

    def new_anywhere(self, r: int | None) -> list[Triples]:
        """New triples of recent pairs with recent relations, and of frequent ends of one relation or of each."""
        recent, n = self._recent, _MAX_ENDS_ANYWHERE
        if r is not None:
            recent, n = recent.part(np.flatnonzero(recent.relation == r)), _MAX_ENDS_OF_RELATION
        by_relation, subject = _most_frequent(recent.relation, recent.subject, self._entity_rank, n)
        of_relation, object_ = _most_frequent(recent.relation, recent.object, self._entity_rank, n)
        left, right = _joined(by_relation, of_relation)
        ends = Triples.of(subject[left], by_relation[left], object_[right])
        both = (recent, recent.turned)
        pair = np.unique(np.concatenate([each.subject * self._n + each.object for each in both]))
        doer, relation = _most_frequent(recent.subject, recent.relation, self._relation_rank, _MAX_RELATIONS)
        left, right = _joined(pair // self._n, doer)
        return [ends, Triples.of((pair // self._n)[left], relation[right], (pair % self._n)[left])]


class _Search(_RecentFacts):
    """Finds known triples as well."""

    def __init__(self, graph: Graph, memory: Memory, now: int, reach: int) -> None:
        super().__init__(graph, now, reach)
        self._n_relations, self._memory = len(graph.relations.base), memory

    @cached_property
    def _known(self) -> Triples:
        return known_triples(self._memory, self._now)

    def find(self, pattern: Pattern) -> Triples:
        """The triples that fit a pattern."""
        s, r, o = pattern
        if pattern.is_exact:
            return Triples.of(*(np.array([part]) for part in pattern))
        if s is not None and o is not None:
            return _product(s, np.arange(self._n_relations), o)
        if r is not None and (s is not None or o is not None):
            everyone = np.arange(self._n)
            return _product(everyone if s is None else s, r, everyone if o is None else o)
        known = self._known.part(_fits(self._known, pattern))
        if s is not None:
            new = self._new_of_subject(s, self._known, self._recent)
        elif o is not None:
            new = [each.turned for each in self._new_of_subject(o, self._known.turned, self._recent.turned)]
        else:
            new = self.new_anywhere(r)
        return Triples.joined([known, *new])

    def _new_of_subject(self, s: int, known: Triples, recent: Triples) -> list[Triples]:
        """New triples of one subject: its partners, or frequent objects, with its relations."""
        mine, theirs = known.subject == s, known.object == s
        relations = np.unique(known.relation[mine])
        met = np.concatenate([known.object[mine], known.subject[theirs]])
        _, partners = _most_frequent(np.zeros_like(met), met, self._entity_rank, _MAX_PARTNERS)
        of_relation = recent.part(np.flatnonzero(np.isin(recent.relation, relations)))
        relation, end = _most_frequent(of_relation.relation, of_relation.object, self._entity_rank, _MAX_NEW_ENDS)
        return [_product(s, relations, partners), Triples.of(np.full(len(end), s), relation, end)]


def _most_frequent(group: Ints, member: Ints, rank: Ints, n: int) -> tuple[Ints, Ints]:
    """The most frequent members of each group, ties broken by rank: the group and the member, sorted by group."""
    key, count = np.unique(group * len(rank) + member, return_counts=True)
    group, member = key // len(rank), key % len(rank)
    order = np.lexsort((rank[member], -count, group))
    group, member = group[order], member[order]
    position = np.arange(len(group)) - np.searchsorted(group, group)
    return group[position < n], member[position < n]


def _product(subject: Ints | int, relation: Ints | int, object: Ints | int) -> Triples:
    """All combinations."""
    grids = np.meshgrid(subject, relation, object, indexing="ij")
    return Triples.of(*(grid.ravel() for grid in grids))


def _fits(triples: Triples, pattern: Pattern) -> Ints:
    fits = np.ones(len(triples.subject), np.bool_)
    for column, wanted in zip(triples, pattern, strict=True):
        if wanted is not None:
            fits &= column == wanted
    return np.flatnonzero(fits)


def _joined(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """All pairs of indexes with equal keys; the right keys are sorted."""
    first, end = np.searchsorted(right, left, "left"), np.searchsorted(right, left, "right")
    n = end - first
    index = np.repeat(np.arange(len(left)), n)
    offset = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
    return index, np.repeat(first, n) + offset
