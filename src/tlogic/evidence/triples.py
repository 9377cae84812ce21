"""Triples: events without a date, as arrays of ids."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tlogic.graph.arrays import Ints
from tlogic.graph.facts import Facts
from tlogic.graph.graph_protocol import Graph


class Triples(NamedTuple):
    """Some triples with the ids of a graph."""

    subject: Ints
    relation: Ints
    """Relations of the data, without inverses."""
    object: Ints

    @classmethod
    def of(cls, subject: Ints, relation: Ints, object: Ints) -> "Triples":
        """Triples as kernels expect them."""
        return cls(*(np.ascontiguousarray(column, np.int64) for column in (subject, relation, object)))

    @classmethod
    def of_facts(cls, facts: Facts) -> "Triples":
        """The triples of facts, in the same order."""
        return cls.of(facts.subject, facts.relation, facts.object)

    @classmethod
    def joined(cls, parts: Iterable["Triples"]) -> "Triples":
        """The triples of all parts, of which there is at least one."""
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    @property
    def turned(self) -> "Triples":
        """The same with subjects and objects swapped."""
        return Triples(self.object, self.relation, self.subject)

    def part(self, index: Ints) -> "Triples":
        """Some of the triples."""
        return Triples(*(column[index] for column in self))

    def distinct(self, graph: Graph) -> "Triples":
        """Each of the triples once, in the order of their ids."""
        return self.part(np.unique(self.keys(graph), return_index=True)[1])

    def keys(self, graph: Graph) -> Ints:
        """One number per triple, in the order of subject, relation, object."""
        return (self.subject * len(graph.relations.base) + self.relation) * len(graph.entities) + self.object

    def pair_keys(self, graph: Graph) -> Ints:
        """One number per pair of entities, in either order."""
        smaller, larger = np.minimum(self.subject, self.object), np.maximum(self.subject, self.object)
        return smaller * len(graph.entities) + larger
