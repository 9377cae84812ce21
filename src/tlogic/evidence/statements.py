"""What families of evidence describe people: a sentence about a candidate, and the dated facts that it rests on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tlogic.evidence.histories import Histories
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph.temporal_graph import TemporalGraph


class Edge(NamedTuple):
    """A fact or its inverse, in numbers."""

    source: int
    relation: int
    target: int
    time: int


class Statement(NamedTuple):
    """A sentence, and the facts it rests on, the most telling first."""

    sentence: str
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True)
class Case:
    """A candidate of a query, with all that a family may need to describe of it."""

    graph: TemporalGraph
    histories: Histories
    query: EncodedQuery
    entity: int
    """The candidate."""
    values: Mapping[str, float]
    """The family's columns that are there."""
    state: Any
    """What the family had learned before the query."""

    @property
    def subject(self) -> str:
        """The name of the one that is queries about."""
        return self.graph.entities.name_of(self.query.subject)

    @property
    def candidate(self) -> str:
        """The name of the candidate."""
        return self.graph.entities.name_of(self.entity)

    @property
    def relation(self) -> str:
        """The name of the relation that is queries about."""
        return self.graph.relations.name_of(self.query.relation)

    @property
    def claim(self) -> str:
        """What is queries, with the candidate in its place."""
        return self.said(self.query.subject, self.query.relation, self.entity)

    @property
    def span(self) -> Callable[[int], str]:
        """A number of steps in words."""
        return self.graph.timeline.span_of

    def said(self, source: int, relation: int, target: int) -> str:
        """A triple as it stands in the data, the right way round."""
        half = len(self.graph.relations.base)
        if relation >= half:
            source, relation, target = target, relation - half, source
        name = self.graph.entities.name_of
        return f"{name(source)} — {self.graph.relations.name_of(relation)} → {name(target)}"

    def edges(self, source: int, relation: int | None, target: int | None) -> tuple[Edge, ...]:
        """All facts of a source before the query that fit, latest first."""
        start, relations, targets, times = self.histories.entity_edges
        first, end = start[source], start[source + 1]
        known = slice(first, first + int(np.searchsorted(times[first:end], self.query.time)))
        fits = np.ones(known.stop - known.start, np.bool_)
        for scored, column in ((relation, relations), (target, targets)):
            if scored is not None:
                fits &= column[known] == scored
        found = known.start + np.flatnonzero(fits)[::-1]
        columns = (column[found].tolist() for column in (relations, targets, times))
        return tuple(Edge(source, *edge) for edge in zip(*columns, strict=True))

    def answers(self) -> tuple[Edge, ...]:
        """All facts before the query in which the candidate was the answer to its relation, latest first."""
        back = self.edges(self.entity, self.graph.relations.inverse_of(self.query.relation), None)
        return tuple(Edge(edge.target, self.query.relation, self.entity, edge.time) for edge in back)
