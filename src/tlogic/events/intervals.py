"""Facts with a beginning and an end: they become one fact per time step that they cover."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import polars as pl

from tlogic.errors import InputError
from tlogic.events.sources.columns import END_ROLE
from tlogic.events.sources.raw_facts import RawFacts
from tlogic.events.time_parsing import NO_DATE, TimeColumn, TimeKind, parse_column
from tlogic.events.timeline import Timeline

Intervals = Literal["cover", "start"]

MAX_COVERED_FACTS = 50_000_000


class IntervalColumns(NamedTuple):
    """The parsed beginnings and ends: the kind of times, both timestamps, and whether any time has a zone.

    The beginning is null if the row cannot be used; the end is null if it is open.
    """

    kind: TimeKind
    begin: pl.Series
    end: pl.Series
    zoned: bool


def are_covered(intervals: Intervals | None, sources: Sequence[RawFacts]) -> bool:
    """Whether facts are read as the time steps that they cover: by default, if all sources have a column of ends.

    Raises:
        InputError: If the option is unknown, or the steps are wanted but a source has no ends.
    """
    if intervals not in (None, "cover", "start"):
        raise InputError(f'intervals={intervals!r} is unknown; expected "cover" or "start".')
    without = [source.name for source in sources if END_ROLE not in source.cells.columns]
    if intervals == "cover" and without:
        raise InputError(
            f"{without[0]} has no column recognised as the end of facts; "
            f'name it with columns={{"{END_ROLE}": "NAME"}} (--columns {END_ROLE}=NAME).'
        )
    return intervals != "start" and not without


def parse_intervals(begin: pl.Series, end: pl.Series, *, as_integers: bool, time_zone: str) -> IntervalColumns:
    """Parse the columns of beginnings and ends together, so that both have one kind and one order of day and month.

    >>> begins, ends = pl.Series(["2014-01-05", "2014-01-07"]), pl.Series(["2014-01-09", "2014-01-06"])
    >>> parse_intervals(begins, ends, as_integers=False, time_zone="UTC").begin.is_null().to_list()
    [False, True]
    """
    if begin.dtype != end.dtype or not begin.dtype.is_temporal():
        begin, end = begin.cast(pl.String), end.cast(pl.String)
    both: TimeColumn = parse_column(
        pl.concat([begin.alias("time"), end.alias("time")]), as_integers=as_integers, time_zone=time_zone
    )
    n = len(begin)
    first, last = both.timestamps[:n], both.timestamps[n:]
    usable = _are_open(end, last) | (last >= first).fill_null(False)
    return IntervalColumns(both.kind, pl.select(pl.when(usable).then(first)).to_series(), last, both.zoned)


def _are_open(end: pl.Series, parsed: pl.Series) -> pl.Series:
    """Whether ends are open: empty, or in a year that stands for no date."""
    text = end.cast(pl.String).fill_null("").str.strip_chars()
    return (text == "") | (parsed.is_null() & text.str.contains(NO_DATE))


def with_closed_ends(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with open ends filled in: facts last until the last date of the data.

    >>> with_closed_ends(pl.DataFrame({"timestamp": [1, 5], "end": [3, None]}))["end"].to_list()
    [3, 5]
    """
    return rows.with_columns(pl.col("end").fill_null(pl.max_horizontal(pl.col("timestamp").max(), pl.col("end").max())))


def cover_steps(rows: pl.DataFrame, timeline: Timeline) -> pl.DataFrame:
    """One row per time step of each fact, from the step of its beginning through the step of its end.

    Raises:
        InputError: If there would be too many.
    """
    last = timeline.steps_at(rows["end"].to_numpy())
    total = int((last - rows["step"].to_numpy() + 1).sum())
    if total > MAX_COVERED_FACTS:
        raise InputError(
            f"{rows.height:,} facts with a beginning and an end cover {total:,} steps of {timeline.step_size}; at most "
            f"{MAX_COVERED_FACTS:,} are supported. Give a longer step (step=..., --step 1mo), or read the facts as "
            'their beginning (intervals="start", --intervals start).'
        )
    return rows.with_columns(step=pl.int_ranges("step", pl.Series(last) + 1)).explode("step")
