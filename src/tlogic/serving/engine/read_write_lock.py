"""A lock that many readers share, and one writer has for itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class ReadWriteLock:
    """Many may read at once; who writes waits for them, and new readers wait for who wants to write.

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
        """While this lasts, nobody writes. Not to be entered again from inside while others may want to write."""
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
        """While this lasts, nobody else reads or writes."""
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
