"""Download published dataset files, verify their hashes and resume interrupted downloads.

A file is downloaded to ``<file>.part``, from which a later attempt resumes, and renamed when its hash is correct.
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
from tlogic.events.dataset_archives import check_shape, unpack
from tlogic.events.datasets import DATASETS, PART, Dataset, PublishedFile, data_folders, git_sha1, matches_published
from tlogic.events.sources.tgb import find_edge_list
from tlogic.locks import lock

PUBLISHED = "https://raw.githubusercontent.com/liu-yushan/TLogic/9f6ffa3cc5c112226dc2537983b6bb33d4ef295e/data"
PUBLISHED_BY_TGB = "https://object-arbutus.alliancecan.ca/swift/v1/14c95234f6cd4a21a47deafe20cce2a7/tgb"

Progress = Callable[[str, int, int], None]
"""Called with the name of a file, the number of bytes received and the total number of bytes."""

_MAX_ATTEMPTS = 4  # in a row without progress
_FIRST_PAUSE_SECONDS = 1.0  # doubled after each attempt
_BLOCK_BYTES = 1 << 16
_TEMPORARY_STATUS_CODES = {408, 425, 429, 500, 502, 503, 504}


class Download(NamedTuple):
    """The result of a download.

    Attributes:
        folder: The folder of the dataset.
        fetched: The names of the downloaded files.
        present: The names of the files that were already present and identical to the published ones.
        is_shape_only: Whether no hashes are published, so that only the published numbers of facts, entities, relations
            and time steps were verified.
    """

    folder: Path
    fetched: tuple[str, ...]
    present: tuple[str, ...]
    is_shape_only: bool = False


class _TransferError(Exception):
    """The network failed; another attempt can resume."""


def download(
    name: str,
    to: str | os.PathLike[str] | None = None,
    *,
    progress: Progress | None = None,
    timeout: float = 30.0,
) -> Download:
    """Download the published files of a benchmark dataset and verify them.

    The files of ICEWS are verified by their hashes. TGB publishes no hashes for its archives: only its published
    numbers of facts, entities, relations and time steps are verified.

    Files that are already present are not downloaded again, and interrupted downloads resume. The environment variable
    ``TLOGIC_DOWNLOAD_FROM`` gives another address to download from, with one folder per dataset, or with archives such
    as tkgl-icews.zip.

    Args:
        name: The name of the dataset, such as "icews14".
        to: The folder for datasets. By default ``TLOGIC_DATA``, or else the cache folder of the user.
        progress: Called with the file name, the bytes received and the total bytes.
        timeout: The number of seconds to wait for a response of the server.

    Returns:
        The folder of the dataset, and which files were downloaded or already present.

    Raises:
        InputError: If the dataset cannot be downloaded.
        TLogicError: If the network or the disk fails, or a file differs from the published one.

    Example:
        >>> download("yago")
        Traceback (most recent call last):
        tlogic.errors.InputError: 'yago' cannot be downloaded; choose icews14, icews18, icews0515, tkgl-smallpedia, \
tkgl-polecat, tkgl-icews or tkgl-wikidata.
    """
    dataset = _downloadable(name)
    folder = (data_folders()[0] if to is None else Path(to).expanduser()) / name
    if dataset.is_archived:
        with _disk_errors(folder):
            return _download_archive(dataset, folder, progress or (lambda *_: None), timeout)
    with _disk_errors(folder):
        missing = _missing(dataset, folder)
        if missing:  # a complete dataset may be in a read-only folder
            with _locked(folder):
                missing = _missing(dataset, folder)
                for file in missing:
                    address = f"{_base_address(PUBLISHED)}/{name}/{file.name}"
                    _fetch(address, folder / file.name, file, progress or (lambda *_: None), timeout)
    present = (file.name for file in dataset.files if file not in missing)
    return Download(folder, tuple(file.name for file in missing), tuple(present))


def _downloadable(name: str) -> Dataset:
    available = [known for known, dataset in DATASETS.items() if dataset.is_downloadable]
    if name not in available:
        choices = f"{', '.join(available[:-1])} or {available[-1]}"
        raise InputError(f"{name!r} cannot be downloaded; choose {choices}.")
    return DATASETS[name]


def _base_address(default: str) -> str:
    address = os.environ.get("TLOGIC_DOWNLOAD_FROM") or default
    if not address.startswith(("http://", "https://")):
        raise InputError(f"TLOGIC_DOWNLOAD_FROM must begin with http:// or https://; found {address!r}.")
    return address.rstrip("/")


def _download_archive(dataset: Dataset, folder: Path, progress: Progress, timeout: float) -> Download:
    """Download the archive of a dataset of TGB, unpack it and verify its shape, unless it is already unpacked."""
    if (edge_list := find_edge_list(folder)) is not None:
        check_shape(edge_list, dataset)
        return Download(folder, (), (edge_list.name,), is_shape_only=True)
    with _locked(folder):
        archive = folder / f"{dataset.name}.zip{PART}"
        address = f"{_base_address(PUBLISHED_BY_TGB)}/{dataset.name}.zip"
        with archive.open("ab") as growing:
            file = PublishedFile(f"{dataset.name}.zip", _announced_size(address, timeout), "")
            if growing.tell() > file.size:
                growing.truncate(0)
            _complete(growing, address, file, progress, timeout)
        return Download(folder, unpack(archive, dataset, folder), (), is_shape_only=True)


def _announced_size(address: str, timeout: float) -> int:
    """The size of a file in bytes, as the server announces it."""
    for attempt in range(_MAX_ATTEMPTS):
        try:
            with _request(address, 0, timeout) as response:
                _, size = _extent(response)
        except _TransferError as reason:
            if attempt == _MAX_ATTEMPTS - 1:
                raise TLogicError(f"Cannot download {address}: {reason}, {_MAX_ATTEMPTS} times in a row.") from None
            time.sleep(_FIRST_PAUSE_SECONDS * 2**attempt)
        else:
            if size is None:
                raise TLogicError(f"Cannot download {address}: the server does not say how large it is.")
            return size
    raise AssertionError("unreachable")


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Turn disk errors into messages with advice."""
    try:
        yield
    except OSError as error:
        raise TLogicError(
            f"Cannot write to {folder}: {error.strerror or error}. The part downloaded so far is kept. Free disk "
            "space or grant write permission, or choose another folder for datasets with --to or the environment "
            "variable TLOGIC_DATA, where datasets are also searched."
        ) from None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder against other downloads."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a") as file:
        if not lock(file):
            raise TLogicError(f"Another process is downloading to {folder}; wait until it has finished.")
        yield


def _missing(dataset: Dataset, folder: Path) -> list[PublishedFile]:
    return [file for file in dataset.files if not _is_present(folder / file.name, file)]


def _is_present(path: Path, file: PublishedFile) -> bool:
    if not path.exists():
        return False
    if not matches_published(path, file):
        raise TLogicError(
            f"{path} differs from the published file: its hash is {git_sha1(path)}, expected {file.sha1}. "
            "Move or delete it, then download again."
        )
    return True


def _fetch(address: str, path: Path, file: PublishedFile, progress: Progress, timeout: float) -> None:
    """Download a file to its .part name and rename it when its hash is correct."""
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
            f"{address} differs from the published file: its hash is {found}, expected {file.sha1}. "
            "The download was deleted; download again, or choose another address with TLOGIC_DOWNLOAD_FROM."
        )
    part.replace(path)


def _complete(growing: IO[bytes], address: str, file: PublishedFile, progress: Progress, timeout: float) -> None:
    """Download until the file is complete; give up after several attempts in a row without progress."""
    failures = 0
    while (have := growing.tell()) < file.size:
        try:
            _append_rest(growing, address, file, progress, timeout)
        except _TransferError as reason:
            failures = 1 if growing.tell() > have else failures + 1
            if failures == _MAX_ATTEMPTS:
                raise TLogicError(
                    f"Cannot download {address}: {reason}, {_MAX_ATTEMPTS} times in a row. The part downloaded "
                    "so far is kept; run the same command to resume. Without a network, copy the published file to "
                    f"{growing.name.removesuffix(PART)}. TLOGIC_DOWNLOAD_FROM can give another address."
                ) from None
            time.sleep(_FIRST_PAUSE_SECONDS * 2 ** (failures - 1))


def _append_rest(growing: IO[bytes], address: str, file: PublishedFile, progress: Progress, timeout: float) -> None:
    """Request the rest of a file and append it."""
    have = growing.tell()
    progress(file.name, have, file.size)
    with _request(address, have, timeout) as response:
        start, size = _extent(response)
        if size not in (None, file.size):
            raise TLogicError(
                f"{address} differs from the published file: it has {size:,} bytes, expected {file.size:,}. "
                "Choose another address with TLOGIC_DOWNLOAD_FROM."
            )
        overlap = have - start  # a server without range requests sends the whole file
        if overlap < 0:
            raise _TransferError(f"the server skipped bytes {have:,} to {start:,}")
        while growing.tell() < file.size:
            block = _read(response)
            growing.write(block[overlap:][: file.size - growing.tell()])
            overlap = max(overlap - len(block), 0)
            progress(file.name, growing.tell(), file.size)


def _request(address: str, start: int, timeout: float) -> HTTPResponse:
    """Request a file, from byte ``start`` on if the server supports it."""
    try:
        request = Request(address, headers={"Range": f"bytes={start}-"} if start else {})
        response: HTTPResponse = urlopen(request, timeout=timeout)
    except HTTPError as error:
        error.close()
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and start:
            return _request(address, 0, timeout)
        status = f"the server responded {error.code} {error.reason}"
        if error.code in _TEMPORARY_STATUS_CODES:
            raise _TransferError(status) from None
        raise TLogicError(
            f"Cannot download {address}: {status}. If TLOGIC_DOWNLOAD_FROM is set, it must be an address with one "
            "folder per dataset; otherwise, check for a proxy."
        ) from None
    except URLError as error:
        raise _TransferError(str(error.reason)) from None
    except (OSError, HTTPException, ValueError) as error:
        raise _TransferError(str(error) or type(error).__name__) from None
    return response


def _extent(response: HTTPResponse) -> tuple[int, int | None]:
    """The first byte of a response, and the size of the whole file if the server sends it."""
    if response.status != HTTPStatus.PARTIAL_CONTENT:
        length = response.headers.get("Content-Length", "")
        return 0, int(length) if length.isdecimal() else None
    content_range = response.headers.get("Content-Range", "")
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", content_range.strip())
    if not found:
        raise _TransferError(f"the server sent an unknown part of the file ({content_range!r})")
    return int(found[1]), None if found[2] == "*" else int(found[2])


def _read(response: HTTPResponse) -> bytes:
    """Read the bytes that are available, at least one."""
    try:
        block = response.read1(_BLOCK_BYTES)
    except (OSError, HTTPException, ValueError) as error:
        raise _TransferError(str(error) or type(error).__name__) from None
    if not block:
        raise _TransferError("the connection was closed early")
    return block
