"""Statements for analysts: a sentence about the evidence for a candidate, and the dated facts it is based on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tlogic.evidence.event_memory import EventMemory, end_of_edges
from tlogic.evidence.lists import first_of
from tlogic.evidence.partners import Partners, collect_partners, new_members, new_partners, strongest
from tlogic.evidence.relation_numbers import decoded, encoded
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph.graph_protocol import Graph


class Edge(NamedTuple):
    """A fact or its inverse, as integer ids."""

    source: int
    relation: int
    target: int
    time: int


class Statement(NamedTuple):
    """A sentence, and the facts it is based on, the most important first."""

    sentence: str
    edges: tuple[Edge, ...] = ()
    has_evidence: bool = True
    """False if the family found nothing that speaks for the candidate."""


def percent(share: float, digits: int = 1) -> str:
    """A share in percent; never a rounded 0% for a share above zero, nor a rounded 100% for one below one.

    >>> percent(0.1234), percent(0.0001), percent(0.0), percent(0.004, 0), percent(0.9999)
    ('12.3%', 'less than 0.1%', '0%', 'less than 1%', 'more than 99.9%')
    """
    smallest = 10.0**-digits
    if share in (0, 1):
        return f"{share:.0%}"
    if 100 * share < smallest / 2:
        return f"less than {smallest:.{digits}f}%"
    if 100 - 100 * share < smallest / 2:
        return f"more than {100 - smallest:.{digits}f}%"
    return f"{share:.{digits}%}"


def rare(probability: float) -> str:
    """A probability that may be far below one percent. No model is sure enough to count beyond a million.

    >>> rare(0.25), rare(0.0000213), rare(0.0), rare(1.0)
    ('25.0%', '1 in 47,000', '< 1 in a million', '> 99.9%')
    """
    if probability < 1e-6:
        return "< 1 in a million"
    if probability < 0.001:
        return f"1 in {float(f'{1 / probability:.2g}'):,.0f}"
    return f"{probability:.1%}" if probability < 0.9995 else "> 99.9%"


def how_often(n: float) -> str:
    """A number of events in words.

    >>> how_often(1), how_often(6)
    ('once', '6 times')
    """
    return "once" if n == 1 else f"{n:,.0f} times"


@dataclass(frozen=True)
class Case:
    """A candidate of a query, with everything that a family needs to describe its evidence."""

    graph: Graph
    memory: EventMemory
    """All events until the time step of the query."""
    query: EncodedQuery
    entity: int
    """The candidate."""
    values: Mapping[str, float]
    """The columns of the family that are not nan."""

    @property
    def subject(self) -> str:
        """The name of the entity in the query."""
        return self.graph.entities.name_of(self.query.subject)

    @property
    def candidate(self) -> str:
        """The name of the candidate."""
        return self.graph.entities.name_of(self.entity)

    @property
    def relation(self) -> str:
        """The name of the relation as it stands in the data, in quotes, whichever direction the query has."""
        return f'"{self.graph.relations.name_of(self.query.relation % len(self.graph.relations.base))}"'

    @property
    def role(self) -> str:
        """The role that the query asks for: object, or subject where the query has the inverse relation."""
        return "subject" if self._is_inverse else "object"

    @property
    def claim(self) -> str:
        """The fact that the query would have with the candidate as its answer."""
        return self.fact(self.query.subject, self.query.relation, self.entity)

    @property
    def duration(self) -> Callable[[int], str]:
        """A number of time steps in words."""
        return self.graph.timeline.span_of

    def when(self, time: int) -> str:
        """How long before the query a time step is, and its date."""
        return f"{self.duration(self.query.time - time)} earlier ({self.graph.timeline.label_of(time)})"

    @property
    def _is_inverse(self) -> bool:
        return self.query.relation >= len(self.graph.relations.base)

    def events_of(self, entities: str) -> str:
        """Events of the query's relation in which entities have the role of the query's subject."""
        return f"{self.relation} events " + (f"with {entities} as object" if self._is_inverse else f"by {entities}")

    def fact(self, source: int, relation: int, target: int) -> str:
        """A fact as it stands in the data, given as an edge in either direction."""
        half = len(self.graph.relations.base)
        if relation >= half:
            source, relation, target = target, relation - half, source
        name = self.graph.entities.name_of
        return f"{name(source)} — {self.graph.relations.name_of(relation)} → {name(target)}"

    @property
    def head(self) -> int:
        """The relation of the query, as numbered in the memory."""
        return self.encoded(self.query.relation)

    def encoded(self, relation: int) -> int:
        """A relation of the graph, as numbered in the memory."""
        return encoded(relation, len(self.graph.relations.base))

    def partners(self, n: int) -> Partners:
        """The strongest partners of the subject before the query."""
        memory = self.memory
        found: Partners = new_partners(n)
        members = new_members(len(memory.entity_key))
        collect_partners(memory, self.query.subject, self.query.time, members)
        strongest(
            memory.decay,
            memory.entity_key,
            members,
            memory.pairs,
            memory.entities,
            self.query.subject,
            self.query.time,
            found,
        )
        return found

    def edges(self, source: int, relation: int | None, target: int | None) -> tuple[Edge, ...]:
        """All edges of a source before the query, with a relation and a target if given, latest first."""
        first = first_of(self.memory.edges, source)
        past = self.memory.edges.record[first : end_of_edges(self.memory.edges, source, self.query.time)]
        fits = np.ones(len(past), np.bool_)
        if relation is not None:
            fits &= past[:, 0] == self.encoded(relation)
        if target is not None:
            fits &= past[:, 1] == target
        half = len(self.graph.relations.base)
        return tuple(Edge(source, decoded(r, half), o, t) for r, o, t, _ in past[fits][::-1].tolist())

    def answers(self) -> tuple[Edge, ...]:
        """All edges before the query in which the candidate was the answer to its relation, latest first."""
        back = self.edges(self.entity, self.graph.relations.inverse_of(self.query.relation), None)
        return tuple(Edge(edge.target, self.query.relation, self.entity, edge.time) for edge in back)
