"""Tab-separated and CSV files, plain or compressed, as rows of text cells."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.raw_facts import source_errors

# The first bytes of compressed files.
COMPRESSIONS = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}

CSV_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

_MIN_STREAMED_BYTES = 64 << 20
# Text does not contain this character, so lines are not split.
_NO_SEPARATOR = "\x1f"
# Several lines, because the first may be blank or continue in a quoted cell.
_MAX_HEADER_LINES = 20
# Rows may be shorter or longer than the first one: missing cells are null, extra cells are ignored.
_RAGGED: dict[str, Any] = {"missing_columns": "insert", "extra_columns": "ignore"}


class Record(NamedTuple):
    """One row of a file: the line it begins on, and its cells."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class DelimitedFile:
    """A text file of cells. CSV cells may be quoted; in other files quotes are ordinary characters."""

    path: Path
    separator: str = "\t"
    is_csv: bool = False

    @property
    def format(self) -> str:
        """The file format, as text."""
        if not self.is_csv:
            return "tab-separated text"
        return "CSV" if self.separator == "," else f"CSV with {CSV_SEPARATORS[self.separator]}"

    def first_row(self) -> list[str | None]:
        """The cells of the first row; raises an error if the file is empty."""
        self._check_beginning()
        return list(self._read(self.separator, n_rows=1, infer_schema=False).row(0))

    def read(self, columns: Sequence[pl.Expr], n_columns: int, skip_rows: int = 0) -> pl.DataFrame:
        """Read the first ``n_columns`` columns, named by their positions, and return the given expressions of them.

        Empty and missing cells are null. Large files are streamed, and repeated texts of a column are stored once.
        """
        schema = {str(position): pl.String for position in range(n_columns)}
        options = {"schema": schema, "skip_rows": skip_rows, **_RAGGED}
        if self.path.stat().st_size < _MIN_STREAMED_BYTES or self.path.suffix.lower() in COMPRESSIONS:
            return self._read(self.separator, **options).select(columns)
        with self._reading_errors():
            cells = pl.scan_csv(self.path, **self._csv_options(self.separator), **options).select(columns)
            return cells.select(pl.all().cast(pl.Categorical)).collect(engine="streaming")

    def records(self, rows: Sequence[int]) -> Iterator[Record]:
        """Read some rows again (sorted indices from 0), with their line numbers; slow, for error messages."""
        lines = self._lines("utf8")
        if self.is_csv:
            reader = csv.reader(lines, delimiter=self.separator)
        else:
            reader = csv.reader(lines, delimiter=self.separator, quoting=csv.QUOTE_NONE)
        selected, line = set(rows), 1
        try:
            for row, cells in enumerate(reader):
                if row in selected:
                    yield Record(line, cells)
                if row == rows[-1]:
                    return
                line = reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"{self.path} line {line} cannot be read ({error}); is a quote not closed?") from error

    def _lines(self, encoding: str) -> pl.Series:
        lines = self._read(_NO_SEPARATOR, encoding=encoding, schema={"line": pl.String}, **_RAGGED)
        return lines["line"].fill_null("")

    def _read(self, separator: str, **options: Any) -> pl.DataFrame:
        with self._reading_errors():
            return pl.read_csv(self.path, **self._csv_options(separator), **options)

    def _csv_options(self, separator: str) -> dict[str, Any]:
        quote = '"' if self.is_csv and separator == self.separator else None
        return {
            "separator": separator,
            "quote_char": quote,
            "has_header": False,
            "truncate_ragged_lines": True,
            "glob": False,
        }

    @contextmanager
    def _reading_errors(self) -> Iterator[None]:
        with source_errors(str(self.path)):
            try:
                yield
            except pl.exceptions.NoDataError:
                raise InputError(f"{self.path} is empty.") from None
            except pl.exceptions.ComputeError as error:
                raise self._explain(error) from None

    def _explain(self, error: pl.exceptions.ComputeError) -> Exception:
        if "utf-8" in str(error):
            return self._not_utf_8()
        if unparsed := re.search("could not parse `([^`\n]+)", str(error)):
            line = _first_with(unparsed[1], self._lines("utf8"))
            return InputError(
                f"{self.path} line {line + 1} has a quote that is not closed, or a quote inside a cell: "
                f"{unparsed[1][:100]!r}."
            )
        return error

    def _not_utf_8(self) -> InputError:
        lines = self._lines("utf8-lossy")
        line = _first_with("\N{REPLACEMENT CHARACTER}", lines)
        found = lines[line][:200]
        likely = "UTF-16" if "\0" in found else "WINDOWS-1252"
        return InputError(
            f"{self.path} line {line + 1} is not UTF-8 text: {found.replace(chr(0), '')[:100]!r}. Save the "
            f"file as UTF-8 (CSV UTF-8 in Excel), or convert it: iconv -f {likely} -t UTF-8 OLD > NEW."
        )

    def _check_beginning(self) -> None:
        suffix = self.path.suffix.lower()
        with source_errors(str(self.path)), self.path.open("rb") as file:
            beginning = file.read(4)
        if beginning and not beginning.startswith(COMPRESSIONS.get(suffix, b"")):
            raise InputError(f"{self.path} is not a {suffix} file; it may be damaged or have the wrong suffix.")
        # UTF-16 without a byte order mark can be valid UTF-8: every other byte of English text is zero.
        if b"\0" in beginning and suffix not in COMPRESSIONS:
            raise self._not_utf_8()


def find_separator(path: Path) -> str:
    """The separator of a CSV file, detected from its first line."""
    try:
        lines = pl.read_csv(
            path,
            separator=_NO_SEPARATOR,
            quote_char=None,
            has_header=False,
            encoding="utf8-lossy",
            schema={"line": pl.String},
            n_rows=_MAX_HEADER_LINES,
            truncate_ragged_lines=True,
            glob=False,
        )
    except pl.exceptions.NoDataError:
        return ","
    return most_frequent_separator("\n".join(lines["line"].fill_null("")))


def most_frequent_separator(text: str) -> str:
    """The most frequent separator outside quotes in the first line; by default a comma.

    >>> most_frequent_separator('subject;"relation, in words";object;time')
    ';'
    """
    first_line = re.sub(r'"[^"]*("|\Z)', "", text).lstrip("\r\n").partition("\n")[0]
    return max(CSV_SEPARATORS, key=first_line.count)


def _first_with(part: str, lines: pl.Series) -> int:
    return lines.str.contains(part, literal=True).arg_max() or 0
