"""The evidence over a live graph is that of the same facts read at once, however and in whatever order they came."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event as Signal
from threading import current_thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence.extraction import settings_of
from tests.evidence.worlds import TELLING_NAMES
from tests.strategies import LAST_TIME, World
from tests.worlds import as_graph
from tlogic.evidence import live_evidence
from tlogic.evidence.families.popularity import Popularity
from tlogic.evidence.live_evidence import LiveQueryEvidence
from tlogic.evidence.query_evidence import BaseQueryEvidence, QueryEvidence
from tlogic.evidence.registry import FAMILIES
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph import Facts
from tlogic.graph.live_graph import LiveGraph

Event = tuple[str, str, str, int]
"""Time steps count from that of the first fact of a graph."""
Rows = dict[tuple[str, str], list[tuple[str, bytes]]]

NAMES, RELATIONS = TELLING_NAMES[:6], ("r0", "r1")
SETTINGS = settings_of(*FAMILIES, max_events=2)
EVENTS = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(RELATIONS), st.sampled_from(NAMES), st.integers(-2, LAST_TIME)
)


class Store:
    """A live graph that starts with one fact, and the evidence over it."""

    def __init__(self) -> None:
        self.graph = LiveGraph.of(as_graph(World(frozenset(), 0, 0)))
        self.evidence = LiveQueryEvidence(self.graph, SETTINGS)
        self.shift = 0

    def add(self, events: list[Event]) -> None:
        graph = self.graph
        names = dict.fromkeys(name for s, _, o, _ in events for name in (s, o))
        new = [name for name in names if name not in graph.entities]
        new_relations = [name for name in dict.fromkeys(r for _, r, _, _ in events) if name not in graph.relations]
        entities = {name: i for i, name in enumerate([*graph.entities.names, *new])}
        relations = {name: i for i, name in enumerate([*graph.relations.base, *new_relations])}
        rows = [(entities[s], relations[r], entities[o], t + self.shift) for s, r, o, t in events]
        graph.add(Facts(*np.array(rows).reshape(-1, 4).T.copy()), new, new_relations)
        self.shift = max(self.shift, *(-t for *_, t in events), 0)


def rows(evidence: BaseQueryEvidence, now: int) -> Rows:
    """The evidence of all queries at a time step."""
    graph, found = evidence.graph, Rows()
    for subject, name in enumerate(graph.entities.names):
        for relation, relation_name in enumerate(graph.relations.names):
            with evidence.at(EncodedQuery(subject, relation, now)) as (part, _):
                found[name, relation_name] = [
                    (graph.entities.name_of(int(c)), row.tobytes())
                    for c, row in zip(part.context.candidate, part.values, strict=True)
                ]
    return found


def assert_as_read_at_once(store: Store) -> None:
    graph = store.graph.snapshot().graph()
    for now in (graph.end, graph.end - 1, graph.end + 3, graph.end // 2):
        assert rows(store.evidence, now) == rows(QueryEvidence(graph, SETTINGS), now)


@settings(max_examples=20)
@given(st.lists(st.lists(EVENTS, min_size=1, max_size=8), min_size=1, max_size=4))
def test_events_may_come_in_any_order(batches: list[list[Event]]) -> None:
    """Twice, late, before the first one, and with new names, also after queries."""
    store = Store()
    for batch in batches:
        store.add(batch)
        with store.evidence.at(EncodedQuery(0, 0, store.graph.end)):
            pass
    assert_as_read_at_once(store)
    assert store.evidence.is_complete


def test_events_of_the_newest_step_are_learned_when_they_arrive() -> None:
    """Nothing is built anew for them."""
    store = Store()
    store.add([("Peru", "r0", "India", 2), ("India", "r1", "Peru", 3)])
    store.evidence.catch_up()
    memory = store.evidence.memory
    for event in [("Ann Lee", "r0", "India", 3), ("Peru", "r2", "Bo Oak", 3), ("Peru", "r0", "India", 5)]:
        store.add([event])
        store.evidence.catch_up()
        assert store.evidence.memory is memory
    assert memory.n_facts == len(store.graph)
    store.add([("Peru", "r0", "Ann Lee", 1)])
    store.evidence.catch_up()
    assert store.evidence.memory is not memory
    assert_as_read_at_once(store)


def test_late_events_are_learned_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then they are counted as late, and further events are learned at once."""
    monkeypatch.setattr(live_evidence, "_FEW_FACTS", 0)
    store = Store()
    store.add([("Peru", "r0", "India", 4)])
    store.evidence.catch_up()
    with held_back(monkeypatch) as release:
        store.add([("Peru", "r0", "Ann Lee", 2)])
        store.evidence.catch_up()
        assert (store.evidence.n_late, store.evidence.is_complete) == (1, False)
        store.add([("India", "r0", "Ann Lee", 4), ("Bo Oak", "r1", "Peru", 3)])
        store.evidence.catch_up()
        assert (store.evidence.n_late, store.evidence.memory.n_facts) == (2, 3)
        release()
    for _ in range(2):  # the second event was late while the memory was built
        thread = store.evidence._rebuild
        assert thread is not None
        thread.join()
        store.evidence.catch_up()
    assert store.evidence.is_complete
    assert_as_read_at_once(store)


@contextmanager
def held_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Memories that other threads build wait until they are released."""
    signal, add = Signal(), live_evidence.Memory.add

    def slowly(memory: live_evidence.Memory, facts: Facts, *others: object) -> None:
        if current_thread().name == "memory":
            assert signal.wait(60)
        add(memory, facts, *others)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(live_evidence.Memory, "add", slowly)
        yield signal.set


def test_events_that_could_not_be_learned_are_learned_later(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    store.add([("Peru", "r0", "India", 2)])
    store.evidence.catch_up()
    store.add([("Peru", "r0", "Ann Lee", 3)])
    with monkeypatch.context() as patch:
        patch.setattr(Popularity, "learn", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.evidence.catch_up()
    assert_as_read_at_once(store)
