"""Background thread that keeps a service up to date with its store."""

from threading import Event, Thread

from tlogic.serving.engine.learning_schedule import LearningSchedule
from tlogic.serving.engine.service import Service
from tlogic.serving.logs import FailureLog

POLL_SECONDS = 0.5


class StoreFollower:
    """Polls the store for events and versions that other processes added, and learns on a schedule.

    If the database is unreachable, the thread keeps polling and catches up later.
    """

    def __init__(self, service: Service, learn_every: float | None = None, poll: float = POLL_SECONDS) -> None:
        self._service, self._poll = service, poll
        self._stop = Event()
        self._thread = Thread(target=self._run, name="follower", daemon=True)
        self._schedule = None if learn_every is None else LearningSchedule(service, learn_every, poll)
        self._failures = FailureLog()

    def start(self) -> None:
        """Start polling."""
        self._thread.start()
        if self._schedule is not None:
            self._schedule.start()

    def stop(self) -> None:
        """Finish the current poll and stop."""
        self._stop.set()
        self._thread.join()
        if self._schedule is not None:
            self._schedule.stop()

    def _run(self) -> None:
        while not self._stop.wait(self._poll):
            with self._failures.logged():
                self._service.live_store.catch_up()
                self._service.versions.catch_up()
                self._service.versions.use_latest()
