"""Downloads: published files fetched, checked, and there whole or not at all.

A file grows under the name ``<file>.part``, from which a later attempt goes on, and takes its own name when its hash is
right.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from tlogic.errors import InputError, TLogicError
from tlogic.events.datasets import DATASETS, PART, Dataset, PublishedFile, data_folders, git_sha1, matches_published
from tlogic.locks import lock

PUBLISHED = "https://raw.githubusercontent.com/liu-yushan/TLogic/9f6ffa3cc5c112226dc2537983b6bb33d4ef295e/data"

Progress = Callable[[str, int, int], None]
"""Told the name of a file, how many of its bytes are there, and how many it will have."""

_ATTEMPTS = 4
_FIRST_PAUSE = 1.0  # seconds, doubled from attempt to attempt
_BLOCK = 1 << 16
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # answers of a server that may do better in a timestamp


class Download(NamedTuple):
    """What a download did."""

    folder: Path
    fetched: tuple[str, ...]
    present: tuple[str, ...]
    """Files that were there before, byte for byte as published."""


class _CutError(Exception):
    """The network failed; another attempt may go on from what has arrived."""


def download(
    name: str,
    to: str | os.PathLike[str] | None = None,
    *,
    progress: Progress | None = None,
    timeout: float = 30.0,
) -> Download:
    """Fetch a dataset's published files into a folder of its name, and check them against their hashes.

    The folder is made under ``to``, or under ``TLOGIC_DATA``, or in the user's cache. Files that are there are not
    fetched again, and files that are there in part are gone on with. ``TLOGIC_DOWNLOAD_FROM`` names another address to
    fetch from, which holds a folder for each dataset. ``timeout`` is how many seconds a server may be silent.
    """
    dataset = _downloadable(name)
    folder = (data_folders()[0] if to is None else Path(to).expanduser()) / name
    with _explaining(folder):
        missing = _missing(dataset, folder)
        if missing:  # what is whole may lie where nobody can write
            with _alone(folder):
                missing = _missing(dataset, folder)
                for file in missing:
                    address = f"{_base_address()}/{name}/{file.name}"
                    _fetch(address, folder / file.name, file, progress or (lambda *_: None), timeout)
    present = (file.name for file in dataset.files if file not in missing)
    return Download(folder, tuple(file.name for file in missing), tuple(present))


def _downloadable(name: str) -> Dataset:
    can = [known for known, dataset in DATASETS.items() if dataset.files]
    if name not in can:
        raise InputError(f"{name!r} cannot be downloaded; {', '.join(can)} can.")
    return DATASETS[name]


def _base_address() -> str:
    address = os.environ.get("TLOGIC_DOWNLOAD_FROM") or PUBLISHED
    if not address.startswith(("http://", "https://")):
        raise InputError(f"TLOGIC_DOWNLOAD_FROM should begin with http:// or https://, not as {address!r} does.")
    return address.rstrip("/")


@contextmanager
def _explaining(folder: Path) -> Iterator[None]:
    """Say what can be done where the disk refuses."""
    try:
        yield
    except OSError as error:
        raise TLogicError(
            f"Cannot write to {folder}: {error.strerror or error}. What has arrived is kept. Make room or allow "
            "writing there, or choose another folder for datasets: with --to, or with the environment variable "
            "TLOGIC_DATA, which is also where they are looked for."
        ) from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else downloads to this folder meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a") as file:
        if not lock(file):
            raise TLogicError(f"Another process is downloading to {folder}; wait until it is done.")
        yield


def _missing(dataset: Dataset, folder: Path) -> list[PublishedFile]:
    return [file for file in dataset.files if not _is_there(folder / file.name, file)]


def _is_there(path: Path, file: PublishedFile) -> bool:
    if not path.exists():
        return False
    if not matches_published(path, file):
        raise TLogicError(
            f"{path} is there, but it is not the published file: its hash is {git_sha1(path)}, expected {file.sha1}. "
            "Move it away or delete it, then download again."
        )
    return True


def _fetch(address: str, path: Path, file: PublishedFile, progress: Progress, timeout: float) -> None:
    """Fetch a file, and give it its name when it is right."""
    part = path.with_name(path.name + PART)
    with part.open("ab") as growing:
        if growing.tell() > file.size:
            growing.seek(0)
            growing.truncate()
        _complete(growing, address, file, progress, timeout)
        growing.flush()
        os.fsync(growing.fileno())
    if (found := git_sha1(part)) != file.sha1:
        part.unlink()
        raise TLogicError(
            f"{address} has sent other bytes than were published: their hash is {found}, expected {file.sha1}. "
            "They were deleted; download again, or choose another address with TLOGIC_DOWNLOAD_FROM."
        )
    part.replace(path)


def _complete(growing: IO[bytes], address: str, file: PublishedFile, progress: Progress, timeout: float) -> None:
    """Go on until all bytes are there; give up after some attempts in a row that did not bring the file on."""
    failures = 0
    while (have := growing.tell()) < file.size:
        try:
            _append_rest(growing, address, file, progress, timeout)
        except _CutError as cut:
            failures = 1 if growing.tell() > have else failures + 1
            if failures == _ATTEMPTS:
                raise TLogicError(
                    f"Cannot fetch {address}: {cut}, {_ATTEMPTS} times in a row. What has arrived is kept, and the "
                    "same command goes on with it. Without a network, bring the published file from elsewhere to "
                    f"{growing.name.removesuffix(PART)}; TLOGIC_DOWNLOAD_FROM can name another address to fetch from."
                ) from None
            time.sleep(_FIRST_PAUSE * 2 ** (failures - 1))


def _append_rest(growing: IO[bytes], address: str, file: PublishedFile, progress: Progress, timeout: float) -> None:
    """Ask for the rest of a file, and append what comes."""
    have = growing.tell()
    progress(file.name, have, file.size)
    with _ask(address, have, timeout) as answer:
        start, size = _extent(answer)
        if size not in (None, file.size):
            raise TLogicError(
                f"{address} is not the published file: it has {size:,} bytes, expected {file.size:,}. "
                "Choose another address with TLOGIC_DOWNLOAD_FROM."
            )
        known = have - start  # a server that does not serve parts begins at the beginning
        if known < 0:
            raise _CutError(f"the server left out bytes {have:,} to {start:,}")
        while growing.tell() < file.size:
            block = _read(answer)
            growing.write(block[known:][: file.size - growing.tell()])
            known = max(known - len(block), 0)
            progress(file.name, growing.tell(), file.size)


def _ask(address: str, start: int, timeout: float) -> HTTPResponse:
    """The answer of a server that is asked for a file, from a byte on if it can do that."""
    try:
        request = Request(address, headers={"Range": f"bytes={start}-"} if start else {})
        answer: HTTPResponse = urlopen(request, timeout=timeout)
    except HTTPError as error:
        error.close()
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and start:
            return _ask(address, 0, timeout)
        told = f"the server answers {error.code} {error.reason}"
        if error.code in _PASSING:
            raise _CutError(told) from None
        raise TLogicError(
            f"Cannot fetch {address}: {told}. If TLOGIC_DOWNLOAD_FROM is set, it should name an address that holds a "
            "folder for each dataset; otherwise a proxy may be in the way."
        ) from None
    except URLError as error:
        raise _CutError(str(error.reason)) from None
    except (OSError, HTTPException, ValueError) as error:
        raise _CutError(str(error) or type(error).__name__) from None
    return answer


def _extent(answer: HTTPResponse) -> tuple[int, int | None]:
    """The place in the file where an answer begins, and the size of the whole file, if the server tells."""
    if answer.status != HTTPStatus.PARTIAL_CONTENT:
        length = answer.headers.get("Content-Length", "")
        return 0, int(length) if length.isdecimal() else None
    told = answer.headers.get("Content-Range", "")
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", told.strip())
    if not found:
        raise _CutError(f"the server sends an unknown part of the file ({told!r})")
    return int(found[1]), None if found[2] == "*" else int(found[2])


def _read(answer: HTTPResponse) -> bytes:
    """Some bytes, as soon as there are any."""
    try:
        block = answer.read1(_BLOCK)
    except (OSError, HTTPException, ValueError) as error:
        raise _CutError(str(error) or type(error).__name__) from None
    if not block:
        raise _CutError("the connection ended early")
    return block
