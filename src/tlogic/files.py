"""Files that are there whole or not at all, and the folder of those that can be made again."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from tempfile import mkstemp
from time import time

from tlogic.errors import InputError
from tlogic.locks import lock

_UNFINISHED = ".unfinished"
_ABANDONED_AFTER = 60.0
"""Seconds. Until then, who made a file may not have locked it yet."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A temporary file beside ``path`` to write to, which takes its place when all went well.

    What earlier ones left behind that were killed is removed. A link stays, and what it leads to is replaced. Pipes and
    devices, such as /dev/stdout, are written to as they are.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, atomic_write(Path(folder) / "new.txt") as temporary:
    ...     _ = temporary.write_text("all of it")
    """
    try:
        if _is_device(path):
            yield path
            return
        path = path.resolve()
        _remove_abandoned(path)
        handle, name = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_UNFINISHED)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "rb+") as file:
                lock(file)
                yield temporary
                os.fsync(file.fileno())
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror or error}.") from None


def write_atomically(path: Path, text: str) -> None:
    """Write text so that under the file's name there is either the old content or all of the new."""
    with atomic_write(path) as temporary:
        temporary.write_bytes(text.encode())


def read_text(path: Path, kind: str, made_by: str) -> str:
    """The text of a file of some kind, which a command makes.

    >>> read_text(Path("none.rules"), "rule file", "tlogic learn")
    Traceback (most recent call last):
    tlogic.errors.InputError: There is no rule file none.rules; `tlogic learn` makes one.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"There is no {kind} {path}; `{made_by}` makes one.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a {kind}: expected text. A compiled graph is given as DATA.") from None
    except OSError as error:
        raise InputError(f"{path} is not a {kind}: {error}.") from None


def check_writable(path: Path) -> None:
    """Tell before long work that its result could not be written."""
    if path.is_dir():
        raise InputError(f"Cannot write {path}: it is a folder.")
    if not path.parent.is_dir():
        raise InputError(f"Cannot write {path}: there is no folder {path.parent}.")
    if not os.access(path if _is_device(path) else path.resolve().parent, os.W_OK):
        raise InputError(f"Cannot write {path}: permission denied.")


def cache_folder() -> Path:
    """Where this system keeps what can be fetched or made again."""
    try:
        home = Path.home()
    except RuntimeError:
        raise InputError("This user has no home folder; set TLOGIC_DATA to a folder for datasets.") from None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "tlogic"


def _is_device(path: Path) -> bool:
    """Is it there, and no ordinary file? What /dev/stdout leads to may be one, but somebody else has it open."""
    return path.exists() and not path.is_dir() and (not path.is_file() or path.absolute().parts[1:2] == ("dev",))


def _remove_abandoned(path: Path) -> None:
    """Remove unfinished files of this name that nobody writes to any more."""
    for left in path.parent.glob(f".{escape(path.name)}.*{_UNFINISHED}"):
        try:
            if time() - left.stat().st_mtime > _ABANDONED_AFTER:
                with left.open("rb") as file:
                    abandoned = lock(file)
                if abandoned:
                    left.unlink()
        except OSError:  # it is gone by now, or not ours
            continue


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
