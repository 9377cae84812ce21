"""Locks on open files. The operating system releases them when the process ends, even after a crash."""

import sys
from typing import IO, Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCK_OFFSET = 1 << 40  # Windows makes locked bytes unreadable for others, so a byte far behind the content is locked


def lock(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; return False if another process holds the lock.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     lock(file)
    True
    """
    try:
        if sys.platform == "win32":
            position = file.tell()
            file.seek(_LOCK_OFFSET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(position)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # the file system has no locks
    return True
