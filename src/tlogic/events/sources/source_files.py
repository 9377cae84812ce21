"""Find and read a source: a folder of train, valid and test files, a file, a dataset, a database or a data frame."""

import os
from collections.abc import Mapping
from pathlib import Path

from tlogic.errors import InputError
from tlogic.events.datasets import DATASETS, find_dataset
from tlogic.events.sources.data_frames import FORMATS, as_frame, read_frame, read_frame_file
from tlogic.events.sources.databases import EXPECTED_URLS, is_database_url, read_database
from tlogic.events.sources.delimited_files import COMPRESSIONS
from tlogic.events.sources.id_names import NAME_FILES, Names, read_names
from tlogic.events.sources.raw_facts import RawFacts
from tlogic.events.sources.text_files import TEXT_SUFFIXES, read_text
from tlogic.events.sources.tgb import TGB, find_edge_list, is_dataset, is_edge_list, read_dataset, read_edge_list
from tlogic.names import did_you_mean

SPLITS = ("train", "valid", "test")

_SUFFIXES = (*TEXT_SUFFIXES, *FORMATS)
_EXPECTED_SUFFIXES = ", ".join(_SUFFIXES) + " (text also .gz or .zst)"


def read_source(source: object, given: Mapping[str, str | int], query: str | None = None) -> dict[str, RawFacts]:
    """Read the raw facts of a source by split, in order of time; a single file, query or frame is all "train".

    All facts of TGB have the name `TGB` instead.
    """
    if is_database_url(source):
        return {"train": read_database(source, query, given)}
    if query is not None:
        raise InputError(
            f"A query needs a database, but {_shown(source)} is not the URL of one; "
            f"expected a URL (--db URL) such as {EXPECTED_URLS}."
        )
    if isinstance(source, str | Path):
        files = find_files(source)
        if TGB in files:
            return {TGB: read_edge_list(files[TGB], given)}
        names = read_names(files["train"].parent) if any(map(_is_text, files.values())) else {}
        return {split: _read_file(path, given, names) for split, path in files.items()}
    if is_dataset(source):
        return {TGB: read_dataset(source)}
    frame = as_frame(source)
    if frame is None:
        raise InputError(
            "Expected a path, the name of a dataset, the URL of a database, a data frame or a dataset of py-tgb, "
            f"not {type(source).__name__}."
        )
    return {"train": read_frame(frame, given)}


def _shown(source: object) -> str:
    return repr(str(source)) if isinstance(source, str | Path) else f"this {type(source).__name__}"


def find_files(source: str | Path) -> dict[str, Path]:
    """The file of each split of a folder or named dataset; a single file is "train", and an edge list `TGB`."""
    path = find_source(source)
    if path.is_file():
        return {TGB if is_edge_list(path) else "train": path}
    return _split_files(path)


def find_source(source: str | Path) -> Path:
    """The file or folder of a path or dataset name."""
    path = Path(source).expanduser()
    return path if path.is_file() or path.is_dir() else _dataset_folder(str(source))


def files_read(source: str | Path) -> list[Path]:
    """All files that are read for a folder, a file or a dataset name, including files with names of ids."""
    files = list(find_files(source).values())
    beside = [files[0].parent / name for name in dict.fromkeys(NAME_FILES.values())]
    return files + [path for path in beside if path.is_file() and any(map(_is_text, files))]


def _dataset_folder(name: str) -> Path:
    if folder := find_dataset(name):
        return folder
    if name in DATASETS and DATASETS[name].is_downloadable:
        raise InputError(f"The dataset {name} is missing or incomplete; get it with `tlogic download {name}`.")
    path = Path(name).expanduser()
    if path.is_symlink():
        raise InputError(f"{name} is a link that leads to no file or folder: its target is {path.readlink()}.")
    beside = [*_readable_in(path.parent), *DATASETS]
    root = os.environ.get("TLOGIC_DATA")
    if not root:
        raise InputError(
            f"There is no file or folder {name!r}{did_you_mean(path.name, beside)} To read a dataset by name, "
            "set the environment variable TLOGIC_DATA to the folder of the datasets."
        )
    there = sorted(entry.name for entry in Path(root).glob("*/"))
    raise InputError(
        f"There is no file or folder {name!r}, and no such dataset in {root} (from the environment variable "
        f"TLOGIC_DATA), which has {', '.join(there) or 'none'}{did_you_mean(path.name, [*beside, *there])}"
    )


def _readable_in(folder: Path) -> list[str]:
    """The names of the readable files and the folders in a folder."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # missing or not readable
        return []
    return [entry.name for entry in entries if entry.is_dir() or _format_suffix(entry) in _SUFFIXES]


def _split_files(folder: Path) -> dict[str, Path]:
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    readable = [path for path in files if _format_suffix(path) in _SUFFIXES]
    found: dict[str, Path] = {}
    for path in readable:
        split = _uncompressed(path).stem
        if split in found:
            raise InputError(f"{folder} has both {found[split].name} and {path.name}; keep one of them.")
        if split in SPLITS:
            found[split] = path
    if "train" not in found and (edge_list := find_edge_list(folder)) is not None:
        return {TGB: edge_list}
    if "train" not in found:
        raise InputError(
            f"{folder} has no train file, such as train.txt or train.parquet; "
            f"its readable files: {', '.join(path.name for path in readable) or 'none'}."
        )
    return {split: found[split] for split in SPLITS if split in found}


def _read_file(path: Path, given: Mapping[str, str | int], names: Names) -> RawFacts:
    suffix = _format_suffix(path)
    if _is_text(path):
        return read_text(path, suffix == ".csv", given, names)
    if suffix in FORMATS and suffix == path.suffix.lower():
        return read_frame_file(path, given)
    try:
        path.open("rb").close()
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror}.") from None
    raise InputError(
        f"{path} has an unknown format; its name should end in {_EXPECTED_SUFFIXES}, "
        "unless it is a compiled graph from `tlogic index`."
    )


def _is_text(path: Path) -> bool:
    return _format_suffix(path) in TEXT_SUFFIXES


def _uncompressed(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path


def _format_suffix(path: Path) -> str:
    return _uncompressed(path).suffix.lower()
