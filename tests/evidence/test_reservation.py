"""Room that is reserved for facts: exactly what they need."""

import numpy as np

from tlogic.evidence.lists import Lists
from tlogic.evidence.memory import Memory
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.graph.building import sample_graph

SETTINGS = MemorySettings(("recurrence",), (1.5, 7.0, 30.0, 120.0, np.inf))


def test_nothing_moves_while_the_facts_are_added() -> None:
    graph = sample_graph()
    memory = Memory(SETTINGS)
    memory.add_names(graph.entities.names, graph.relations.base)
    memory.reserve(graph.facts)
    before = memory.events
    memory.add(graph.facts)
    for name, now in memory.events._asdict().items():
        then = getattr(before, name)
        assert (now.record is then.record) if isinstance(now, Lists) else (now is then), name
    for lists in (memory.events.edges, memory.events.targets_of_slot, memory.events.triples_of_pair):
        sizes, rooms = lists.extent[1:, 1], lists.extent[1:, 2]
        assert (sizes == rooms).all()
