"""Errors of an event store: the database fails, or its content was changed by something else than tlogic."""

from tlogic.errors import InputError, TLogicError


class StoreError(TLogicError):
    """The database failed: it is unreachable, locked or full, or its content is damaged."""

    def __init__(self, message: str, public: str | None = None, *, disk_is_full: bool = False) -> None:
        super().__init__(message)
        self.public = public or message
        """The message for clients, without the location of the database."""
        self.disk_is_full = disk_is_full


class DamagedStoreError(StoreError):
    """A store holds what tlogic never writes, for example after a disk failed.

    >>> print(DamagedStoreError("event 3 has no subject"))
    The store is damaged: event 3 has no subject. Restore it from a copy.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(f"The store is damaged: {problem}. Restore it from a copy.")


class DamagedVersionError(InputError):
    """A stored version was changed, for example by a failing disk."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(
            f"Version {number} in the store is damaged ({reason}). Restore another version with POST "
            "/api/versions/N/use, learn again, or start the service with --rules RULES or --model MODEL."
        )
