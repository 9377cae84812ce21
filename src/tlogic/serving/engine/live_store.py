"""The events of a store as a live graph in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread

from tlogic.errors import InputError
from tlogic.graph.facts import Facts
from tlogic.graph.live_graph import LiveGraph, Snapshot
from tlogic.serving.engine.read_write_lock import ReadWriteLock
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import AddResult, EventStore, StoreError


class LiveStore:
    """A store with its events in memory. An event is visible to forecasts once `catch_up` has loaded it."""

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self._graph: LiveGraph | None = None
        self._graph_lock, self._catch_up_lock = ReadWriteLock(), Lock()
        self._last_event = 0
        self._compaction_thread: Thread | None = None
        self.catch_up()

    @contextmanager
    def reading(self) -> Iterator[LiveGraph]:
        """Read the graph, which does not change inside the context."""
        with self._graph_lock.reading():
            if self._graph is None:
                raise InputError("The store has no events; add some with `tlogic ingest` or POST /api/events.")
            yield self._graph

    @property
    def is_empty(self) -> bool:
        """True if there are no events."""
        return self._graph is None

    @property
    def version(self) -> int:
        """Changes with every change of the graph; -1 if there are no events. Reading it never waits for a writer."""
        return -1 if self._graph is None else self._graph.version

    @property
    def n_events(self) -> int:
        """The number of events. Reading it never waits for a writer."""
        return 0 if self._graph is None else len(self._graph)

    def is_store_reachable(self) -> bool:
        """True if the database responds."""
        try:
            self.store.state()
        except StoreError:
            return False
        return True

    def add(self, events: EncodedEvents) -> AddResult:
        """Store events, all or none, and load them into the graph."""
        result = self.store.add(events)
        self.catch_up()
        return result

    def catch_up(self) -> int:
        """Load events that this or another process added to the store; returns how many are new."""
        with self._catch_up_lock:
            graph = self._graph
            n_names = (0, 0) if graph is None else (len(graph.entities), len(graph.relations.base))
            changes = self.store.changes_since(self._last_event, *n_names)
            timeline, events = changes.state.timeline, changes.events
            if timeline is None or not len(events.step):
                return 0
            with self._graph_lock.writing():
                graph = LiveGraph(timeline) if graph is None else graph
                # The store counts time steps from the origin of its timeline, the graph from its first event.
                shift = timeline.step_of(graph.timeline.origin)
                facts = Facts(events.subject, events.relation, events.object, events.step - shift)
                n_new = graph.add(facts, changes.entities, changes.relations)
                self._graph, self._last_event = graph, events.last
        if graph.needs_compaction and not (self._compaction_thread and self._compaction_thread.is_alive()):
            self._compaction_thread = Thread(target=self._compact, name="compaction", daemon=True)
            self._compaction_thread.start()
        return n_new

    def snapshot(self) -> Snapshot:
        """Copy the current events, for learning while new events arrive."""
        with self.reading() as graph:
            return graph.snapshot()

    def _compact(self) -> None:
        snapshot = self.snapshot()
        index = snapshot.compact_index()
        with self._graph_lock.writing():
            if self._graph is not None:
                self._graph.replace_index(snapshot, index)
