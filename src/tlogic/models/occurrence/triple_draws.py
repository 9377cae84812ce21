"""Draws of triples at a past time step, each with the probability of being drawn.

All triples of all time steps are too many to learn from. A drawn triple therefore counts for as many as it stands for:
one over the probability of drawing it.
"""

from functools import cached_property

import numpy as np

from tlogic.evidence.groups import N_LATEST
from tlogic.evidence.memory import Memory
from tlogic.evidence.occurrence_evidence import (
    COLUMNS,
    KNOWN_PAIR,
    KNOWN_TRIPLE,
    NEW_PAIR,
    OccurrenceEvidence,
)
from tlogic.evidence.triples import Triples
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.occurrence.key_indexes import KeyIndexes

_N_EVENTS = COLUMNS.index(("history", "events in all"))
MAX_PAST = 500_000
"""Facts that show the relations of subjects and the objects of relations; bounds the time and the memory."""


class FactKeys:
    """The facts of a graph with numbers for their triples and parts, and where each of these occurs.

    Args:
        graph: The graph.
        since: Where triples and parts are looked up: in the facts from this index on.
    """

    def __init__(self, graph: TemporalGraph, since: int = 0) -> None:
        self.graph = graph
        triples = Triples.of_facts(graph.facts)
        key = triples.keys(graph)
        self.firsts = _first_indexes(key)
        """The facts whose triples have not occurred before."""
        pair = triples.pair_keys(graph)
        self.firsts_of_pair = _first_indexes(pair)
        """The facts whose pairs have no earlier facts."""
        subject, relation, object_ = (column[since:] for column in triples)
        self.of_triple, self.of_pair = KeyIndexes(key[since:], since), KeyIndexes(pair[since:], since)
        self.of_subject, self.of_relation = KeyIndexes(subject, since), KeyIndexes(relation, since)
        self.of_subject_relation = KeyIndexes(joint_key(subject, relation), since)
        self.of_relation_object = KeyIndexes(joint_key(relation, object_), since)

    def triples(self, index: Ints | slice) -> Triples:
        """The triples of some facts."""
        return Triples.of(*(column[index] for column in self.graph.facts[:3]))


def _first_indexes(keys: Ints) -> Ints:
    """Where each key occurs first, in ascending order."""
    return np.sort(np.unique(keys, return_index=True)[1])


def joint_key(one: Ints, other: Ints) -> Ints:
    """Two numbers as one."""
    return (one << 32) | other


class TripleDraws:
    """Draws triples as they could occur at a time step, by how often and how recently their parts occurred before.

    Args:
        facts: The facts.
        memory: All facts before the time step.
        n: How many facts these are; at least one.
        since: The index of the first recent fact.
        random: Where random numbers come from.
    """

    def __init__(self, facts: FactKeys, memory: Memory, n: int, since: int, random: np.random.Generator) -> None:
        self._facts, self._memory, self._n, self._random = facts, memory, n, random
        self._past = max(n - MAX_PAST, 0), n
        self._recent = (since, n) if since < n else self._past

    def draw(self, novelty: int, n: int) -> Triples:
        """Draw triples, most of which have a novelty."""
        if novelty == NEW_PAIR:
            subject, relation, target = self._entities(n), self._relations(n), self._entities(n)
            own = self._relations_of(subject, relation)
            is_own = self._random.random(n) < 1 / 2
            theirs = self._objects_of(own, target)
            return Triples.of(subject, np.where(is_own, own, relation), np.where(is_own, theirs, target))
        if novelty == KNOWN_TRIPLE:
            index = self._one_of((self._any_fact(n), self._recent_fact(n), self._first_fact(self._facts.firsts, n)))
            return self._facts.triples(index)
        index = self._one_of((self._recent_fact(n), self._first_fact(self._facts.firsts_of_pair, n)))
        pairs, is_swapped = self._facts.triples(index), self._random.random(n) < 1 / 2
        one, other = np.where(is_swapped, (pairs.object, pairs.subject), (pairs.subject, pairs.object))
        relation = self._relations(n)
        own = self._relations_of(one, relation)
        return Triples.of(one, np.where(self._random.random(n) < 1 / 2, own, relation), other)

    def probabilities(self, novelty: int, triples: Triples, evidence: OccurrenceEvidence) -> Floats:
        """The probability of each triple in one draw of a novelty; nan for those to leave out."""
        facts = self._facts
        if novelty == KNOWN_TRIPLE:
            of_recent = facts.of_triple.share(triples.keys(facts.graph), *self._recent)
            n_firsts = np.searchsorted(facts.firsts, self._n)
            return (evidence.values[:, _N_EVENTS] / self._n + of_recent + 1 / n_firsts) / 3
        of_relation = self._relation_shares[triples.relation]
        of_own = self._share(
            (facts.of_subject_relation, joint_key(triples.subject, triples.relation)),
            (facts.of_subject, triples.subject),
            of_relation,
        )
        if novelty == KNOWN_PAIR:
            of_recent = facts.of_pair.share(triples.pair_keys(facts.graph), *self._recent)
            n_firsts = np.searchsorted(facts.firsts_of_pair, self._n)
            one_way = np.where(triples.subject == triples.object, np.nan, 1 / 2)  # loops are left out
            return (of_recent + 1 / n_firsts) / 2 * one_way * (of_relation + of_own) / 2
        of_object = self._entity_shares[triples.object]
        of_theirs = self._share(
            (facts.of_relation_object, joint_key(triples.relation, triples.object)),
            (facts.of_relation, triples.relation),
            of_object,
        )
        return self._entity_shares[triples.subject] * (of_relation * of_object + of_own * of_theirs) / 2

    def _relations_of(self, subject: Ints, otherwise: Ints) -> Ints:
        """Of each subject: the relation of one of its past facts; another value for those without any."""
        index = self._facts.of_subject.draw(subject, *self._past, self._random)
        return np.where(index >= 0, self._facts.graph.facts.relation[index], otherwise)

    def _objects_of(self, relation: Ints, otherwise: Ints) -> Ints:
        """Of each relation: the object of one of its past facts; another value for those without any."""
        index = self._facts.of_relation.draw(relation, *self._past, self._random)
        return np.where(index >= 0, self._facts.graph.facts.object[index], otherwise)

    def _share(self, part: tuple[KeyIndexes, Ints], whole: tuple[KeyIndexes, Ints], otherwise: Floats) -> Floats:
        """The share of past facts with a key among those with another; another value if there are none of these."""
        n_part, n_whole = (indexes.count(keys, *self._past) for indexes, keys in (part, whole))
        return np.where(n_whole > 0, n_part / np.maximum(n_whole, 1), otherwise)

    def _one_of(self, parts: tuple[Ints, ...]) -> Ints:
        """Of each row of some columns: one of its values, all being equally probable."""
        return np.choose(self._random.integers(len(parts), size=len(parts[0])), parts)

    def _any_fact(self, n: int) -> Ints:
        return self._random.integers(self._n, size=n)

    def _recent_fact(self, n: int) -> Ints:
        return self._random.integers(*self._recent, size=n)

    def _first_fact(self, firsts: Ints, n: int) -> Ints:
        return firsts[self._random.integers(np.searchsorted(firsts, self._n), size=n)]

    def _relations(self, n: int) -> Ints:
        return self._random.choice(len(self._relation_shares), n, p=self._relation_shares)

    def _entities(self, n: int) -> Ints:
        return self._random.choice(len(self._entity_shares), n, p=self._entity_shares)

    @cached_property
    def _relation_shares(self) -> Floats:
        """Half of all draws follow the numbers of facts, half are uniform."""
        n = self._memory.events.relations[:, N_LATEST]
        return (n / n.sum() + 1 / len(n)) / 2

    @cached_property
    def _entity_shares(self) -> Floats:
        """A third of all draws follow the numbers of facts, a third those of recent facts, a third are uniform."""
        recent = self._facts.triples(slice(*self._recent))
        n = self._memory.events.entities[:, N_LATEST]
        lately = np.bincount(np.concatenate([recent.subject, recent.object]), minlength=len(n))
        return (n / n.sum() + lately / lately.sum() + 1 / len(n)) / 3
