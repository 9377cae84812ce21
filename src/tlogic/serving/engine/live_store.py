"""The events of a store as a live graph in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread

from tlogic.errors import InputError
from tlogic.events import Timeline
from tlogic.graph.facts import Facts
from tlogic.graph.live_graph import LiveGraph, Snapshot
from tlogic.serving.engine.read_write_lock import ReadWriteLock
from tlogic.serving.logs import log
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import AddResult, Changes, EventStore
from tlogic.serving.store.store_errors import StoreError


class LiveStore:
    """A store with its events in memory. An event is visible to forecasts once `catch_up` has loaded it."""

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self._graph: LiveGraph | None = None
        self._graph_lock, self._catch_up_lock = ReadWriteLock(), Lock()
        self._last_event = self._n_removals = 0
        self._next_version = 0
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
        """Load events that this or another process added to the store; returns how many are new.

        If events were removed, all are loaded again, into a new graph.
        """
        with self._catch_up_lock:
            graph = self._graph
            n_names = (0, 0) if graph is None else (len(graph.entities), len(graph.relations.base))
            changes = self.store.changes_since(self._last_event, *n_names, self._n_removals)
            if changes.n_removals != self._n_removals:
                n_new = self._load_again(changes)
            elif changes.state.timeline is None or not len(changes.events.step):
                return 0
            else:
                n_new = self._add(changes)
        self._compact_if_needed()
        return n_new

    def _load_again(self, changes: Changes) -> int:
        """Replace the graph by a new one with all events of the store."""
        log.info("events were removed; loading all events", extra={"fields": {"events": len(changes.events.step)}})
        if self._graph is not None:
            self._next_version = self._graph.version + 1
        graph = None if changes.state.timeline is None else self._new_graph(changes.state.timeline)
        if graph is not None:
            _add_changes(graph, changes)
        with self._graph_lock.writing():
            self._graph, self._last_event, self._n_removals = graph, changes.events.last, changes.n_removals
        return 0

    def _add(self, changes: Changes) -> int:
        assert changes.state.timeline is not None
        with self._graph_lock.writing():
            graph = self._new_graph(changes.state.timeline) if self._graph is None else self._graph
            n_new = _add_changes(graph, changes)
            self._graph, self._last_event = graph, changes.events.last
        return n_new

    def _new_graph(self, timeline: Timeline) -> LiveGraph:
        """An empty graph, whose versions no graph before it had."""
        graph = LiveGraph(timeline)
        graph.version = self._next_version
        return graph

    def _compact_if_needed(self) -> None:
        graph, thread = self._graph, self._compaction_thread
        if graph is not None and graph.needs_compaction and not (thread and thread.is_alive()):
            self._compaction_thread = Thread(target=self._compact, args=(graph,), name="compaction", daemon=True)
            self._compaction_thread.start()

    def snapshot(self) -> Snapshot:
        """Copy the current events, for learning while new events arrive."""
        with self.reading() as graph:
            return graph.snapshot()

    def _compact(self, graph: LiveGraph) -> None:
        with self._graph_lock.reading():
            snapshot = graph.snapshot()
        index = snapshot.compact_index()
        with self._graph_lock.writing():
            graph.replace_index(snapshot, index)


def _add_changes(graph: LiveGraph, changes: Changes) -> int:
    """Add what is new in a store to a graph; returns how many facts are new."""
    timeline, events = changes.state.timeline, changes.events
    assert timeline is not None
    # The store counts time steps from the origin of its timeline, the graph from its first event.
    shift = timeline.step_of(graph.timeline.origin)
    facts = Facts(events.subject, events.relation, events.object, events.step - shift)
    return graph.add(facts, changes.entities, changes.relations)
