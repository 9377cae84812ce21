"""Files of arrays that are memory-mapped: they open at once, and processes share their pages.

A file begins with a magic line, the version of its format, and the length and digest of a JSON header. The header has
entries of its kind of file, and lists the name, type, shape and checksum of each array. Arrays follow in that order and
begin at multiples of 64 bytes.
"""

import json
import mmap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tlogic.errors import InputError
from tlogic.files import atomic_write
from tlogic.graph.checksums import checksum
from tlogic.parallel import in_parallel

_START = Struct("<16sIQ16s")
_ALIGNMENT_BYTES = 64

Arrays = Mapping[str, np.ndarray]


class ArrayParts(NamedTuple):
    """An array that is made in parts, so that a large copy never exists as a whole."""

    shape: tuple[int, ...]
    dtype: np.dtype
    parts: Callable[[], Iterator[np.ndarray]]
    """Yields the parts, all but the last one of a multiple of ``PART_BYTES`` bytes."""


ArrayOrParts: TypeAlias = np.ndarray | ArrayParts


class FileKind(NamedTuple):
    """A kind of files."""

    name: str
    """What messages call such a file."""
    magic: bytes
    """16 bytes."""
    version: int
    made_by: str
    """The command that creates such files."""


def has_kind(path: Path, kind: FileKind) -> bool:
    """Whether a file begins with the magic line of a kind."""
    try:
        with path.open("rb") as file:
            return file.read(len(kind.magic)) == kind.magic
    except OSError:
        return False


def write_arrays(path: Path, kind: FileKind, about: Mapping[str, Any], arrays: Mapping[str, ArrayOrParts]) -> None:
    """Write arrays, atomically, with a header that also has other entries."""
    entries = [[name, *_describe(array)] for name, array in arrays.items()]
    header = json.dumps({**about, "arrays": entries}, ensure_ascii=False).encode()
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        file.write(_START.pack(kind.magic, kind.version, len(header), _digest(header)))
        file.write(header)
        for array in arrays.values():
            file.write(b"\0" * (-file.tell() % _ALIGNMENT_BYTES))
            for part in _parts_of(array):
                file.write(part.data)


def _parts_of(array: ArrayOrParts) -> Iterable[np.ndarray]:
    return array.parts() if isinstance(array, ArrayParts) else [np.ascontiguousarray(array)]


def _describe(array: ArrayOrParts) -> tuple[str, list[int], int]:
    """The type, shape and checksum of an array."""
    return array.dtype.str, list(array.shape), checksum(_parts_of(array))


def open_arrays(path: Path, kind: FileKind) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header of a file, and its arrays, which are loaded on access. Writing to them does not change the file.

    Raises:
        InputError: If the file is of another kind or version, or damaged.
    """
    content = _mapped(path)
    header, begin = _read_header(content, path, kind)
    try:
        arrays = _map_arrays(content, header["arrays"], begin)
        _check_arrays(content, arrays, header["arrays"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged(path, kind, str(error)) from None
    return header, arrays


def header_of(path: Path, kind: FileKind) -> dict[str, Any]:
    """The header of a file, without a look at its arrays."""
    return _read_header(_mapped(path), path, kind)[0]


def damaged(path: Path, kind: FileKind, why: str) -> InputError:
    """The error about a file whose content is wrong."""
    return InputError(f"{path} is a damaged {kind.name}: {why}; create it again with `{kind.made_by}`.")


def _read_header(content: mmap.mmap | bytes, path: Path, kind: FileKind) -> tuple[dict[str, Any], int]:
    """The header of a file, and the offset of the arrays."""
    if len(content) < _START.size or content[: len(kind.magic)] != kind.magic:
        raise InputError(f"{path} is not a {kind.name}; create one with `{kind.made_by}`.")
    _, version, length, digest = _START.unpack(content[: _START.size])
    if version != kind.version:
        raise InputError(
            f"{path} is a {kind.name} of version {version}, but this tlogic reads version {kind.version}; "
            f"create it again with `{kind.made_by}`."
        )
    header = content[_START.size : _START.size + length]
    if _digest(header) != digest:
        raise damaged(path, kind, "the checksum of its header is wrong")
    return json.loads(header), _START.size + length


def _mapped(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            # copy-on-write, so that arrays are writeable; processes that map the file share its pages
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be opened: {error}.") from None


def _digest(header: bytes) -> bytes:
    return blake2b(header, digest_size=16).digest()


def _map_arrays(content: mmap.mmap, entries: Sequence[Sequence[Any]], begin: int) -> dict[str, np.ndarray]:
    arrays, at = {}, begin
    for name, kind, shape, _ in entries:
        begin, at = at, at + -at % _ALIGNMENT_BYTES
        if any(content[begin:at]):
            raise ValueError(f"unexpected bytes before {name}")
        dtype, length = np.dtype(kind), int(np.prod(shape))
        end = at + length * dtype.itemsize
        if end > len(content):
            raise ValueError(f"expected at least {end:,} bytes, found {len(content):,}")
        arrays[name] = np.frombuffer(content, dtype, length, at).reshape(shape)
        at = end
    if at != len(content):
        raise ValueError(f"expected {at:,} bytes, found {len(content):,}")
    return arrays


def _check_arrays(content: mmap.mmap, arrays: Arrays, entries: Sequence[Sequence[Any]]) -> None:
    def checked(array: np.ndarray) -> int:
        found = checksum([array])
        _release_pages(content, array)
        return found

    found = in_parallel(lambda: checked, [arrays[name] for name, _, _, _ in entries])
    for (name, _, _, expected), actual in zip(entries, found, strict=True):
        if actual != expected:
            raise ValueError(f"the checksum of {name} is wrong")


def _release_pages(content: mmap.mmap, array: np.ndarray) -> None:
    """Let the process give back the pages of an array, which are loaded again on access. Not all systems can."""
    if hasattr(mmap, "MADV_DONTNEED") and array.size:
        at = array.ctypes.data - np.frombuffer(content, np.uint8).ctypes.data
        first = at - at % mmap.PAGESIZE
        content.madvise(mmap.MADV_DONTNEED, first, at + array.nbytes - first)
