"""The interface of a graph that forecasts use: fixed or live."""

from typing import Protocol

from tlogic.events.timeline import Timeline
from tlogic.graph.arrays import Ints
from tlogic.graph.facts import Facts
from tlogic.graph.vocabulary import Relations, Vocabulary


class Graph(Protocol):
    """A graph with names and dates: a ``TemporalGraph`` or a ``LiveGraph``."""

    @property
    def entities(self) -> Vocabulary:
        """The entity names."""

    @property
    def relations(self) -> Relations:
        """The names of relations and inverse relations."""

    @property
    def timeline(self) -> Timeline:
        """Converts time steps to dates and back."""

    @property
    def end(self) -> int:
        """The time step after the last fact."""

    @property
    def entity_rank(self) -> Ints:
        """Per entity: the position of its name among the sorted names. Ties are broken by it."""

    @property
    def relation_rank(self) -> Ints:
        """Per relation: the position of its name among the sorted names; inverses follow the relations."""

    def __len__(self) -> int:
        """The number of facts."""

    def facts_between(self, first: int, end: int) -> Facts:
        """The facts with ``first <= time < end``, in any order."""

    def answers_at(self, subject: int, relation: int, time: int) -> list[int]:
        """The entities that complete (subject, relation, ?, time) to a fact, sorted by name; all are ids."""
