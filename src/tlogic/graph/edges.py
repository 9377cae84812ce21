"""Edges: every fact and its inverse.

Edge 2i is fact i, and edge 2i + 1 is its inverse. Edges are therefore sorted by time, as facts are, and the source,
relation and target of an edge can be read from its fact.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Ints
from tlogic.graph.facts import Facts


class Edges(NamedTuple):
    """Facts and their inverses, sorted by time."""

    source: Ints
    relation: Ints
    target: Ints
    time: Ints
    n_entities: int
    n_relations: int


def edges_of(facts: Facts, n_entities: int, n_base_relations: int) -> Edges:
    """All edges as a table, which takes twice the memory of the facts."""
    return Edges(
        source=_alternating(facts.subject, facts.object),
        relation=_alternating(facts.relation, facts.relation + np.int32(n_base_relations)),
        target=_alternating(facts.object, facts.subject),
        time=_alternating(facts.time, facts.time),
        n_entities=n_entities,
        n_relations=2 * n_base_relations,
    )


def _alternating(of_facts: Ints, of_inverses: Ints) -> Ints:
    both = np.empty(2 * len(of_facts), of_facts.dtype)
    both[0::2], both[1::2] = of_facts, of_inverses
    return both


@kernel
def relation_of(facts: Facts, n_base_relations: int, edge: int) -> int:
    """The relation of an edge; the ids of inverse relations follow those of the relations."""
    return int(facts.relation[edge >> 1] + n_base_relations * (edge & 1))


@kernel
def target_of(facts: Facts, edge: int) -> int:
    """The target of an edge."""
    return int(facts.subject[edge >> 1] if edge & 1 else facts.object[edge >> 1])
