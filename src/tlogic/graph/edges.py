"""Edges: every fact, and its inverse.

Edges have numbers: 2i is fact i, and 2i + 1 its inverse. So they stand in order of time as facts do, and what an edge
is can be read from its fact.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints
from tlogic.graph.facts import Facts


class Edges(NamedTuple):
    """Facts and their inverses, in order of time."""

    source: Ints
    relation: Ints
    target: Ints
    time: Ints
    n_entities: int
    n_relations: int


def edges_of(facts: Facts, n_entities: int, n_base_relations: int) -> Edges:
    """All edges as a table, which takes twice the room of the facts."""
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


@njit(cache=True, nogil=True)
def relation_of(facts: Facts, n_base_relations: int, edge: int) -> int:
    """The relation of an edge; those of inverses follow behind the others."""
    return int(facts.relation[edge >> 1] + n_base_relations * (edge & 1))


@njit(cache=True, nogil=True)
def target_of(facts: Facts, edge: int) -> int:
    """Where an edge leads."""
    return int(facts.subject[edge >> 1] if edge & 1 else facts.object[edge >> 1])
