"""Files that are there whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

from tlogic.errors import InputError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside ``path`` to write to, which takes its place when all went well.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, replacing(Path(folder) / "new.txt") as temporary:
    ...     _ = temporary.write_text("all of it")
    """
    try:
        handle, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            _flush_to_disk(temporary)
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror or error}.") from None


def write_whole(path: Path, text: str) -> None:
    """Write text so that under the file's name there is either the old content or all of the new."""
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode())


def _flush_to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
