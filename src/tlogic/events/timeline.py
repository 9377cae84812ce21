"""Timeline: converts integer time steps to dates and back."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from tlogic.errors import InputError
from tlogic.events.time_parsing import EXPECTED_TIMES, check_time_zone, parse_times

Unit = Literal["integer", "second", "minute", "hour", "day", "week", "month", "year"]
Label = str | date | int
Integers = npt.NDArray[np.int64]

_NUMPY_UNITS = {"second": "s", "minute": "m", "hour": "h", "day": "D", "week": "D", "month": "M", "year": "Y"}
# Weeks begin on Monday, but 1970 began on a Thursday.
_DAYS_FROM_MONDAY_TO_1970 = 3
# Units whose number of events differs over a cycle, and the length of that cycle.
_CYCLES: dict[Unit, int] = {"hour": 24, "day": 7, "month": 12}


@dataclass(frozen=True)
class Timeline:
    """Time steps of equal length, counted from 0.

    Attributes:
        unit: The unit of a step: "integer", "second", "minute", "hour", "day", "week", "month" or "year".
        count: The number of units per step.
        origin: The start of step 0.
        time_zone: The time zone of all dates. Date-times with other zones are converted to it.

    Raises:
        InputError: If the unit, the count or the time zone is not valid.

    Example:
        >>> days = Timeline("day", 1, "2014-08-09")
        >>> days.step_of("2014-08-11"), days.label_of(2)
        (2, '2014-08-11')
        >>> quarters = Timeline("minute", 15, "2014-08-09 13:00")
        >>> quarters.step_of("2014-08-09 13:59"), quarters.label_of(3)
        (3, '2014-08-09 13:45')
    """

    unit: Unit
    count: int
    origin: str
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        check_time_zone(self.time_zone)
        if self.unit not in get_args(Unit):
            raise InputError(f"Unknown unit of time {self.unit!r}; expected one of {', '.join(get_args(Unit))}.")
        if not isinstance(self.count, int) or self.count < 1:
            raise InputError(f"The count of a time step must be 1 {self.unit} or more, not {self.count!r}.")
        # Normalise the origin, so that equal timelines compare equal.
        object.__setattr__(self, "origin", self.label_of(0))

    @property
    def step_size(self) -> str:
        """The length of one time step, as text.

        >>> Timeline("minute", 15, "2014-08-09").step_size
        '15 minutes'
        """
        if self.unit == "integer":
            return str(self.count)
        return f"{self.count} {self.unit}{'s' if self.count > 1 else ''}"

    def span_of(self, steps: int) -> str:
        """Return the length of a number of time steps, as text.

        >>> Timeline("minute", 15, "2014-08-09").span_of(3), Timeline("day", 1, "2014-08-09").span_of(1)
        ('45 minutes', '1 day')
        """
        n, unit = (steps, "step") if self.unit == "integer" else (steps * self.count, self.unit)
        return f"{n:,} {unit}{'' if n == 1 else 's'}"

    def step_of(self, label: Label) -> int:
        """Return the time step of a date, date-time or integer; negative if it lies before the origin.

        Args:
            label: A date such as "2014-08-09", a date-time, a ``datetime.date``, or an integer.

        Raises:
            InputError: If the label cannot be parsed.

        >>> Timeline("year", 1, "1999").step_of("2014-08-09")
        15
        >>> Timeline("day", 1, "2024-03-30", "Europe/Berlin").step_of("2024-03-30T00:00+01:00")
        0
        """
        return int(self.steps_at(np.array([self._timestamp_of(label)]))[0])

    def label_of(self, step: int) -> str:
        """Return the start of a time step as a date, date-time or integer.

        >>> Timeline("month", 1, "2014-08").label_of(5), Timeline("integer", 24, "0").label_of(5)
        ('2015-01', '120')
        """
        return _label(step * self.count + self._origin_ordinal, self.unit)

    def steps_at(self, timestamps: Integers) -> Integers:
        """The time steps of many timestamps: seconds since 1970, or integers if the unit is integer."""
        return (_ordinals(timestamps, self.unit) - self._origin_ordinal) // self.count

    def labels_of(self, steps: npt.ArrayLike) -> npt.NDArray[np.str_]:
        """The labels of many time steps.

        >>> Timeline("week", 1, "2014-08-04").labels_of([0, 1]).tolist()
        ['2014-08-04', '2014-08-11']
        """
        return _labels(np.asarray(steps, dtype=np.int64) * self.count + self._origin_ordinal, self.unit)

    def phase_of(self, step: int) -> int | None:
        """The position of a time step in the calendar: its day of the week, hour of the day or month of the year.

        >>> Timeline("day", 1, "2014-08-09").phase_of(2), Timeline("day", 2, "2014-08-09").phase_of(2)
        (0, None)
        """
        if self.count > 1 or self.unit not in _CYCLES:
            return None
        shift = _DAYS_FROM_MONDAY_TO_1970 if self.unit == "day" else 0
        return (step + self._origin_ordinal + shift) % _CYCLES[self.unit]

    def starting_at(self, step: int) -> "Timeline":
        """The same time steps, counted from another one.

        >>> Timeline("day", 1, "2014-08-09").starting_at(-2).origin
        '2014-08-07'
        """
        return replace(self, origin=self.label_of(step))

    def to_dict(self) -> dict[str, Any]:
        """The timeline as JSON values; `from_dict` reads them.

        >>> Timeline("day", 1, "2014-08-09").to_dict()
        {'unit': 'day', 'count': 1, 'origin': '2014-08-09'}
        """
        values = asdict(self)
        return values if self.time_zone != "UTC" else {name: values[name] for name in ("unit", "count", "origin")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The timeline of the values that `to_dict` returned.

        >>> Timeline.from_dict({"unit": "day", "count": 1, "origin": "2014-08-09"}).label_of(1)
        '2014-08-10'
        """
        try:
            return cls(**values)
        except TypeError as error:
            raise InputError(f"Expected a timeline with unit, count and origin; found {dict(values)}.") from error

    @cached_property
    def _origin_ordinal(self) -> int:
        return int(_ordinals(np.array([self._timestamp_of(self.origin)]), self.unit)[0])

    def _timestamp_of(self, label: Label) -> int:
        text = label.isoformat() if isinstance(label, date) else str(label)
        return _timestamp(text, as_integer=self.unit == "integer", time_zone=self.time_zone)


# Parsing one label takes as long as parsing a thousand, and the same labels recur.
@lru_cache(maxsize=4096)
def _timestamp(text: str, as_integer: bool, time_zone: str) -> int:
    # If dates are expected, four digits are a year, even before 1000 or after 2999.
    spelled = text if as_integer else re.sub(r"^\s*(\d{4})\s*$", r"\1-01", text)
    _, kind, timestamp, _ = parse_times(pl.Series([spelled]), as_integers=as_integer, time_zone=time_zone).row(0)
    if kind is None:
        raise InputError(f"The time {text!r} is not understood; expected {EXPECTED_TIMES}.")
    if as_integer != (kind == "integer"):
        found, expected = ("a date", "an integer") if as_integer else ("an integer", "a date")
        raise InputError(f"The time {text!r} is {found}, but {expected} is expected here.")
    return int(timestamp)


def _ordinals(timestamps: Integers, unit: Unit) -> Integers:
    """The number of whole units between 1970 and each timestamp."""
    if unit == "integer":
        return timestamps
    ordinals = timestamps.astype("datetime64[s]").astype(f"datetime64[{_NUMPY_UNITS[unit]}]").astype(np.int64)
    return (ordinals + _DAYS_FROM_MONDAY_TO_1970) // 7 if unit == "week" else ordinals


# Formatting one label costs as much as formatting thousands, and explanations repeat dates.
@lru_cache(maxsize=1 << 16)
def _label(ordinal: int, unit: Unit) -> str:
    return str(_labels(np.array([ordinal]), unit)[0])


def _labels(ordinals: Integers, unit: Unit) -> npt.NDArray[np.str_]:
    if unit == "integer":
        return ordinals.astype(np.str_)
    if unit == "week":
        ordinals = ordinals * 7 - _DAYS_FROM_MONDAY_TO_1970
    dates = ordinals.astype(f"datetime64[{_NUMPY_UNITS[unit]}]")
    if unit == "hour":
        dates = dates.astype("datetime64[m]")
    return np.char.replace(np.datetime_as_string(dates), "T", " ")
