"""Parse times to integer timestamps.

Calendar times become seconds since 1970 in one time zone, which is UTC unless another is given. Times without a zone
are taken as times in that zone. Integers stay as they are. The length of a time step and the position of step 0 are
decided in `time_steps` and `timeline`.
"""

from functools import lru_cache
from typing import Literal, NamedTuple

import polars as pl

from tlogic.errors import InputError
from tlogic.names import did_you_mean

TimeKind = Literal["integer", "year", "month", "date"]

EXPECTED_TIMES = (
    "a date such as 2014-08-09, 20140809, 2014-08 or 2014, "
    "a date and time such as 2014-08-09 13:00 or 2014-08-09T13:00:00+02:00, or an integer"
)

_SECONDS_PER_DAY = 86_400
_FIRST_SECOND, _END_OF_FACTS = -62_135_596_800, 253_370_764_800
"""Dates of facts are from 0001 to 9998: the years 0000 and 9999 stand for no date at all."""
END_OF_QUERIES = 253_402_300_800
"""Queries may be about the year 9999, so that there is a time step after the last fact."""
NO_DATE = r"\b(0000|9999)"

# At most 18 digits, so that the difference of two integers still fits 64 bits.
_INTEGER = r"^[+-]?[0-9]{1,18}$"
_ISO = (
    r"^(?<month>[0-9]{4}-[0-9]{1,2})(?:-(?<day>[0-9]{1,2})"
    r"(?:[Tt ](?<hour>[01]?[0-9]|2[0-3]):(?<minute>[0-5][0-9])(?::(?<second>[0-5][0-9])(?:[.,][0-9]+)?)?"
    r" *(?<zone>[Zz]|(?<zone_hours>[+-](?:0[0-9]|1[0-4])):?(?<zone_minutes>[0-5][0-9])?)?)?)?$"
)


class _Spelling(NamedTuple):
    """Another date format: its pattern, and the replacement that gives the ISO date."""

    kind: TimeKind
    pattern: str
    iso: str


_COMPACT_DAY = r"([12][0-9]{3})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])"
_COMPACT_CLOCK = r"([01][0-9]|2[0-3])([0-5][0-9])([0-5][0-9])"
_COMPACT = (
    _Spelling("date", f"^{_COMPACT_DAY}$", "${1}-${2}-${3}"),
    _Spelling("date", f"^{_COMPACT_DAY}{_COMPACT_CLOCK}$", "${1}-${2}-${3}T${4}:${5}:${6}"),
)
_YEAR = _Spelling("year", r"^([12][0-9]{3})$", "${1}-01-01")

_DAY, _MONTH, _REST = r"(0?[1-9]|[12][0-9]|3[01])", r"(0?[1-9]|1[0-2])", r"(|[Tt ].*)$"
_YEAR_FIRST = _Spelling("date", f"^([0-9]{{4}})[/.]{_MONTH}[/.]{_DAY}{_REST}", "${1}-${2}-${3}${4}")
_DAY_FIRST = _Spelling("date", f"^{_DAY}[/.-]{_MONTH}[/.-]([0-9]{{4}}){_REST}", "${3}-${2}-${1}${4}")
# With dots, the day always comes first.
_MONTH_FIRST = _Spelling("date", f"^{_MONTH}[/-]{_DAY}[/-]([0-9]{{4}}){_REST}", "${3}-${1}-${2}${4}")

SEPARATED = r"^(?:[0-9]{4}[/.][0-9]{1,2}[/.][0-9]{1,2}|[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{4})(?:$|[Tt ])"
ORDER_IS_CLEAR = "exactly one order, day first or month first, fits all of them"


class TimeColumn(NamedTuple):
    """A parsed column: its most frequent kind, its timestamps (null for other kinds), and whether any has a zone."""

    kind: TimeKind
    timestamps: pl.Series
    zoned: bool


@lru_cache
def check_time_zone(name: str) -> str:
    """Return the name of a time zone; raise an error if it is unknown.

    >>> check_time_zone("Europe/Berlin")
    'Europe/Berlin'
    """
    try:
        pl.Series([0]).cast(pl.Datetime("us", "UTC")).dt.convert_time_zone(name or "none")
    except pl.exceptions.PolarsError:
        from zoneinfo import available_timezones

        raise InputError(
            f"Unknown time zone {name!r}{did_you_mean(name, sorted(available_timezones()))} "
            "Expected a name such as Europe/Berlin, America/New_York or UTC."
        ) from None
    return name


def parse_column(times: pl.Series, *, as_integers: bool = False, time_zone: str = "UTC") -> TimeColumn:
    """Parse a column of times.

    >>> kind, timestamps, _ = parse_column(pl.Series(["1970-01-02", "1970-01-02", "1970-01-03", "7"]))
    >>> kind, timestamps.to_list()
    ('date', [86400, 86400, 172800, None])
    """
    # Most columns repeat times, so distinct values are parsed once. Otherwise it is faster to parse all cells.
    recurring = times.to_frame().select(pl.all().approx_n_unique()).item() * 2 < len(times)
    cells = times.alias("time").value_counts() if recurring else pl.DataFrame({"time": times, "count": 1})
    table = parse_times(cells["time"], as_integers=as_integers, time_zone=time_zone).with_columns(cells["count"])
    kinds = table.drop_nulls("kind").group_by("kind").agg(pl.col("count").sum()).sort("count", "kind")
    kind: TimeKind = kinds["kind"][-1] if kinds.height else "date"
    table = table.with_columns(timestamp=pl.when(kind=kind).then("timestamp"))
    zoned = bool((table["zoned"] & table["timestamp"].is_not_null()).any())
    if not recurring:
        return TimeColumn(kind, table["timestamp"], zoned)
    return TimeColumn(kind, times.replace_strict(table["cell"], table["timestamp"], return_dtype=pl.Int64), zoned)


def parse_times(
    cells: pl.Series, *, as_integers: bool = False, time_zone: str = "UTC", end: int = _END_OF_FACTS
) -> pl.DataFrame:
    """Parse each cell: columns `cell`, `kind` and `timestamp` (both null if it cannot be parsed), and `zoned`.

    Cells of digits are interpreted together: as years if all have four digits and lie in 1000..2999, as compact dates
    if most are dates of eight (or fourteen) digits, otherwise as integers. With `as_integers` they are always integers.
    Dates with slashes, dots or dashes are parsed in the one order of day and month that fits all of them; if both
    orders fit, they cannot be parsed. Dates from `end` on, in seconds since 1970, cannot be parsed either.

    >>> parse_times(pl.Series(["1970-01-02", "1970-01-01 00:01", "1970-02", "soon"])).drop("zoned").rows()[1:]
    [('1970-01-01 00:01', 'date', 60), ('1970-02', 'month', 2678400), ('soon', None, None)]
    >>> parse_times(pl.Series([1969, 1971]))["timestamp"].to_list()
    [-31536000, 31536000]
    >>> parse_times(pl.Series(["1970-01-01T00:00Z"]), time_zone="Europe/Berlin").row(0)
    ('1970-01-01T00:00Z', 'date', 3600, True)
    >>> parse_times(pl.Series(["02/01/1970", "31/12/1970"]))["timestamp"].to_list()
    [86400, 31449600]
    """
    if cells.dtype.is_temporal():
        has_zone = isinstance(cells.dtype, pl.Datetime) and cells.dtype.time_zone is not None
        clock = cells.dt.convert_time_zone(time_zone).dt.replace_time_zone(None) if has_zone else cells
        timestamps = clock.cast(pl.Datetime("us")).dt.timestamp("us") // 1_000_000
        table = pl.DataFrame({"cell": cells, "kind": "date", "timestamp": timestamps, "zoned": has_zone})
        return _where_readable(table, end)
    text = cells.cast(pl.String).str.strip_chars()
    digits = text.filter(text.str.contains(_INTEGER))
    spelling = None if as_integers else _order_of(text) or _digits_of(digits)
    table = pl.DataFrame({"cell": cells, "text": text})
    table = table.with_columns(iso=_iso_text(spelling).str.extract_groups(_ISO))
    zoned = pl.col("iso").struct.field("zone").is_not_null()
    table = table.with_columns(kind=_kind(spelling), timestamp=_seconds(), zoned=zoned)
    if time_zone != "UTC":
        table = table.with_columns(timestamp=pl.when("zoned").then(_on_clock(time_zone)).otherwise("timestamp"))
    if len(digits):
        as_integer = pl.col("text").cast(pl.Int64, strict=False)
        table = table.with_columns(timestamp=pl.when(kind="integer").then(as_integer).otherwise("timestamp"))
    return _where_readable(table, end)


def _where_readable(table: pl.DataFrame, end: int) -> pl.DataFrame:
    is_date = pl.col("timestamp").is_between(_FIRST_SECOND, end, closed="left")
    table = table.with_columns(timestamp=pl.when((pl.col("kind") == "integer") | is_date).then("timestamp"))
    kind = pl.when(pl.col("timestamp").is_not_null()).then("kind").alias("kind")
    return table.select("cell", kind, "timestamp", "zoned")


def _order_of(text: pl.Series) -> _Spelling | None:
    """The order of day, month and year, if most dates have separators and exactly one order fits all."""
    separated = text.str.contains(SEPARATED)
    if not separated.any() or separated.sum() * 2 <= separated.count():
        return None
    orders = (_YEAR_FIRST, _DAY_FIRST, _MONTH_FIRST)
    reads = pl.DataFrame({order.iso: text.str.contains(order.pattern) for order in orders})
    readable = reads.select(pl.any_horizontal(pl.all())).to_series()
    fitting = [order for order in orders if (reads[order.iso] == readable).all()]
    return fitting[0] if len(fitting) == 1 else None


def _digits_of(digits: pl.Series) -> _Spelling | None:
    if digits.is_empty():
        return None
    if digits.str.contains(_YEAR.pattern).all():
        return _YEAR
    for compact in _COMPACT:
        # Most, not all: one mistyped date must not turn a column of dates into integers.
        if digits.str.contains(compact.pattern).sum() * 2 > len(digits):
            return compact
    return None


def _iso_text(spelling: _Spelling | None) -> pl.Expr:
    return pl.col("text").str.replace(spelling.pattern, spelling.iso) if spelling else pl.col("text")


def _kind(spelling: _Spelling | None) -> pl.Expr:
    text, day = pl.col("text"), pl.col("iso").struct.field("day")
    kind = pl.when(text.str.contains(_INTEGER)).then(pl.lit("integer")).when(day.is_null()).then(pl.lit("month"))
    kind_of_iso = kind.otherwise(pl.lit("date"))
    if spelling is None:
        return kind_of_iso
    return pl.when(text.str.contains(spelling.pattern)).then(pl.lit(spelling.kind)).otherwise(kind_of_iso)


def _seconds() -> pl.Expr:
    """Seconds since 1970 in UTC; null for days that do not exist."""
    iso = pl.col("iso").struct

    def number(part: str) -> pl.Expr:
        return iso.field(part).cast(pl.Int64).fill_null(0)

    day = iso.field("month") + "-" + iso.field("day").fill_null("01")
    days = day.str.to_date("%Y-%m-%d", strict=False).cast(pl.Int64)
    clock = number("hour") * 3600 + number("minute") * 60 + number("second")
    west = iso.field("zone_hours").str.starts_with("-").fill_null(False)
    zone_minutes = pl.when(west).then(-number("zone_minutes")).otherwise(number("zone_minutes"))
    return days * _SECONDS_PER_DAY + clock - number("zone_hours") * 3600 - zone_minutes * 60


def _on_clock(time_zone: str) -> pl.Expr:
    """The local time of a zone at each timestamp, as seconds since 1970 local time."""
    timestamp = pl.from_epoch("timestamp", time_unit="s").dt.replace_time_zone("UTC")
    return timestamp.dt.convert_time_zone(time_zone).dt.replace_time_zone(None).dt.epoch("s")
