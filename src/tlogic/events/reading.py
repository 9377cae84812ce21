"""Read facts from any source into an `EventTable`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from polars import selectors as cs

from tlogic.errors import InputError
from tlogic.events.event_table import EventTable
from tlogic.events.intervals import Intervals, are_covered, cover_steps, parse_intervals, with_closed_ends
from tlogic.events.invalid_rows import select_valid_rows
from tlogic.events.read_report import FileReport, ReadReport, find_warnings
from tlogic.events.sources.columns import END_ROLE, NAME_ROLES, ROLES, Columns, check_columns
from tlogic.events.sources.raw_facts import RawFacts
from tlogic.events.sources.source_files import read_source
from tlogic.events.sources.tgb import TGB
from tlogic.events.splits import split_by_files, split_by_time
from tlogic.events.time_parsing import TimeKind, check_time_zone, parse_column
from tlogic.events.time_steps import Step, build_timeline, continue_timeline, parse_step
from tlogic.events.timeline import Label, Timeline


def read_events(
    source: str | Path | Any,
    *,
    query: str | None = None,
    valid_from: Label | None = None,
    test_from: Label | None = None,
    step: str | int | Timeline | None = None,
    columns: Columns | None = None,
    time_zone: str = "UTC",
    skip_bad_rows: bool = False,
    intervals: Intervals | None = None,
) -> EventTable:
    """Read dated facts.

    Args:
        source: A folder with a train file and optional valid and test files; one file; the name of a dataset (a folder
            under the environment variable TLOGIC_DATA); the URL of a database, such as sqlite:///events.db,
            duckdb:///events.duckdb or postgresql://user@host/name; a data frame of polars, pandas or pyarrow; a folder
            of TGB 2.0; or a dataset of py-tgb. Files
            are .txt and .tsv (tabs) or .csv (commas, semicolons, tabs or bars, detected from the first line), also
            with .gz or .zst; .parquet; and .arrow, .ipc or .feather.
        query: What to read from a database: a SELECT statement or the name of a table.
        valid_from: The start of the validation period. If this or `test_from` is given, all facts are split by time,
            whatever file they are in. If neither is given, the files are the splits, and a single file or data frame
            is all training data. A period begins with the time step that contains the given time.
        test_from: The start of the test period.
        step: The length of a time step, such as "1d", "15m", "1mo", or "24" for integers; by default the common step
            of the dates. A timeline gives its own steps.
        columns: The columns of subject, relation, object and time: four names or positions, or a mapping such as
            {"subject": "who"}. Common names are recognised. Columns without names are taken in this order.
        time_zone: The time zone that date-times with zones are converted to, such as "Europe/Berlin". Date-times
            without zones are not converted.
        skip_bad_rows: Skip and report rows that cannot be read, instead of raising an error.
        intervals: How to read facts with a beginning and an end: as the time steps that they cover ("cover"), or as
            their beginning ("start"). By default "cover", if two columns are recognised as beginning and end.

    Returns:
        The facts with integer time steps, the split and the report.

    Raises:
        InputError: If the source, a column, a row or a time cannot be read, or a period is empty.

    Example:
        >>> names = {"who": ["Ann", "Bob"], "does": ["calls", "meets"], "whom": ["Bob", "Ann"]}
        >>> facts = pl.DataFrame({**names, "day": ["2014-08-09", "2014-08-12"]})
        >>> table = read_events(facts, columns=["who", "does", "whom", "day"])
        >>> table.frame["step"].to_list(), table.timeline.label_of(3)
        ([0, 3], '2014-08-12')
    """
    given_step = _given_step(step)
    check_time_zone(time_zone)
    sources = read_source(source, check_columns(columns), query)
    parts = list(sources.values())
    covered = are_covered(intervals, parts)
    rows = _stack(parts, covered)
    as_integers = given_step is not None and given_step.unit == "integer"
    rows, kind, zoned = _with_timestamps(rows, as_integers, time_zone)
    rows, bad_rows, examples = select_valid_rows(rows, kind, parts, skip_bad_rows)
    files = _count_facts(rows["part"], parts)

    rows = with_closed_ends(rows) if covered else rows
    times = [rows[name].alias("time") for name in ("timestamp", "end") if name in rows.columns]
    timestamps = pl.concat(times).unique().sort().to_numpy()
    if isinstance(step, Timeline):
        timeline = continue_timeline(step, kind, timestamps)
    else:
        timeline = build_timeline(kind, timestamps, given_step, time_zone)
    rows = rows.with_columns(step=timeline.steps_at(rows["timestamp"].to_numpy()))
    n_covered = rows.height if covered else None
    rows = cover_steps(rows, timeline) if covered else rows
    by_files = valid_from is None and test_from is None
    if by_files:
        split = split_by_files(rows, timeline, sources)
    else:
        split = split_by_time(rows["step"], timeline, valid_from, test_from)

    frame = rows.select(*NAME_ROLES, "step")
    report = ReadReport(
        files=files,
        facts=frame.height,
        bad_rows=bad_rows,
        bad_row_examples=examples,
        first_time=timeline.label_of(0),
        last_time=timeline.label_of(int(frame["step"].to_numpy().max())),
        step_size=timeline.description,
        step_given=given_step is not None,
        warnings=(*(note for part in parts for note in part.notes), *find_warnings(frame, timeline, split)),
        time_zone=time_zone if zoned else None,
        periods=None if by_files and TGB not in sources else split.sizes(rows["step"]),
        intervals=n_covered,
    )
    return EventTable(frame, timeline, split.valid_from, split.test_from, report)


def _with_timestamps(rows: pl.DataFrame, as_integers: bool, time_zone: str) -> tuple[pl.DataFrame, TimeKind, bool]:
    """The rows with a `timestamp`, and an `end` if they have one; the kind of times; and whether any has a zone."""
    if END_ROLE in rows.columns:
        found = parse_intervals(rows["time"], rows[END_ROLE], as_integers=as_integers, time_zone=time_zone)
        return rows.with_columns(found.begin.alias("timestamp"), found.end.alias("end")), found.kind, found.zoned
    kind, parsed, zoned = parse_column(rows["time"], as_integers=as_integers, time_zone=time_zone)
    return rows.with_columns(parsed.alias("timestamp")), kind, zoned


def _given_step(step: str | int | Timeline | None) -> Step | None:
    if isinstance(step, Timeline):
        return Step(step.unit, step.count)
    return None if step is None else parse_step(step)


def _stack(parts: Sequence[RawFacts], with_ends: bool) -> pl.DataFrame:
    """All cells as one table, with the source (`part`) and index (`row`) of each row; names are stripped."""
    columns = (*ROLES, END_ROLE) if with_ends else ROLES
    frames = [
        source.cells.select(columns)
        .with_columns((cs.by_name(NAME_ROLES) & cs.string()).str.strip_chars())
        .with_row_index("row")
        .with_columns(pl.lit(part, pl.UInt8).alias("part"))
        for part, source in enumerate(parts)
    ]
    return pl.concat([frame.with_columns(_common_types(frames)) for frame in frames])


def _common_types(frames: Sequence[pl.DataFrame]) -> list[pl.Expr]:
    """Cast columns of different types to text: categorical if a large file is among them."""
    roles = [role for role in (*ROLES, END_ROLE) if role in frames[0].columns]
    types = {role: {frame.schema[role] for frame in frames} for role in roles}
    return [
        pl.col(role).cast(pl.Categorical if pl.Categorical in found else pl.String)
        for role, found in types.items()
        if len(found) > 1
    ]


def _count_facts(part_of_row: pl.Series, parts: Sequence[RawFacts]) -> tuple[FileReport, ...]:
    files = []
    for part, source in enumerate(parts):
        facts = int((part_of_row == part).sum())
        if not facts:
            raise InputError(f"{source.name} has no facts.")
        files.append(FileReport(source.name, source.format, source.header, facts))
    return tuple(files)
