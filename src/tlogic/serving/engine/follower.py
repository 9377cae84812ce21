"""Background thread that keeps a service up to date with its store."""

from threading import Event, Thread
from time import monotonic

from tlogic.errors import TLogicError
from tlogic.serving.engine.service import Service
from tlogic.serving.logs import log

POLL_SECONDS = 0.5


class StoreFollower:
    """Polls the store for events and versions that other processes added, and learns on a schedule.

    If the database is unreachable, the thread keeps polling and catches up later.
    """

    def __init__(self, service: Service, learn_every: float | None = None, poll: float = POLL_SECONDS) -> None:
        self._service, self._learn_every, self._poll = service, learn_every, poll
        self._stop = Event()
        self._thread = Thread(target=self._run, name="follower", daemon=True)
        self._is_failing = False

    def start(self) -> None:
        """Start polling."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the current poll and stop."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        learned = monotonic()
        while not self._stop.wait(self._poll):
            self._catch_up()
            if self._learn_every is not None and monotonic() - learned >= self._learn_every:
                learned = monotonic()
                self._service.versions.learn()

    def _catch_up(self) -> None:
        try:
            self._service.live_store.catch_up()
            self._service.versions.catch_up()
            self._service.versions.use_latest()
        except Exception as error:
            # Log only the first failure in a row; otherwise there would be two lines per second.
            if not self._is_failing:
                log.warning(str(error), exc_info=not isinstance(error, TLogicError))
            self._is_failing = True
        else:
            if self._is_failing:
                log.info("the store is reachable again")
            self._is_failing = False
