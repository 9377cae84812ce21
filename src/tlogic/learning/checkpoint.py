"""A journal of a learning run: stores finished chunks on disk, so that a restarted run need not compute them again.

The file holds one line that describes the run, then one record per finished chunk. A process that is killed while
writing leaves an incomplete record at the end. Its checksum fails, so it is cut off and its chunk is computed again.
Records are flushed to the operating system but not forced onto the disk: they survive the process at almost no cost,
and after a power failure the checksums show which records are intact.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from struct import Struct
from types import TracebackType
from typing import IO, Any, NamedTuple
from zlib import crc32

import numpy as np

from tlogic.errors import InputError
from tlogic.graph.arrays import Ints
from tlogic.locks import lock

_MAGIC = b"tlogic checkpoint 1 "
_PREFIX = Struct("<12sHIIHH")  # stage, length, chunk, rows, columns, bytes per number
_CHECKSUM = Struct("<I")


class Chunk(NamedTuple):
    """One unit of work: a chunk of a stage for one rule length."""

    stage: str
    length: int
    number: int


class Checkpoint:
    """The finished chunks of one run, in a file that outlives the process.

    Args:
        path: The file; it is created if it does not exist.
        run: Everything that the results depend on. Messages name differences by these keys.

    Raises:
        InputError: If the file belongs to another run, is in use, or cannot be written.

    Example:

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path, chunk = Path(folder) / "run.partial", Chunk("walks", 1, 0)
        ...     with Checkpoint(path, {"seed": 12}) as checkpoint:
        ...         checkpoint.keep(chunk, np.array([[1, 2]]))
        ...     with Checkpoint(path, {"seed": 12}) as checkpoint:
        ...         print(checkpoint.take(chunk), checkpoint.take(chunk))
        [[1 2]] None
    """

    def __init__(self, path: str | os.PathLike[str], run: Mapping[str, Any]) -> None:
        self.path = Path(path)
        try:
            self._file = _open_locked(self.path)
            try:
                self._finished = self._begin(run)
            except BaseException:
                self._file.close()
                raise
        except OSError as error:
            raise InputError(f"Cannot write {self.path}: {error.strerror or error}.") from None

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    def __contains__(self, chunk: Chunk) -> bool:
        return chunk in self._finished

    def take(self, chunk: Chunk) -> Ints | None:
        """Remove and return the result of a finished chunk; None if there is none."""
        return self._finished.pop(chunk, None)

    def keep(self, chunk: Chunk, rows: Ints) -> None:
        """Append the result of a chunk, a matrix of integers."""
        try:
            self._file.write(_encode(chunk, rows))
            self._file.flush()
        except OSError as error:
            raise InputError(
                f"Cannot write {self.path}: {error.strerror or error}. Finished chunks are safe; "
                "once there is space again, start the run again to continue."
            ) from None

    def _begin(self, run: Mapping[str, Any]) -> dict[Chunk, Ints]:
        """Read the finished chunks; leaves the file open after the last intact record."""
        first = self._file.readline()
        if _is_incomplete(first):
            self._file.seek(0)
            self._file.truncate()
            self._file.write(_MAGIC + json.dumps(run).encode() + b"\n")
            self._file.flush()
            return {}
        _check_same_run(self.path, _parse_header(self.path, first), json.loads(json.dumps(run)))
        end, finished = len(first), {}
        for chunk, rows in _records(self._file):
            finished[chunk], end = rows, self._file.tell()
        self._file.seek(end)
        self._file.truncate()
        return finished


def count_finished(path: str | os.PathLike[str]) -> int:
    """The number of finished chunks in a checkpoint; 0 if there is no file."""
    try:
        with Path(path).open("rb") as file:
            first = file.readline()
            if _is_incomplete(first):
                return 0
            _parse_header(path, first)
            return sum(1 for _ in _records(file))
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None


def discard(path: str | os.PathLike[str]) -> None:
    """Delete a checkpoint; raises InputError if a run is writing to it or if it is another kind of file."""
    path = Path(path)
    if path.exists():
        try:
            with _open_locked(path) as file:
                if not _is_incomplete(first := file.readline()):
                    _parse_header(path, first)
            path.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"Cannot delete {path}: {error.strerror or error}.") from None


def _open_locked(path: Path) -> IO[bytes]:
    """Open a file for reading and writing, created if missing; raises InputError if another run has it open."""
    path.touch()
    file = path.open("r+b")
    if lock(file):
        return file
    file.close()
    raise InputError(f"Another run is writing to {path}; wait until it has finished.")


def _is_incomplete(first: bytes) -> bool:
    """Is the first line incomplete, perhaps empty?"""
    return not first.endswith(b"\n") and (first.startswith(_MAGIC) or _MAGIC.startswith(first))


def _parse_header(path: str | os.PathLike[str], first: bytes) -> dict[str, Any]:
    try:
        if not first.startswith(_MAGIC):
            raise ValueError
        run = json.loads(first.removeprefix(_MAGIC))
    except ValueError:
        raise InputError(
            f"{path} is not a checkpoint of this version of tlogic; expected a first line that begins with "
            f"{_MAGIC.decode().strip()!r}, found {first[:40]!r}. Choose another name, or delete it."
        ) from None
    return dict(run)


def _check_same_run(path: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    differences = [
        f"{key} is {_shortened(there.get(key))} there and {_shortened(here.get(key))} here"
        for key in {**there, **here}
        if there.get(key) != here.get(key)
    ]
    if differences:
        raise InputError(
            f"{path} belongs to another run: {'; '.join(differences)}. "
            "Use the same data and settings to continue, or delete the file to start over."
        )


def _shortened(value: Any) -> str:
    return text if len(text := json.dumps(value, ensure_ascii=False)) <= 60 else f"{text[:57]}..."


def _encode(chunk: Chunk, rows: Ints) -> bytes:
    prefix = _PREFIX.pack(chunk.stage.encode(), chunk.length, chunk.number, *rows.shape, rows.itemsize)
    content = prefix + rows.astype(f"<i{rows.itemsize}", copy=False).tobytes()
    return content + _CHECKSUM.pack(crc32(content))


def _records(file: IO[bytes]) -> Iterator[tuple[Chunk, Ints]]:
    """The chunks from the current position on, up to the first incomplete or damaged record."""
    size = os.fstat(file.fileno()).st_size
    while len(prefix := file.read(_PREFIX.size)) == _PREFIX.size:
        stage, length, number, n_rows, n_columns, width = _PREFIX.unpack(prefix)
        n_bytes = n_rows * n_columns * width
        if file.tell() + n_bytes + _CHECKSUM.size > size:
            return
        content = file.read(n_bytes)
        if file.read(_CHECKSUM.size) != _CHECKSUM.pack(crc32(content, crc32(prefix))):
            return
        rows = np.frombuffer(content, f"<i{width}").reshape(n_rows, n_columns)
        yield Chunk(stage.rstrip(b"\0").decode(), length, number), rows
