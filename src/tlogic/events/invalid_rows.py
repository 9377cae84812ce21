"""Rows that cannot be read as facts: all are found, and the first few are quoted in messages."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.column_guesses import suggest_columns
from tlogic.events.sources.columns import END_ROLE, NAME_ROLES, ROLES
from tlogic.events.sources.raw_facts import Quote, RawFacts
from tlogic.events.time_parsing import EXPECTED_TIMES, NO_DATE, ORDER_IS_CLEAR, SEPARATED, TimeKind, parse_times

MAX_EXAMPLES = 5
MAX_NAME_BYTES = 10_000
"""Longer names are whole texts, or cells whose quotes are not closed; every comparison of names would be slow."""

_KIND_NAMES = {"integer": "an integer", "year": "a year", "month": "a month", "date": "a date"}


class ValidRows(NamedTuple):
    """The valid rows, the number of invalid rows, and descriptions of the first invalid ones."""

    rows: pl.DataFrame
    bad_rows: int
    examples: tuple[str, ...]


def select_valid_rows(
    rows: pl.DataFrame, kind: TimeKind, sources: Sequence[RawFacts], skip_bad_rows: bool
) -> ValidRows:
    """Select the rows with a timestamp and three names of sensible length. Raise an error unless others are skipped.

    The columns `part` and `row` give the source of each row and its index there. Blank lines are ignored.
    """
    unusable = rows.select(_unusable(rows.schema)).to_series()
    if not unusable.any():
        return ValidRows(rows, 0, ())
    good = rows.filter(~unusable)
    bad = rows.filter(unusable).filter(~pl.all_horizontal(pl.col(ROLES).is_null()))
    examples = tuple(_describe(bad.head(MAX_EXAMPLES), kind, sources))
    if bad.height and not (skip_bad_rows and good.height):
        raise InputError(_refusal(bad, examples, good.height, sources))
    return ValidRows(good, bad.height, examples)


def _unusable(schema: pl.Schema) -> pl.Expr:
    no_name = [pl.col(role).is_null() | (pl.col(role) == "") | _is_too_long(role, schema) for role in NAME_ROLES]
    return pl.any_horizontal(pl.col("timestamp").is_null(), *no_name)


def _is_too_long(role: str, schema: pl.Schema) -> pl.Expr:
    if schema[role] not in (pl.String, pl.Categorical):
        return pl.lit(value=False)
    texts = pl.col(role).str if schema[role] == pl.String else pl.col(role).cat
    return texts.len_bytes() > MAX_NAME_BYTES


def _describe(bad: pl.DataFrame, kind: TimeKind, sources: Sequence[RawFacts]) -> list[str]:
    descriptions = []
    for part, source in enumerate(sources):
        rows = bad.filter(part=part)["row"].to_list()
        if rows:
            descriptions += [f"{quote.location}: {_problem(quote, kind)}" for quote in source.quote(rows)]
    return descriptions


def _problem(quote: Quote, kind: TimeKind) -> str:
    if quote.problem:
        return quote.problem
    empty = [role for role in ROLES if not (quote.cells[role] or "").strip()]
    if empty:
        return f"the {empty[0]} is empty"
    long = [role for role in NAME_ROLES if len(str(quote.cells[role]).strip().encode()) > MAX_NAME_BYTES]
    if long:
        return (
            f"the {long[0]} has {len(str(quote.cells[long[0]])):,} characters, and names have at most "
            f"{MAX_NAME_BYTES:,} bytes; is a quote not closed?"
        )
    return _end_problem(quote, kind) or _time_problem(str(quote.cells["time"]), kind)


def _end_problem(quote: Quote, kind: TimeKind) -> str | None:
    begin, end = (str(quote.cells.get(role) or "").strip() for role in ("time", END_ROLE))
    if not end or parse_times(pl.Series([begin]))["kind"].item() != kind:
        return None
    return f"the end {end!r} is not understood, or before the beginning {begin!r}"


def _time_problem(cell: str, kind: TimeKind) -> str:
    found = parse_times(pl.Series([cell]))["kind"].item()
    if found in (None, kind):
        return f"the time {cell!r} is not understood"
    return f"the time {cell!r} is {_KIND_NAMES[found]}, but most times are {_KIND_NAMES[kind].split()[1]}s"


def _refusal(bad: pl.DataFrame, examples: Sequence[str], good: int, sources: Sequence[RawFacts]) -> str:
    lines = [f"{bad.height:,} of {bad.height + good:,} rows cannot be used:", *examples]
    if bad.height > len(examples):
        lines[-1] += ","
        lines.append(f"and {bad.height - len(examples):,} more.")
    unread = bad.filter(pl.col("time").is_not_null(), pl.col("timestamp").is_null())["time"].cast(pl.String)
    if len(unread):
        lines.append(f"Expected {EXPECTED_TIMES}.")
    if unread.str.contains(NO_DATE).any():
        lines.append("The years 0000 and 9999 stand for no date at all: give a real date, or leave these rows out.")
    if unread.str.contains(SEPARATED).any():
        lines.append(f"Dates such as 31/12/2014 or 12/31/2014 can be read only if {ORDER_IS_CLEAR}.")
    first = bad.row(0, named=True)
    source = sources[first["part"]]
    if first["row"] == 0 and first["time"] is not None and not source.header:
        found = ", ".join(source.first_row)
        lines.append(f"If the first row is a header, name its columns: {found}.{suggest_columns(source.first_row)}")
    if good:
        lines.append("Correct these rows, or skip them with skip_bad_rows=True (--skip-bad-rows).")
    return "\n".join(lines)
