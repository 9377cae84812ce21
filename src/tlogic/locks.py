"""Locks on open files, which the system lets go of when their process ends, however it ends."""

import sys
from typing import IO, Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FAR = 1 << 40  # Windows forbids others to read the bytes that are locked, so one is taken where no content is


def lock(file: IO[Any]) -> bool:
    """Take the lock of an open file, until it is closed; False where somebody else has it.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     lock(file)
    True
    """
    try:
        if sys.platform == "win32":
            place = file.tell()
            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(place)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # a file system without locks has to do without
    return True
