"""Read-write lock: many readers or one writer."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class ReadWriteLock:
    """Allows many readers or one writer. A waiting writer blocks new readers, so that it does not starve.

    >>> lock = ReadWriteLock()
    >>> with lock.reading(), lock.reading():
    ...     pass
    >>> with lock.writing():
    ...     pass
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._readers = self._writers = 0
        self._is_writing = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock for reading. It is not reentrant: nested use can deadlock with a waiting writer."""
        with self._changed:
            self._changed.wait_for(lambda: not self._writers)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock exclusively."""
        with self._changed:
            self._writers += 1
            self._changed.wait_for(lambda: not self._readers and not self._is_writing)
            self._is_writing = True
        try:
            yield
        finally:
            with self._changed:
                self._writers -= 1
                self._is_writing = False
                self._changed.notify_all()
