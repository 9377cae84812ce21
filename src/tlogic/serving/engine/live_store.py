"""The events of a store as a live graph, which is kept up to date."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread

from tlogic.errors import InputError
from tlogic.graph.facts import Facts
from tlogic.graph.growing_index import build_growing_index
from tlogic.graph.live_graph import LiveGraph, Snapshot
from tlogic.serving.engine.read_write_lock import ReadWriteLock
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import Added, EventStore, StoreError


class LiveStore:
    """What the store holds, in memory. An event counts from the moment at which ``catch_up`` has seen it."""

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self._graph: LiveGraph | None = None
        self._lock, self._catching_up = ReadWriteLock(), Lock()
        self._seen = 0
        self._merging: Thread | None = None
        self.catch_up()

    @contextmanager
    def reading(self) -> Iterator[LiveGraph]:
        """The graph, which nobody changes meanwhile."""
        with self._lock.reading():
            if self._graph is None:
                raise InputError("There are no events yet; add some with `tlogic ingest` or POST /api/events.")
            yield self._graph

    @property
    def is_empty(self) -> bool:
        """Are there no events yet?"""
        return self._graph is None

    def is_store_reachable(self) -> bool:
        """Can events be kept now?"""
        try:
            self.store.state()
        except StoreError:
            return False
        return True

    def add(self, events: EncodedEvents) -> Added:
        """Keep events, whole or not at all; once they are kept, they count."""
        added = self.store.add(events)
        self.catch_up()
        return added

    def catch_up(self) -> int:
        """Take in what was added to the store since, be it by others; how many events came in."""
        with self._catching_up:
            graph = self._graph
            names = (0, 0) if graph is None else (len(graph.entities), len(graph.relations.base))
            changes = self.store.changes_since(self._seen, *names)
            timeline, events = changes.state.timeline, changes.events
            if timeline is None or not len(events.step):
                return 0
            with self._lock.writing():
                graph = LiveGraph(timeline) if graph is None else graph
                # steps count from the origin of the store's timeline, and those of the graph from its first event
                shift = timeline.step_of(graph.timeline.origin)
                facts = Facts(events.subject, events.relation, events.object, events.step - shift)
                new = graph.add(facts, changes.entities, changes.relations)
                self._graph, self._seen = graph, events.last
        if graph.needs_compaction and not (self._merging and self._merging.is_alive()):
            self._merging = Thread(target=self._merge, name="merging", daemon=True)
            self._merging.start()
        return new

    def snapshot(self) -> Snapshot:
        """A copy of all that is known now, to learn from while events come in."""
        with self.reading() as graph:
            return graph.snapshot()

    def _merge(self) -> None:
        taken = self.snapshot()
        index = build_growing_index(taken.graph().triples)
        with self._lock.writing():
            if self._graph is not None:
                self._graph.replace_index(taken, index)
