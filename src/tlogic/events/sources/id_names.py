"""Names of integer ids: the files entity2id.txt and relation2id.txt of some datasets."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.delimited_files import DelimitedFile

NAME_FILES = {"subject": "entity2id.txt", "relation": "relation2id.txt", "object": "entity2id.txt"}

Names = Mapping[str, pl.DataFrame]


def read_names(folder: Path) -> Names:
    """For each role with a name file in the folder, a table with the columns `id` and `name`."""
    found = {file for file in NAME_FILES.values() if (folder / file).is_file()}
    tables = {file: _read_table(folder / file) for file in found}
    return {role: tables[file] for role, file in NAME_FILES.items() if file in found}


def _read_table(path: Path) -> pl.DataFrame:
    """Read the lines `name<TAB>id`; ids must be unique, and duplicate names get their id as a suffix."""
    file = DelimitedFile(path)
    file.first_row()
    columns = [pl.col(position).str.strip_chars().alias(name) for position, name in (("0", "name"), ("1", "id"))]
    table = file.read(columns, 2).with_row_index("row")
    table = table.filter(~pl.all_horizontal(pl.col("name", "id").is_null()))
    readable = pl.col("name").is_not_null() & pl.col("id").str.contains(r"^-?\d+$").fill_null(False)
    _check_none(table.filter(~readable), path, "expected a name, a tab and an integer id")
    _check_none(table.filter(~pl.col("id").is_first_distinct()), path, "the id already has a name on an earlier line")
    # Two ids with the same name are two different entities.
    distinct_name = pl.when(pl.col("name").is_duplicated()).then(pl.format("{} (id {})", "name", "id"))
    return table.select("id", distinct_name.otherwise("name").alias("name"))


def _check_none(bad: pl.DataFrame, path: Path, why: str) -> None:
    if bad.height:
        row, name, id_ = bad.select("row", "name", "id").row(0)
        raise InputError(f"{path} line {row + 1}: {why}; found name {name!r} and id {id_!r}.")
