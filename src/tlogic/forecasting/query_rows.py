"""Rows of query files and watchlists, each with its location for error messages."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.delimited_files import most_frequent_separator

_MAX_HEADER_LINES = 20
"""The separator of a CSV file is found in its first lines: some may be blank, or continue in a quoted cell."""


class QueryRow(NamedTuple):
    """One row of a file."""

    location: str
    cells: dict[str, Any]


def read_rows(path: Path) -> list[QueryRow]:
    """Read a CSV, tab-separated, Parquet, Arrow or JSON Lines file; errors name its line, or its row."""
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise InputError(f"Queries are read from {', '.join(_READERS)} files, not from {path.name!r}.")
    try:
        rows = list(_READERS[suffix](path))
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or f"it is damaged, or not a {suffix} file"
        raise InputError(f"{path} cannot be read: {reason}.") from None
    if not rows:
        raise InputError(f"{path} holds no queries.")
    return rows


def _csv_rows(path: Path) -> Iterator[QueryRow]:
    text = _text_of(path)
    separator = "\t" if path.suffix.lower() == ".tsv" else _separator_of(text)
    records = _records(path, text.rstrip(), separator)
    line, header = next((record for record in records if record[1]), (0, []))
    if not header:
        raise InputError(f"{path} is empty; expected a header with the names of the columns.")
    _check_header(f"{path} line {line}", header)
    for line, cells in records:
        location = f"{path} line {line}"
        if len(cells) > len(header):
            raise InputError(
                f"{location} has {len(cells)} cells, but the header has {len(header)}; "
                "is a cell with a separator not quoted?"
            )
        yield QueryRow(location, dict(zip(header, [*cells, *[""] * len(header)], strict=False)))


def _records(path: Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each record, with the line on which it begins."""
    reader, line = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), 1
    try:
        for cells in reader:
            yield line, [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error:
        raise InputError(f"{path} line {line} has a quote that is not closed, or a quote inside a cell.") from None


def _check_header(location: str, header: list[str]) -> None:
    repeated = [name for name in header if header.count(name) > 1 and name]
    if repeated:
        raise InputError(f"{location} names the column {repeated[0]!r} more than once.")
    if "" in header:
        raise InputError(f"{location} has a column without a name.")


def _json_rows(path: Path) -> Iterator[QueryRow]:
    for number, line in enumerate(_text_of(path).split("\n"), 1):
        if line.strip():
            location = f"{path} line {number}"
            yield QueryRow(
                location, {name: _cell(location, name, cell) for name, cell in _json(location, line).items()}
            )


def _json(location: str, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f'{location} is not a JSON object, such as {{"subject": "Ann", "relation": "calls"}}.')
    return found


def _cell(location: str, name: str, value: Any) -> str | None:
    if isinstance(value, list | dict | bool):
        raise InputError(f"{location}: {name} is {json.dumps(value)[:100]}; expected text or a number.")
    return None if value is None else str(value)


def _text_of(path: Path) -> str:
    content = path.read_bytes()
    if b"\0" in content:
        raise InputError(f"{path} is not text; expected a {path.suffix} file in UTF-8.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path} line {line} is not UTF-8 text. Save the file as UTF-8 (CSV UTF-8 in Excel)."
        ) from None


def _separator_of(text: str) -> str:
    return most_frequent_separator("\n".join(text.split("\n", _MAX_HEADER_LINES)[:_MAX_HEADER_LINES]))


def _table_rows(path: Path) -> Iterator[QueryRow]:
    frame = pl.read_ipc(path) if path.suffix.lower() == ".arrow" else pl.read_parquet(path, glob=False)
    for number, cells in enumerate(frame.iter_rows(named=True), 1):
        yield QueryRow(f"{path} row {number}", cells)


_READERS: dict[str, Callable[[Path], Iterator[QueryRow]]] = {
    ".csv": _csv_rows,
    ".tsv": _csv_rows,
    ".parquet": _table_rows,
    ".arrow": _table_rows,
    ".jsonl": _json_rows,
}
