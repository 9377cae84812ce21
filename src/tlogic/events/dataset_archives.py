"""Archives of TGB: unpack their files, and verify the shape of the data, as no hashes are published."""

import shutil
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import polars as pl

from tlogic.errors import TLogicError
from tlogic.events.datasets import PART, Dataset
from tlogic.events.sources.tgb import is_edge_list

_SUFFIXES = (".csv", ".pkl")


def unpack(archive: Path, dataset: Dataset, folder: Path) -> tuple[str, ...]:
    """Unpack the files of a dataset, verify its shape and delete the archive.

    The edge list is renamed last: it is there only if all other files are, and if its shape is right.

    Returns:
        The names of the files.

    Raises:
        TLogicError: If the archive is damaged, has no edge list, or holds other data.
    """
    try:
        with ZipFile(archive) as content:
            members = {Path(name).name: name for name in content.namelist() if _belongs(Path(name).name, dataset)}
            names = sorted(members, key=lambda name: is_edge_list(Path(name)))
            if not names or not is_edge_list(Path(names[-1])):
                raise TLogicError(f"{archive} has no file {dataset.name}_edgelist.csv; delete it and download again.")
            for name in names:
                with content.open(members[name]) as source, (folder / (name + PART)).open("wb") as target:
                    shutil.copyfileobj(source, target)
    except BadZipFile as error:
        archive.unlink()
        raise TLogicError(f"{archive} is damaged ({error}) and was deleted; download again.") from None
    check_shape(folder / (names[-1] + PART), dataset)
    for name in names:
        (folder / (name + PART)).replace(folder / name)
    archive.unlink()
    return tuple(names)


def check_shape(edge_list: Path, dataset: Dataset) -> None:
    """Verify that an edge list has as many facts, entities, relations and time steps as published, where they are.

    Raises:
        TLogicError: If it has not.
    """
    scan = pl.scan_csv(edge_list, infer_schema=False, new_columns=["time", "head", "tail", "relation"])
    found = scan.select(
        pl.len().alias("facts"),
        pl.col("head").append("tail").n_unique().alias("entities"),
        pl.col("relation").n_unique().alias("relations"),
        pl.col("time").n_unique().alias("time steps"),
    ).collect(engine="streaming")
    published = (sum(dataset.facts), dataset.entities, dataset.relations, dataset.steps)
    for (what, number), expected in zip(found.row(0, named=True).items(), published, strict=True):
        if expected is not None and number != expected:
            raise TLogicError(
                f"{edge_list} differs from the published dataset {dataset.name}: it has {number:,} {what}, expected "
                f"{expected:,}. Move or delete it, then download again."
            )


def _belongs(name: str, dataset: Dataset) -> bool:
    return name.startswith(f"{dataset.name}_") and name.endswith(_SUFFIXES)
