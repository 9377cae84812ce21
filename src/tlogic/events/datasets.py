"""Benchmark datasets: their contents, their location, and whether they are complete."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import Literal, NamedTuple

from tlogic.files import cache_folder

State = Literal["whole", "partly", "different", "unchecked", "absent"]

PART = ".part"
"""The suffix of a file that is not completely downloaded."""


class PublishedFile(NamedTuple):
    """A published file of a dataset."""

    name: str
    size: int
    sha1: str
    """The git blob hash of the content."""


@dataclass(frozen=True)
class Dataset:
    """A benchmark dataset. It can be downloaded if its files are published with hashes, or in an archive."""

    name: str
    facts: tuple[int, int, int] | tuple[int]
    """The numbers of facts for training, validation and test; or of all facts, if they are split when read."""
    entities: int
    relations: int | None
    """None if the number is not published."""
    steps: int
    unit: str
    """The unit of a time step: days or years."""
    files: tuple[PublishedFile, ...] = ()
    is_archived: bool = False
    """Whether its files are published in a zip archive, as those of TGB; there are no hashes for it."""

    @property
    def is_downloadable(self) -> bool:
        """Whether `tlogic download` can get it."""
        return bool(self.files) or self.is_archived


DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            "icews14",
            (63_685, 13_823, 13_222),
            entities=7_128,
            relations=230,
            steps=365,
            unit="days",
            files=(
                PublishedFile("test.txt", 908_196, "fe0d1acce6817132962ccf1e7565f88030323e6a"),
                PublishedFile("valid.txt", 955_527, "d8331e2ef217d7d5bcd880040b1dae7b2d8944b4"),
                PublishedFile("train.txt", 4_392_965, "d200c06e90f50e1a78c533700d9d47ee169654f6"),
            ),
        ),
        Dataset(
            "icews18",
            (373_018, 45_995, 49_545),
            entities=23_033,
            relations=256,
            steps=304,
            unit="days",
            files=(
                PublishedFile("test.txt", 3_361_519, "c6c42b02d22efe9cf260b762bb35eef5703148b7"),
                PublishedFile("valid.txt", 3_107_280, "fed805968aedac680b717ae3915a1374b84bf1f9"),
                PublishedFile("train.txt", 25_445_141, "beb0497fee3007005b10275bb7a7c29624f6e961"),
            ),
        ),
        Dataset(
            "icews0515",
            (322_958, 69_224, 69_147),
            entities=10_488,
            relations=251,
            steps=4_017,
            unit="days",
            files=(
                PublishedFile("test.txt", 4_683_094, "0da7ebc4588e41dfae634e85fce52b6f815cbac5"),
                PublishedFile("valid.txt", 4_687_686, "3447ff0e342e5a72f943b5dadb7bb96001322eea"),
                PublishedFile("train.txt", 21_664_433, "625efa2ce54f3c2b48041167e243c041f03acd4d"),
            ),
        ),
        Dataset("yago", (161_540, 19_523, 20_026), entities=10_623, relations=10, steps=189, unit="years"),
        Dataset("wiki", (539_286, 67_538, 63_110), entities=12_554, relations=24, steps=232, unit="years"),
        Dataset(
            "tkgl-smallpedia",
            (550_376,),
            entities=47_433,
            relations=None,
            steps=125,
            unit="years",
            is_archived=True,
        ),
        Dataset(
            "tkgl-polecat",
            (1_779_610,),
            entities=150_931,
            relations=16,
            steps=1_826,
            unit="days",
            is_archived=True,
        ),
        Dataset(
            "tkgl-icews",
            (15_513_446,),
            entities=87_856,
            relations=391,
            steps=10_224,
            unit="days",
            is_archived=True,
        ),
        Dataset(
            "tkgl-wikidata",
            (9_856_203,),
            entities=1_226_440,
            relations=None,
            steps=2_025,
            unit="years",
            is_archived=True,
        ),
    )
}


class DatasetStatus(NamedTuple):
    """The state of a dataset on this machine."""

    name: str
    state: State
    folder: Path | None
    dataset: Dataset | None
    """None for a folder that is not a benchmark dataset."""


def data_folders() -> list[Path]:
    """The folders to search for datasets: ``TLOGIC_DATA`` if set, then the cache. Downloads go to the first."""
    given = os.environ.get("TLOGIC_DATA")
    return [Path(given).expanduser(), cache_folder()] if given else [cache_folder()]


def find_dataset(name: str) -> Path | None:
    """The folder of a dataset, or None; unfinished downloads do not count.

    >>> find_dataset("no such dataset")
    """
    for folder in (parent / name for parent in data_folders()):
        if folder.is_dir() and (name not in DATASETS or _holds_facts(folder)):
            return folder
    return None


def list_datasets() -> Iterator[DatasetStatus]:
    """List the benchmark datasets, then other datasets in the same folders."""
    for name, dataset in DATASETS.items():
        started = (parent / name for parent in data_folders() if (parent / name).is_dir())
        location = find_dataset(name) or next(started, None)
        yield DatasetStatus(name, _state(dataset, location), location, dataset)
    seen = set(DATASETS)
    for parent in data_folders():
        for folder in sorted(parent.glob("*/")):
            if folder.name not in seen and _holds_facts(folder):
                seen.add(folder.name)
                yield DatasetStatus(folder.name, "unchecked", folder, None)


def matches_published(path: Path, published: PublishedFile) -> bool:
    """Whether a file has the bytes of the published one."""
    return path.stat().st_size == published.size and git_sha1(path) == published.sha1


def git_sha1(path: Path) -> str:
    """The git blob hash of a file.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     git_sha1(Path(file.name))
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    digest = sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _state(dataset: Dataset, folder: Path | None) -> State:
    if folder is None:
        return "absent"
    if not dataset.files:
        started = any(part.stat().st_size for part in folder.glob(f"*{PART}"))
        return "unchecked" if _holds_facts(folder) else "partly" if started else "absent"
    present = [(folder / file.name, file) for file in dataset.files if (folder / file.name).is_file()]
    if not all(matches_published(path, file) for path, file in present):
        return "different"
    if len(present) == len(dataset.files):
        return "whole"
    if _holds_facts(folder):
        return "different"
    started = any(part.stat().st_size for part in folder.glob(f"*{PART}"))
    return "partly" if present or started else "absent"


def _holds_facts(folder: Path) -> bool:
    """Whether the folder has a train file or an edge list of TGB.

    Downloads fetch it last, so the other files are complete then.
    """
    found = (*folder.glob("train.*"), *folder.glob("tkgl-*_edgelist.csv"))
    return any(path.suffix != PART and path.is_file() for path in found)
