"""Refuses text files that would fill the memory or take hours, before they are read."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tlogic.errors import InputError

_CHUNK_BYTES = 1 << 20
"""A chunk without a line end is part of a line that is too long: facts have four short cells."""
_MAX_EXPANSION = 100
"""How many times its size a compressed file may expand to; event data expands to 5 to 50 times its size."""
_MIN_REFUSED_BYTES = 1 << 30
"""Smaller contents are read, however far they expand."""

_ZSTD_MAGIC = 0xFD2FB528
_MAX_ZSTD_BLOCK_BYTES = 128 << 10


def check_limits(path: Path) -> None:
    """Raise an error if a text file has an endless line, or if a compressed one expands beyond all measure.

    Other problems, such as damage, are left to the reader of the file.

    Raises:
        InputError: If the file is beyond the limits.
    """
    suffix = path.suffix.lower()
    with suppress(OSError, EOFError, zlib.error):
        size = path.stat().st_size
        if suffix == ".zst":
            _check_expansion(path, _max_zstd_content_bytes(path), size)
        else:
            _check_chunks(path, _chunks(path, is_gzip=suffix == ".gz"), size if suffix == ".gz" else None)


def _chunks(path: Path, is_gzip: bool) -> Iterator[bytes]:
    with gzip.open(path) if is_gzip else path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk


def _check_chunks(path: Path, chunks: Iterator[bytes], compressed_bytes: int | None) -> None:
    n_bytes = n_lines = 0
    for chunk in chunks:
        if len(chunk) == _CHUNK_BYTES and b"\n" not in chunk:
            raise InputError(
                f"{path} has a line of more than {_CHUNK_BYTES >> 20} MB after line {n_lines:,}; expected one "
                "fact per line. Is a line end missing, or is it another kind of file?"
            )
        n_lines += chunk.count(b"\n")
        n_bytes += len(chunk)
        if compressed_bytes is not None:
            _check_expansion(path, n_bytes, compressed_bytes)


def _check_expansion(path: Path, n_bytes: int, compressed_bytes: int) -> None:
    if n_bytes > max(_MIN_REFUSED_BYTES, _MAX_EXPANSION * compressed_bytes):
        raise InputError(
            f"{path} expands to more than {n_bytes / 1e9:.1f} GB, which is over {_MAX_EXPANSION} times its size; event "
            "data does not. If it is not damaged and the memory suffices, decompress it and read the result."
        )


def _max_zstd_content_bytes(path: Path) -> int:
    """An upper bound of the content of a Zstandard file, from the headers of its frames and blocks (RFC 8878)."""
    total = 0
    with path.open("rb") as file:
        while len(magic := file.read(4)) == 4:
            if int.from_bytes(magic, "little") != _ZSTD_MAGIC:
                break  # metadata, or damage
            descriptor = file.read(1)[0]
            size_flag, is_single, dictionary_flag = descriptor >> 6, descriptor >> 5 & 1, descriptor & 3
            size_bytes = (is_single, 2, 4, 8)[size_flag]
            file.seek((1 - is_single) + (0, 1, 2, 4)[dictionary_flag] + size_bytes, 1)
            is_last = False
            while not is_last and len(header := file.read(3)) == 3:
                block = int.from_bytes(header, "little")
                is_last, kind, n_bytes = bool(block & 1), block >> 1 & 3, block >> 3
                total += n_bytes if kind < 2 else _MAX_ZSTD_BLOCK_BYTES
                file.seek(1 if kind == 1 else n_bytes, 1)
            file.seek(4 * (descriptor >> 2 & 1), 1)
    return total
