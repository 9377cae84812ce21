"""Facts from text files."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.columns import NAME_ROLES, ROLES, choose_by_name, choose_by_position, looks_like_header
from tlogic.events.sources.delimited_files import CSV_SEPARATORS, DelimitedFile, find_separator
from tlogic.events.sources.file_limits import check_limits
from tlogic.events.sources.id_names import NAME_FILES, Names
from tlogic.events.sources.raw_facts import Quote, RawFacts, source_errors

TEXT_SUFFIXES = (".txt", ".tsv", ".csv")


def read_text(path: Path, is_csv: bool, given: Mapping[str, str | int], names: Names) -> RawFacts:
    """Read the facts of one text file. `given` maps roles to columns, and `names` maps ids to names."""
    check_limits(path)
    with source_errors(str(path)):
        file = DelimitedFile(path, find_separator(path), is_csv) if is_csv else DelimitedFile(path)
    first = [(cell or "").strip() for cell in file.first_row()]
    if not is_csv:
        _check_tabs(file, first)
    has_header = any(isinstance(column, str) for column in given.values()) or looks_like_header(first)
    positions = choose_by_name(first, given, str(path)) if has_header else choose_by_position(given)
    needed = max(positions.values()) + 1
    # A blank first line does not show the number of columns; then rows may have any number of cells.
    limit = max(len(first), needed) if any(first) else None
    columns = [_named(role, position, names) for role, position in positions.items() if role != "time"]
    return RawFacts(
        name=str(path),
        format=file.format,
        header=tuple(first[position] for position in positions.values()) if has_header else (),
        cells=file.read(
            [*columns, _time(positions["time"], limit)], needed if limit is None else limit + 1, int(has_header)
        ),
        quote=partial(_quote, file, positions, names, int(has_header), limit),
        first_row=tuple(first),
    )


def _check_tabs(file: DelimitedFile, first: Sequence[str]) -> None:
    counts = {separators: "".join(first).count(character) for character, separators in CSV_SEPARATORS.items()}
    others = max(counts, key=lambda separators: counts[separators])
    if len(first) < len(ROLES) and counts[others] >= len(first):
        raise InputError(
            f"{file.path} is read as {file.format}, but line 1 has {len(first) - 1} tabs and {counts[others]} "
            f"{others}. Rename the file to end in .csv if {others} separate its columns."
        )


def _named(role: str, position: int, names: Names) -> pl.Expr:
    cell = pl.col(str(position)).alias(role)
    if role in NAME_ROLES:
        cell = cell.str.strip_chars()
    if role not in names:
        return cell
    return cell.replace_strict(names[role]["id"], names[role]["name"], default=None)


def _time(position: int, limit: int | None) -> pl.Expr:
    """The time of each row; null if the row has more cells than the limit, which makes it a bad row."""
    time = pl.col(str(position)).alias("time")
    if limit is None:
        return time
    extra = pl.col(str(limit)).str.strip_chars()
    return pl.when(extra.is_null() | (extra == "")).then(time).alias("time")


def _quote(
    file: DelimitedFile,
    positions: Mapping[str, int],
    names: Names,
    skipped: int,
    limit: int | None,
    rows: Sequence[int],
) -> list[Quote]:
    expected = max(positions.values()) + 1
    quotes = []
    for line, cells in file.records([row + skipped for row in rows]):
        found = {role: cells[position] for role, position in positions.items() if position < len(cells)}
        problem = _unnamed_id(found, names)
        if len(cells) < expected:
            problem = f"found {len(cells)} of {expected} columns"
        if limit is not None and len(cells) > limit and cells[limit].strip():
            problem = f"found {len(cells)} columns, but line 1 has {limit}; is a cell with a separator not quoted?"
        quotes.append(Quote(f"{file.path} line {line}", found, problem))
    return quotes


def _unnamed_id(cells: Mapping[str, str], names: Names) -> str | None:
    for role, table in names.items():
        cell = cells.get(role, "").strip()
        if cell and cell not in table["id"]:
            return f"the {role} {cell!r} is not an id in {NAME_FILES[role]}"
    return None
