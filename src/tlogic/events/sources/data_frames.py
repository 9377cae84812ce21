"""Facts from Parquet and Arrow files and from data frames in memory."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.columns import NAME_ROLES, choose_by_name
from tlogic.events.sources.raw_facts import Quote, RawFacts, source_errors

FORMATS = {".parquet": "Parquet", ".arrow": "Arrow", ".ipc": "Arrow", ".feather": "Arrow"}

_TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Null)


def read_frame_file(path: Path, given: Mapping[str, str | int]) -> RawFacts:
    """Read the facts of a Parquet or Arrow file."""
    format = FORMATS[path.suffix.lower()]
    scan = pl.scan_parquet if format == "Parquet" else pl.scan_ipc
    return read_frame(scan(path, glob=False), given, name=str(path), format=format)


def as_frame(source: object) -> pl.LazyFrame | None:
    """The source as a polars frame if it is a data frame of any library, else None; no library is imported."""
    if isinstance(source, pl.LazyFrame):
        return source
    try:
        if hasattr(source, "__arrow_c_stream__"):
            return pl.DataFrame(source).lazy()
        if type(source).__module__.startswith("pandas."):
            frame = pl.from_pandas(source)
            if isinstance(frame, pl.Series):
                raise TypeError("it is a single column")
            return frame.lazy()
    except ImportError as error:
        raise InputError(f"This data frame is read through Arrow, which needs pyarrow: {error}.") from error
    except (TypeError, ValueError, NotImplementedError, pl.exceptions.PolarsError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(
            f"This {type(source).__name__} cannot be read as a table ({reason}). Expected four columns, "
            "each with values of one type, such as strings."
        ) from error
    return None


def read_frame(
    frame: pl.LazyFrame, given: Mapping[str, str | int], name: str = "data frame", format: str = "in memory"
) -> RawFacts:
    """Read the facts of a data frame; columns are found by their names."""
    with source_errors(name):
        schema = frame.collect_schema()
        positions = choose_by_name(schema.names(), given, name)
        header = {role: schema.names()[position] for role, position in positions.items()}
        cells = frame.select(_cells(role, column, schema[column], name) for role, column in header.items()).collect()
    return RawFacts(name, format, tuple(header.values()), cells, partial(_quote, cells, name))


def _cells(role: str, column: str, dtype: pl.DataType, name: str) -> pl.Expr:
    cells = pl.col(column).alias(role)
    # Some databases return integers as decimals of scale 0.
    whole = dtype.is_integer() or (isinstance(dtype, pl.Decimal) and dtype.scale == 0)
    if dtype in _TEXT_TYPES or (whole and role in NAME_ROLES):
        return cells.cast(pl.String)
    if role not in NAME_ROLES and (whole or isinstance(dtype, pl.Date | pl.Datetime)):
        return cells
    expected = "names or integer ids" if role in NAME_ROLES else "dates, date-times, integers or strings"
    raise InputError(f"{name}: the {role} column {column!r} holds {dtype}; expected {expected}.")


def _quote(cells: pl.DataFrame, name: str, rows: Sequence[int]) -> list[Quote]:
    quoted = cells[list(rows)].select(pl.all().cast(pl.String)).iter_rows(named=True)
    return [Quote(f"{name} row {row + 1}", quote) for row, quote in zip(rows, quoted, strict=True)]
