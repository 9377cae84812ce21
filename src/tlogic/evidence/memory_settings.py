"""MemorySettings: all that determines a memory, besides the facts."""

from dataclasses import dataclass

MAX_EVENTS = 1000
"""How many last events of an entity are searched, unless told otherwise."""
ALL_EVENTS = 2**31 - 1
"""So many are never exceeded: all events of an entity are searched."""


@dataclass(frozen=True)
class MemorySettings:
    """All that determines a memory, besides the facts. Fitting chooses it, and models hold it.

    Attributes:
        families: The names of the families of evidence.
        half_lives: The half-lives of decayed counts, in time steps; the last one is infinite.
        max_events: How many last events of an entity are searched for its partners and for rules that fire. It bounds
            the cost of entities with very many events.
    """

    families: tuple[str, ...]
    half_lives: tuple[float, ...]
    max_events: int = MAX_EVENTS
