"""PastOccurrence: judges events of the past, over a copy of the live graph."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import TIMEOUT_MAX, Lock

from tlogic.graph.live_graph import Snapshot
from tlogic.models import Model
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster
from tlogic.serving.engine.time_limit import TimeLimit, TimeLimitError


class PastOccurrence:
    """Judges events before the newest time step, without blocking new events.

    The memory of the live graph has all events. This one goes forward in time from request to request, and starts
    again if a request is about an earlier time. Only one request uses it at a time: two would move it back and forth.

    Args:
        snapshot: A copy of the live graph.
        model: The model.
    """

    def __init__(self, snapshot: Snapshot, model: Model) -> None:
        self._snapshot, self._model = snapshot, model
        self._forecaster: OccurrenceForecaster | None = None
        self._lock = Lock()

    @contextmanager
    def forecaster(self, limit: TimeLimit) -> Iterator[OccurrenceForecaster]:
        """The forecaster, once no other request uses it."""
        if not self._lock.acquire(timeout=min(limit.remaining, TIMEOUT_MAX)):
            raise TimeLimitError
        try:
            if self._forecaster is None:
                self._forecaster = OccurrenceForecaster.over_time(self._snapshot.graph(), self._model)
            yield self._forecaster
        finally:
            self._lock.release()
