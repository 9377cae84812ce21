"""Rows that are no facts: found all at once, shown a few at a time."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.columns import NAME_ROLES, ROLES
from tlogic.events.sources.raw_facts import Quote, RawFacts
from tlogic.events.time_parsing import EXPECTED_TIMES, ORDER_IS_CLEAR, SEPARATED, TimeKind, parse_times

SHOWN = 5

_KIND_NAMES = {"integer": "an integer", "year": "a year", "month": "a month", "date": "a date"}


class ValidRows(NamedTuple):
    """The rows that are facts, how many others there were, and the first of those in words."""

    rows: pl.DataFrame
    bad_rows: int
    examples: tuple[str, ...]


def select_valid_rows(
    rows: pl.DataFrame, kind: TimeKind, sources: Sequence[RawFacts], skip_bad_rows: bool
) -> ValidRows:
    """Keep the rows with three names and a `timestamp`; refuse the others unless they are to be skipped.

    Each row knows its source (`part`) and its place there (`row`). Blank lines go without a word.
    """
    unusable = rows.select(_unusable()).to_series()
    if not unusable.any():
        return ValidRows(rows, 0, ())
    good = rows.filter(~unusable)
    bad = rows.filter(unusable).filter(~pl.all_horizontal(pl.col(ROLES).is_null()))
    examples = tuple(_describe(bad.head(SHOWN), kind, sources))
    if bad.height and not (skip_bad_rows and good.height):
        raise InputError(_refusal(bad, examples, good.height, sources))
    return ValidRows(good, bad.height, examples)


def _unusable() -> pl.Expr:
    no_name = [pl.col(role).is_null() | (pl.col(role) == "") for role in NAME_ROLES]
    return pl.any_horizontal(pl.col("timestamp").is_null(), *no_name)


def _describe(bad: pl.DataFrame, kind: TimeKind, sources: Sequence[RawFacts]) -> list[str]:
    shown = []
    for part, source in enumerate(sources):
        rows = bad.filter(part=part)["row"].to_list()
        if rows:
            shown += [f"{quote.place}: {_problem(quote, kind)}" for quote in source.quote(rows)]
    return shown


def _problem(quote: Quote, kind: TimeKind) -> str:
    if quote.problem:
        return quote.problem
    empty = [role for role in ROLES if not (quote.cells[role] or "").strip()]
    if empty:
        return f"the {empty[0]} is empty"
    return _problem_of_time(str(quote.cells["time"]), kind)


def _problem_of_time(cell: str, kind: TimeKind) -> str:
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
        lines.append(f"A time is {EXPECTED_TIMES}.")
    if unread.str.contains(SEPARATED).any():
        lines.append(f"Dates such as 31/12/2014 or 12/31/2014 are read if {ORDER_IS_CLEAR}.")
    first = bad.row(0, named=True)
    if first["row"] == 0 and first["time"] is not None and not sources[first["part"]].header:
        lines.append(
            "If the first row is a header, name its columns, such as "
            'columns={"subject": "who", "time": "day"} (--columns subject=who,time=day).'
        )
    if good:
        lines.append("Correct them, or leave them out with skip_bad_rows=True (--skip-bad-rows).")
    return "\n".join(lines)
