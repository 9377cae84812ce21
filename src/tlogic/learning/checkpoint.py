"""A journal of a learning run: what is finished is kept on disk as it comes, and need not be computed again.

The file is a line that describes the run, then a record for each finished chunk. Whoever is killed while writing leaves
a torn record at the end: it fails its checksum, is cut off, and its chunk is computed again. A record is handed to the
system, not forced onto the disk: that outlives the process at almost no cost, and after a power cut the checksums tell
what is left.
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
    """Which part of a run: one of the chunks of a stage for one rule length."""

    stage: str
    length: int
    number: int


class Checkpoint:
    """The finished chunks of one run, in a file that outlives it.

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
        """Open a checkpoint, or begin one. ``run`` is all that the results depend on; a file of another run is refused.

        Differences are told by the keys of ``run``, so they should read well.
        """
        self.path = Path(path)
        try:
            self._file = _open_alone(self.path)
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
        """The result of a chunk that an earlier run finished, once; None where there is none."""
        return self._finished.pop(chunk, None)

    def keep(self, chunk: Chunk, rows: Ints) -> None:
        """Write down the result of a chunk, a table of whole numbers."""
        try:
            self._file.write(_encode(chunk, rows))
            self._file.flush()
        except OSError as error:
            raise InputError(
                f"Cannot write {self.path}: {error.strerror or error}. What was written before is safe; "
                "when there is room again, the run can go on from there."
            ) from None

    def _begin(self, run: Mapping[str, Any]) -> dict[Chunk, Ints]:
        """What is finished; leaves the file at its sound end, ready for more."""
        first = self._file.readline()
        if _is_torn(first):
            self._file.seek(0)
            self._file.truncate()
            self._file.write(_MAGIC + json.dumps(run).encode() + b"\n")
            self._file.flush()
            return {}
        _refuse_another(self.path, _parse_header(self.path, first), json.loads(json.dumps(run)))
        end, finished = len(first), {}
        for chunk, rows in _records(self._file):
            finished[chunk], end = rows, self._file.tell()
        self._file.seek(end)
        self._file.truncate()
        return finished


def count_finished(path: str | os.PathLike[str]) -> int:
    """How many finished chunks a checkpoint holds; none where there is no file."""
    try:
        with Path(path).open("rb") as file:
            first = file.readline()
            if _is_torn(first):
                return 0
            _parse_header(path, first)
            return sum(1 for _ in _records(file))
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from None


def discard(path: str | os.PathLike[str]) -> None:
    """Delete a checkpoint, unless a run is writing to it; a file that is none is refused."""
    path = Path(path)
    if path.exists():
        try:
            with _open_alone(path) as file:
                if not _is_torn(first := file.readline()):
                    _parse_header(path, first)
            path.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"Cannot delete {path}: {error.strerror or error}.") from None


def _open_alone(path: Path) -> IO[bytes]:
    """The file, open to read and write, made if it is missing; refused where another run has it."""
    path.touch()
    file = path.open("r+b")
    if lock(file):
        return file
    file.close()
    raise InputError(f"Another run is writing to {path}; wait until it is done.")


def _is_torn(first: bytes) -> bool:
    """Is this the beginning of a first line whose end was never written? It may be empty."""
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


def _refuse_another(path: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    differences = [
        f"{key} is {_brief(there.get(key))} there and {_brief(here.get(key))} here"
        for key in {**there, **here}
        if there.get(key) != here.get(key)
    ]
    if differences:
        raise InputError(
            f"{path} belongs to another run: {'; '.join(differences)}. "
            "Go on with the same data and settings, or delete it to begin anew."
        )


def _brief(value: Any) -> str:
    return text if len(text := json.dumps(value, ensure_ascii=False)) <= 60 else f"{text[:57]}..."


def _encode(chunk: Chunk, rows: Ints) -> bytes:
    prefix = _PREFIX.pack(chunk.stage.encode(), chunk.length, chunk.number, *rows.shape, rows.itemsize)
    content = prefix + rows.astype(f"<i{rows.itemsize}", copy=False).tobytes()
    return content + _CHECKSUM.pack(crc32(content))


def _records(file: IO[bytes]) -> Iterator[tuple[Chunk, Ints]]:
    """The chunks of a file from here on, up to the first that is torn or damaged."""
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
