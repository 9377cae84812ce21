"""Facts from text files."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from tlogic.errors import InputError
from tlogic.events.columns import ROLES, choose_by_name, choose_by_position, looks_like_header
from tlogic.events.delimited import DelimitedFile
from tlogic.events.ids import NAME_FILES, Names
from tlogic.events.raw import Quote, RawFacts

SEPARATORS = {".txt": "\t", ".tsv": "\t", ".csv": ","}
_MIXED_UP = {"\t": ("tabs", ",", "commas", ".csv"), ",": ("commas", "\t", "tabs", ".tsv")}


def read_text(path: Path, separator: str, given: Mapping[str, str | int], names: Names) -> RawFacts:
    """Read the facts of one text file: `given` says which columns are which, `names` what ids stand for."""
    file = DelimitedFile(path, separator)
    first = file.first_row()
    _check_separator(file, first)
    has_header = any(isinstance(column, str) for column in given.values()) or looks_like_header(first)
    positions = choose_by_name(first, given, str(path)) if has_header else choose_by_position(given)
    cells = file.read(list(positions.values()), skip_rows=int(has_header))
    return RawFacts(
        name=str(path),
        format=file.format,
        header=tuple(str(first[positions[role]]) for role in ROLES) if has_header else (),
        cells=cells.select(_named(role, positions[role], names) for role in ROLES),
        quote=partial(_quote, file, positions, names, int(has_header)),
    )


def _check_separator(file: DelimitedFile, first: Sequence[str | None]) -> None:
    separators, other, others, suffix = _MIXED_UP[file.separator]
    found = sum((cell or "").count(other) for cell in first)
    if len(first) < len(ROLES) and found >= len(first):
        raise InputError(
            f"{file.path} is read as {file.format}, but line 1 has {len(first) - 1} {separators} "
            f"and {found} {others}. Rename the file to end in {suffix} if {others} separate its columns."
        )


def _named(role: str, position: int, names: Names) -> pl.Expr:
    cell = pl.col(str(position)).alias(role)
    if role not in names:
        return cell
    return cell.replace_strict(names[role]["id"], names[role]["name"], default=None)


def _quote(
    file: DelimitedFile,
    positions: Mapping[str, int],
    names: Names,
    skipped: int,
    rows: Sequence[int],
) -> list[Quote]:
    expected = max(positions.values()) + 1
    quotes = []
    for line, cells in file.records([row + skipped for row in rows]):
        found = {role: cells[position] for role, position in positions.items() if position < len(cells)}
        problem = _unnamed_id(found, names)
        if len(cells) < expected:
            problem = f"found {len(cells)} of {expected} columns"
        quotes.append(Quote(f"{file.path} line {line}", found, problem))
    return quotes


def _unnamed_id(cells: Mapping[str, str], names: Names) -> str | None:
    for role, table in names.items():
        cell = cells.get(role)
        if cell and cell not in table["id"]:
            return f"the {role} {cell!r} is not an id of {NAME_FILES[role]}"
    return None
