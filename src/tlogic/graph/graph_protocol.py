"""What forecasts need of a graph, whether it grows or not."""

from typing import Protocol

from tlogic.events.timeline import Timeline
from tlogic.graph.vocabulary import Relations, Vocabulary


class Graph(Protocol):
    """Facts with names and dates: a ``TemporalGraph`` or a ``LiveGraph``."""

    @property
    def entities(self) -> Vocabulary:
        """The names of the entities."""

    @property
    def relations(self) -> Relations:
        """The names of the relations and their inverses."""

    @property
    def timeline(self) -> Timeline:
        """The dates of the steps."""

    @property
    def end(self) -> int:
        """The step after the last fact."""

    def __len__(self) -> int:
        """How many facts there are."""

    def answers_at(self, subject: int, relation: int, time: int) -> list[int]:
        """The entities to which a subject did a relation at a time."""
