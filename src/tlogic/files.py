"""Atomic file writes, and the cache folder of the user."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from io import BytesIO
from pathlib import Path
from tempfile import mkstemp
from time import time
from typing import TYPE_CHECKING

from tlogic.errors import InputError
from tlogic.locks import lock

if TYPE_CHECKING:
    import polars as pl

StrPath = str | os.PathLike[str]
"""A path, as users give it."""

_UNFINISHED = ".unfinished"
_MIN_ABANDONED_AGE_SECONDS = 60.0
"""A younger unfinished file may belong to a process that has not locked it yet."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary file in the folder of ``path``, which replaces ``path`` if the block succeeds.

    Temporary files of killed processes are removed. If ``path`` is a link, its target is replaced. Pipes and devices,
    such as /dev/stdout, are written directly.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, atomic_write(Path(folder) / "new.txt") as temporary:
    ...     _ = temporary.write_text("all of it")
    """
    try:
        if is_device(path):
            yield path
            return
        path = _target_of(path)
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
    """Write text; the file always holds either the old content or all of the new content."""
    with atomic_write(path) as temporary:
        temporary.write_bytes(text.encode())


def write_parquet(frame: "pl.DataFrame", path: Path) -> None:
    """Write a data frame as Parquet. A full disk raises an `OSError`, which polars itself reports in other ways."""
    content = BytesIO()
    frame.write_parquet(content)
    path.write_bytes(content.getbuffer())


def read_text(path: Path, kind: str, made_by: str) -> str:
    """Read a text file; errors name its kind and the command that creates such files.

    >>> read_text(Path("none.rules"), "rule file", "tlogic learn")
    Traceback (most recent call last):
    tlogic.errors.InputError: There is no rule file none.rules; create one with `tlogic learn`.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"There is no {kind} {path}; create one with `{made_by}`.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a {kind}: expected text. Give a compiled graph as DATA.") from None
    except OSError as error:
        raise InputError(f"{path} is not a {kind}: {error}.") from None


def is_device(path: Path) -> bool:
    """Whether a path is a device or pipe. /dev/stdout may lead to a regular file, but another process has it open."""
    return path.exists() and not path.is_dir() and (not path.is_file() or path.absolute().parts[1:2] == ("dev",))


def check_writable(path: Path) -> None:
    """Raise an error before long work if its result could not be written."""
    if path.is_dir():
        raise InputError(f"Cannot write {path}: it is a folder.")
    if not path.parent.is_dir():
        raise InputError(f"Cannot write {path}: there is no folder {path.parent}.")
    try:
        may_write = os.access(path if is_device(path) else _target_of(path).parent, os.W_OK)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror or error}.") from None
    if not may_write:
        raise InputError(f"Cannot write {path}: permission denied.")


def check_folder(path: Path) -> None:
    """Raise an error before long work if a folder for its results is not one, or could not be made or written to.

    >>> check_folder(Path(__file__) / "report")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tlogic.errors.InputError: Cannot write to the folder ...report: ...files.py is not a folder.
    """
    try:
        nearest = next(each for each in (path, *path.absolute().parents) if each.exists())
    except OSError as error:
        raise InputError(f"Cannot write to the folder {path}: {error.strerror or error}.") from None
    if not nearest.is_dir():
        raise InputError(f"Cannot write to the folder {path}: {nearest} is not a folder.")
    if not os.access(nearest, os.W_OK):
        raise InputError(f"Cannot write to the folder {path}: permission denied.")


def cache_folder() -> Path:
    """The cache folder of tlogic for this user and operating system."""
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


def _target_of(path: Path) -> Path:
    """The path without links. Raises an `OSError` if links form a loop, which `Path.resolve` reports in other ways."""
    with suppress(FileNotFoundError):
        path.stat()
    return path.resolve()


def _remove_abandoned(path: Path) -> None:
    """Remove unfinished files of this name whose process has ended."""
    for left in path.parent.glob(f".{escape(path.name)}.*{_UNFINISHED}"):
        try:
            if time() - left.stat().st_mtime > _MIN_ABANDONED_AGE_SECONDS:
                with left.open("rb") as file:
                    abandoned = lock(file)
                if abandoned:
                    left.unlink()
        except OSError:  # already removed, or owned by another user
            continue


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
