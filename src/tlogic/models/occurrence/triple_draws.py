"""Draws of triples at a past time step, each with the probability of being drawn.

All triples of all time steps are too many to learn from. A drawn triple therefore counts for as many as it stands for:
one over the probability of drawing it.
"""

from functools import cached_property
from typing import NamedTuple

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

_N_EVENTS = COLUMNS.index(("history", "events in all"))
_MAX_PAST = 500_000  # facts that show the relations of subjects and the objects of relations; bounds the time


class FactKeys:
    """The facts of a graph with one number per triple, which shows where each triple occurs first."""

    def __init__(self, graph: TemporalGraph) -> None:
        self.graph = graph
        triples = Triples.of_facts(graph.facts)
        self.key = triples.keys(graph)
        self.firsts = _first_indexes(self.key)
        """The facts whose triples have not occurred before."""
        self.firsts_of_pair = _first_indexes(triples.pair_keys(graph))
        """The facts whose pairs have no earlier facts."""

    def triples(self, index: Ints | slice) -> Triples:
        """The triples of some facts."""
        return Triples.of(*(column[index] for column in self.graph.facts[:3]))


def _first_indexes(keys: Ints) -> Ints:
    """Where each key occurs first, in ascending order."""
    return np.sort(np.unique(keys, return_index=True)[1])


class _Shares(NamedTuple):
    """The share of each key among some keys."""

    key: Ints
    share: Floats

    @classmethod
    def among(cls, keys: Ints) -> "_Shares":
        key, n = np.unique(keys, return_counts=True)
        return cls(key, n / len(keys))

    def of(self, keys: Ints) -> Floats:
        """The share of each key; 0 for others."""
        at = np.minimum(np.searchsorted(self.key, keys), len(self.key) - 1)
        return np.where(self.key[at] == keys, self.share[at], 0.0)


class _Partners(NamedTuple):
    """What occurred with each of some keys, as often as it did."""

    key: Ints
    """Sorted."""
    partner: Ints
    pairs: _Shares
    """Of the keys with their partners, as one number."""

    @classmethod
    def among(cls, key: Ints, partner: Ints) -> "_Partners":
        order = np.argsort(key, kind="stable")
        return cls(key[order], partner[order], _Shares.among(_joint(key, partner)))

    def draw(self, keys: Ints, otherwise: Ints, random: np.random.Generator) -> Ints:
        """A partner of each key; another value for keys without any."""
        first, end = np.searchsorted(self.key, keys), np.searchsorted(self.key, keys, "right")
        at = first + (random.random(len(keys)) * (end - first)).astype(np.int64)
        return np.where(end > first, self.partner[np.minimum(at, len(self.key) - 1)], otherwise)

    def of(self, keys: Ints, partners: Ints, otherwise: Floats) -> Floats:
        """The probability that `draw` returns a partner, given that of the other values."""
        n = np.searchsorted(self.key, keys, "right") - np.searchsorted(self.key, keys)
        of_pair = self.pairs.of(_joint(keys, partners)) * len(self.key)
        return np.where(n > 0, of_pair / np.maximum(n, 1), otherwise)


def _joint(one: Ints, other: Ints) -> Ints:
    return (one.astype(np.int64) << 32) | other.astype(np.int64)


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
        self._since = since if since < n else 0

    def draw(self, novelty: int, n: int) -> Triples:
        """Draw triples, most of which have a novelty."""
        if novelty == NEW_PAIR:
            subject, relation, target = self._entities(n), self._relations(n), self._entities(n)
            own = self._subject_slots.draw(subject, relation, self._random)
            is_own = self._random.random(n) < 1 / 2
            theirs = self._relation_objects.draw(own, target, self._random)
            return Triples.of(subject, np.where(is_own, own, relation), np.where(is_own, theirs, target))
        if novelty == KNOWN_TRIPLE:
            index = self._one_of((self._any_fact(n), self._recent_fact(n), self._first_fact(self._facts.firsts, n)))
            return self._facts.triples(index)
        index = self._one_of((self._recent_fact(n), self._first_fact(self._facts.firsts_of_pair, n)))
        pairs, is_swapped = self._facts.triples(index), self._random.random(n) < 1 / 2
        one, other = np.where(is_swapped, (pairs.object, pairs.subject), (pairs.subject, pairs.object))
        relation = self._relations(n)
        own = self._subject_slots.draw(one, relation, self._random)
        return Triples.of(one, np.where(self._random.random(n) < 1 / 2, own, relation), other)

    def probabilities(self, novelty: int, triples: Triples, evidence: OccurrenceEvidence) -> Floats:
        """The probability of each triple in one draw of a novelty; nan for those to leave out."""
        facts, recent = self._facts, slice(self._since, self._n)
        if novelty == KNOWN_TRIPLE:
            of_recent = _Shares.among(facts.key[recent]).of(triples.keys(facts.graph))
            n_firsts = np.searchsorted(facts.firsts, self._n)
            return (evidence.values[:, _N_EVENTS] / self._n + of_recent + 1 / n_firsts) / 3
        if novelty == KNOWN_PAIR:
            of_recent = _Shares.among(facts.triples(recent).pair_keys(facts.graph)).of(triples.pair_keys(facts.graph))
            n_firsts = np.searchsorted(facts.firsts_of_pair, self._n)
            one_way = np.where(triples.subject == triples.object, np.nan, 1 / 2)  # loops are left out
            of_relation = self._relation_shares[triples.relation]
            of_own = self._subject_slots.of(triples.subject, triples.relation, of_relation)
            return (of_recent + 1 / n_firsts) / 2 * one_way * (of_relation + of_own) / 2
        of_relation, of_object = self._relation_shares[triples.relation], self._entity_shares[triples.object]
        of_own = self._subject_slots.of(triples.subject, triples.relation, of_relation)
        of_theirs = self._relation_objects.of(triples.relation, triples.object, of_object)
        return self._entity_shares[triples.subject] * (of_relation * of_object + of_own * of_theirs) / 2

    def _one_of(self, parts: tuple[Ints, ...]) -> Ints:
        """Of each row of some columns: one of its values, all being equally probable."""
        return np.choose(self._random.integers(len(parts), size=len(parts[0])), parts)

    def _any_fact(self, n: int) -> Ints:
        return self._random.integers(self._n, size=n)

    def _recent_fact(self, n: int) -> Ints:
        return self._random.integers(self._since, self._n, size=n)

    def _first_fact(self, firsts: Ints, n: int) -> Ints:
        return firsts[self._random.integers(np.searchsorted(firsts, self._n), size=n)]

    def _relations(self, n: int) -> Ints:
        return self._random.choice(len(self._relation_shares), n, p=self._relation_shares)

    def _entities(self, n: int) -> Ints:
        return self._random.choice(len(self._entity_shares), n, p=self._entity_shares)

    @cached_property
    def _past(self) -> Triples:
        """The last facts before the time step."""
        return self._facts.triples(slice(max(self._n - _MAX_PAST, 0), self._n))

    @cached_property
    def _subject_slots(self) -> "_Partners":
        """The relations of each subject."""
        past = self._past
        return _Partners.among(past.subject, past.relation)

    @cached_property
    def _relation_objects(self) -> "_Partners":
        """The objects of each relation."""
        past = self._past
        return _Partners.among(past.relation, past.object)

    @cached_property
    def _relation_shares(self) -> Floats:
        """Half of all draws follow the numbers of facts, half are uniform."""
        n = self._memory.events.relations[:, N_LATEST]
        return (n / n.sum() + 1 / len(n)) / 2

    @cached_property
    def _entity_shares(self) -> Floats:
        """A third of all draws follow the numbers of facts, a third those of recent facts, a third are uniform."""
        recent = self._facts.triples(slice(self._since, self._n))
        n = self._memory.events.entities[:, N_LATEST]
        lately = np.bincount(np.concatenate([recent.subject, recent.object]), minlength=len(n))
        return (n / n.sum() + lately / lately.sum() + 1 / len(n)) / 3
