"""The groups of events whose changes are compared: those of an entity, of a pair and of a relation."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tlogic.evidence.triples import Triples
from tlogic.graph.arrays import Bools, Ints
from tlogic.graph.facts import Facts
from tlogic.graph.graph_protocol import Graph


class Kind(NamedTuple):
    """A way to group triples: by entity, by pair or by relation."""

    name: str
    members: Callable[[Graph, Triples], tuple[Ints, Ints]]
    """The index of each triple, once per group that it belongs to, and that group."""
    contains: Callable[[Graph, int, Triples | Facts], Bools]
    """Whether each triple or fact belongs to a group."""
    names: Callable[[Graph, int], tuple[str, str | None]]
    """The name of a group; of a pair, both names."""


def _by_entity(_: Graph, triples: Triples) -> tuple[Ints, Ints]:
    others = np.flatnonzero(triples.subject != triples.object)
    subject = np.arange(len(triples.subject))
    return np.append(subject, others), np.append(triples.subject, triples.object[others])


def _of_entity(_: Graph, entity: int, triples: Triples | Facts) -> Bools:
    return (triples.subject == entity) | (triples.object == entity)


def _name_of_entity(graph: Graph, entity: int) -> tuple[str, None]:
    return graph.entities.name_of(entity), None


def _by_pair(graph: Graph, triples: Triples) -> tuple[Ints, Ints]:
    return np.arange(len(triples.subject)), triples.pair_keys(graph)


def _of_pair(graph: Graph, pair: int, triples: Triples | Facts) -> Bools:
    first, second = divmod(pair, len(graph.entities))
    subject, object_ = triples.subject, triples.object
    return ((subject == first) & (object_ == second)) | ((subject == second) & (object_ == first))


def _names_of_pair(graph: Graph, pair: int) -> tuple[str, str]:
    first, second = sorted(graph.entities.name_of(entity) for entity in divmod(pair, len(graph.entities)))
    return first, second


def _by_relation(_: Graph, triples: Triples) -> tuple[Ints, Ints]:
    return np.arange(len(triples.subject)), triples.relation


def _of_relation(_: Graph, relation: int, triples: Triples | Facts) -> Bools:
    return triples.relation == relation


def _name_of_relation(graph: Graph, relation: int) -> tuple[str, None]:
    return graph.relations.name_of(relation), None


KINDS = {
    kind.name: kind
    for kind in (
        Kind("entity", _by_entity, _of_entity, _name_of_entity),
        Kind("pair", _by_pair, _of_pair, _names_of_pair),
        Kind("relation", _by_relation, _of_relation, _name_of_relation),
    )
}
