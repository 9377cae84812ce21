"""Learning at an interval. Of several services on one store, one learns each time; the others use its version."""

from os import getpid
from secrets import token_hex
from socket import gethostname
from threading import Event, Thread
from time import monotonic

from tlogic.serving.engine.service import Service
from tlogic.serving.logs import FailureLog

LEASE_SECONDS = 60.0
"""A service renews its claim while it learns. If it dies, another one takes over after this time."""


class LearningSchedule:
    """Background thread that claims the next learning in the store, and learns if it has the claim.

    The thread is not the one that follows the store, because catching up may take longer than a lease.

    Args:
        service: The service.
        period: The seconds from the start of one run of learning to the start of the next.
        poll: The seconds between two looks at the clock and at the state of learning.
        lease: The seconds after which a claim lapses if it is not renewed.
    """

    def __init__(self, service: Service, period: float, poll: float, lease: float = LEASE_SECONDS) -> None:
        self._store, self._versions = service.live_store.store, service.versions
        self._period, self._poll, self._lease = period, poll, lease
        self._owner = f"{gethostname()} {getpid()} {token_hex(4)}"
        self._is_learning, self._claim_at = False, monotonic()
        self._stop = Event()
        self._thread = Thread(target=self._run, name="schedule", daemon=True)
        self._failures = FailureLog()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, and leave learning that is under way to another service."""
        self._stop.set()
        self._thread.join()
        if self._is_learning:
            with self._failures.logged():
                self._release()

    def _run(self) -> None:
        while not self._stop.wait(self._poll):
            with self._failures.logged():
                if self._is_learning and self._versions.learning.state != "running":
                    self._release()
                elif monotonic() >= self._claim_at:
                    self._claim()

    def _claim(self) -> None:
        """Take or renew the claim, and begin to learn if it is new."""
        wait = self._store.claim_learning(self._owner, self._period, self._lease)
        self._claim_at = monotonic() + (wait or self._lease / 3)
        if wait == 0.0 and not self._is_learning:
            self._is_learning = True
            self._versions.learn()

    def _release(self) -> None:
        self._store.release_learning(self._owner, is_done=self._versions.learning.state != "running")
        self._is_learning, self._claim_at = False, monotonic()
