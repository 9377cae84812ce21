"""What a cell of time says: a timestamp, as one integer.

Calendar times become seconds since 1970 on one clock, which is UTC unless another zone is given; integers stay as they
are. Times without a zone are taken for times of this clock. How long a step is, and where step 0 lies, is the business
of `steps` and `timeline`.
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

# At most 18 digits, so that the difference of two integers still fits 64 bits.
_INTEGER = r"^[+-]?[0-9]{1,18}$"
_ISO = (
    r"^(?<month>[0-9]{4}-[0-9]{1,2})(?:-(?<day>[0-9]{1,2})"
    r"(?:[Tt ](?<hour>[01]?[0-9]|2[0-3]):(?<minute>[0-5][0-9])(?::(?<second>[0-5][0-9])(?:[.,][0-9]+)?)?"
    r" *(?<zone>[Zz]|(?<zone_hours>[+-][0-9]{2}):?(?<zone_minutes>[0-9]{2})?)?)?)?$"
)


class _Spelling(NamedTuple):
    """Another way to write dates: what it looks like, and the ISO date it stands for."""

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
# Between dots the day comes first wherever people write so.
_MONTH_FIRST = _Spelling("date", f"^{_MONTH}[/-]{_DAY}[/-]([0-9]{{4}}){_REST}", "${3}-${1}-${2}${4}")

SEPARATED = r"^(?:[0-9]{4}[/.][0-9]{1,2}[/.][0-9]{1,2}|[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{4})(?:$|[Tt ])"
ORDER_IS_CLEAR = "one order, day first or month first, fits all of them and the other does not"


class TimeColumn(NamedTuple):
    """A column of times: what most of its cells are, their timestamps (null for the others), and if any has a zone."""

    kind: TimeKind
    timestamps: pl.Series
    zoned: bool


@lru_cache
def check_time_zone(name: str) -> str:
    """The name of a time zone; an error if there is no such zone.

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
    """Read a column of times.

    >>> kind, timestamps, _ = parse_column(pl.Series(["1970-01-02", "1970-01-02", "1970-01-03", "7"]))
    >>> kind, timestamps.to_list()
    ('date', [86400, 86400, 172800, None])
    """
    # Times recur, and each is read once; where most do not, it is faster to read them all.
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


def parse_times(cells: pl.Series, *, as_integers: bool = False, time_zone: str = "UTC") -> pl.DataFrame:
    """Read each cell as a timestamp: columns `cell`, `kind` and `timestamp`, both null where it is none, and `zoned`.

    Digits alone are read by what all of them look like: years when all have four digits and lie in
    1000..2999, compact dates when most are dates of eight (or fourteen) digits, otherwise integers, as
    they are in any case if `as_integers`. Days and months between slashes, dots or dashes are read in the one
    order that fits them all; where both orders do, they are not understood.

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
        return _where_readable(
            pl.DataFrame({"cell": cells, "kind": "date", "timestamp": timestamps, "zoned": has_zone})
        )
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
    return _where_readable(table)


def _where_readable(table: pl.DataFrame) -> pl.DataFrame:
    kind = pl.when(pl.col("timestamp").is_not_null()).then("kind").alias("kind")
    return table.select("cell", kind, "timestamp", "zoned")


def _order_of(text: pl.Series) -> _Spelling | None:
    """The order of day, month and year, if most dates are written with separators and one order reads them all."""
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
    """Seconds since 1970 in UTC; null where there is no such day."""
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
    """What the clocks of a zone show at each timestamp, as seconds since they showed the beginning of 1970."""
    timestamp = pl.from_epoch("timestamp", time_unit="s").dt.replace_time_zone("UTC")
    return timestamp.dt.convert_time_zone(time_zone).dt.replace_time_zone(None).dt.epoch("s")
