"""Timeline: converts integer time steps to dates and back."""

import re
from calendar import day_name, month_name
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from tlogic.errors import InputError
from tlogic.events.calendar_units import (
    BUSINESS_DAYS_PER_WEEK,
    DAYS_PER_WEEK,
    LAST_DAY_OF_MONTH,
    Integers,
    Unit,
    unit_labels,
    unit_ordinals,
)
from tlogic.events.time_parsing import END_OF_QUERIES, EXPECTED_TIMES, check_time_zone, parse_times

Label = str | date | int

# Units whose number of events differs over a cycle, and the length of that cycle.
_CYCLES: dict[Unit, int] = {"hour": 24, "day": DAYS_PER_WEEK, "business day": BUSINESS_DAYS_PER_WEEK, "month": 12}
_DAYS_OF_UNITS: dict[Unit, int] = {"day": 1, "week": DAYS_PER_WEEK, "month": LAST_DAY_OF_MONTH}
"""The number of days from which the date of a step is chosen."""
_THURSDAY = 3  # 1970 began on one; weeks begin on Monday
_MONTHS_PER_QUARTER, _MONTHS_PER_YEAR = 3, 12


@dataclass(frozen=True)
class Timeline:
    """Time steps of equal length, counted from 0.

    Steps are periods, or single dates if `day` is given: every Wednesday, or the last day of every month. A time
    belongs to the period that contains it. A time between two dates belongs to the later one, as a weekend belongs to
    the business day after it.

    Attributes:
        unit: The unit of a step: "integer", "second", "minute", "hour", "day", "business day", "week", "month" or
            "year".
        count: The number of units per step.
        origin: The start of step 0.
        time_zone: The time zone of all dates. Date-times with other zones are converted to it.
        day: The day of each week (1 is Monday) or month (31 is the last day) that is the date of the step; 1 for
            steps of several days. None if steps are periods.

    Raises:
        InputError: If the unit, the count, the day or the time zone is not valid.

    Example:
        >>> days = Timeline("day", 1, "2014-08-09")
        >>> days.step_of("2014-08-11"), days.label_of(2)
        (2, '2014-08-11')
        >>> quarters = Timeline("minute", 15, "2014-08-09 13:00")
        >>> quarters.step_of("2014-08-09 13:59"), quarters.label_of(3)
        (3, '2014-08-09 13:45')
        >>> month_ends = Timeline("month", 1, "2014-01-31", day=31)
        >>> month_ends.step_of("2014-02-10"), month_ends.label_of(1)
        (1, '2014-02-28')
    """

    unit: Unit
    count: int
    origin: str
    time_zone: str = "UTC"
    day: int | None = None

    def __post_init__(self) -> None:
        check_time_zone(self.time_zone)
        if self.unit not in get_args(Unit):
            raise InputError(f"Unknown unit of time {self.unit!r}; expected one of {', '.join(get_args(Unit))}.")
        if not isinstance(self.count, int) or self.count < 1:
            raise InputError(f"The count of a time step must be 1 {self.unit} or more, not {self.count!r}.")
        self._check_day()
        # Normalise the origin, so that equal timelines compare equal.
        object.__setattr__(self, "origin", self.label_of(0))

    def _check_day(self) -> None:
        most = _DAYS_OF_UNITS.get(self.unit, 0)
        if self.day is not None and not (isinstance(self.day, int) and 1 <= self.day <= most):
            days = f"the day must be from 1 to {most}" if most else "there is no day"
            raise InputError(f"The day {self.day!r} of a time step is not valid; for the unit {self.unit!r} {days}.")

    @property
    def step_size(self) -> str:
        """The length of one time step, as text.

        >>> Timeline("minute", 15, "2014-08-09").step_size, Timeline("month", 3, "2014-03-31", day=31).step_size
        ('15 minutes', '1 quarter')
        """
        return str(self.count) if self.unit == "integer" else self.span_of(1)

    @property
    def description(self) -> str:
        """The length of one time step, and the dates of the steps if they are dates of a calendar.

        >>> Timeline("week", 1, "2014-08-06", day=3).description, Timeline("day", 1, "2014-08-06").description
        ('1 week, on Wednesdays', '1 day')
        >>> Timeline("month", 1, "2014-08", day=31).description, Timeline("month", 12, "2014-06-30", day=31).description
        ('1 month, on the last day of the month', '1 year, on 30 June')
        """
        return f"{self.step_size}, {self._dates}" if self._dates else self.step_size

    @property
    def _dates(self) -> str:
        if self.unit == "business day":
            return "Monday to Friday"
        if self.day is None or self.unit == "day":
            return ""
        if self.unit == "week":
            return f"on {day_name[self.day - 1]}s"
        if self.count % _MONTHS_PER_YEAR == 0:
            month, day = self.origin.split("-")[-2:]
            return f"on {int(day)} {month_name[int(month)]}"
        return f"on {'the last day' if self.day == LAST_DAY_OF_MONTH else f'day {self.day}'} of the month"

    @property
    def has_dates(self) -> bool:
        """Whether steps are dates of a calendar, such as Wednesdays or business days, and not periods.

        >>> Timeline("week", 1, "2014-08-06", day=3).has_dates, Timeline("week", 1, "2014-08-06").has_dates
        (True, False)
        """
        return self.day is not None or self.unit == "business day"

    def span_of(self, steps: int) -> str:
        """Return the length of a number of time steps, as text.

        >>> Timeline("minute", 15, "2014-08-09").span_of(3), Timeline("day", 1, "2014-08-09").span_of(1)
        ('45 minutes', '1 day')
        """
        unit, count = _spoken(self.unit, self.count)
        n = steps * count
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
        return _label(step * self.count + self._origin_ordinal, self.unit, self.day)

    def steps_at(self, timestamps: Integers) -> Integers:
        """The time steps of many timestamps: seconds since 1970, or integers if the unit is integer."""
        ordinals = unit_ordinals(timestamps, self.unit, self.day) - self._origin_ordinal
        return ordinals // self.count if self.day is None else -(-ordinals // self.count)

    def labels_of(self, steps: npt.ArrayLike) -> npt.NDArray[np.str_]:
        """The labels of many time steps.

        >>> Timeline("week", 1, "2014-08-04").labels_of([0, 1]).tolist()
        ['2014-08-04', '2014-08-11']
        """
        return unit_labels(np.asarray(steps, dtype=np.int64) * self.count + self._origin_ordinal, self.unit, self.day)

    def phase_of(self, step: int) -> int | None:
        """The position of a time step in the calendar: its day of the week, hour of the day or month of the year.

        >>> Timeline("day", 1, "2014-08-09").phase_of(2), Timeline("day", 2, "2014-08-09").phase_of(2)
        (0, None)
        """
        if self.count > 1 or self.unit not in _CYCLES:
            return None
        shift = _THURSDAY if self.unit == "day" else 0
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
        defaults = {"time_zone": "UTC", "day": None}
        return {name: value for name, value in asdict(self).items() if value != defaults.get(name, ...)}

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
        return int(unit_ordinals(np.array([self._timestamp_of(self.origin)]), self.unit, self.day)[0])

    def _timestamp_of(self, label: Label) -> int:
        text = label.isoformat() if isinstance(label, date) else str(label)
        return _timestamp(text, as_integer=self.unit == "integer", time_zone=self.time_zone)


# Parsing one label takes as long as parsing a thousand, and the same labels recur.
@lru_cache(maxsize=4096)
def _timestamp(text: str, as_integer: bool, time_zone: str) -> int:
    # If dates are expected, four digits are a year, even before 1000 or after 2999.
    spelled = text if as_integer else re.sub(r"^\s*(\d{4})\s*$", r"\1-01", text)
    parsed = parse_times(pl.Series([spelled]), as_integers=as_integer, time_zone=time_zone, end=END_OF_QUERIES)
    _, kind, timestamp, _ = parsed.row(0)
    if kind is None:
        raise InputError(f"The time {text!r} is not understood; expected {EXPECTED_TIMES}.")
    if as_integer != (kind == "integer"):
        found, expected = ("a date", "an integer") if as_integer else ("an integer", "a date")
        raise InputError(f"The time {text!r} is {found}, but {expected} is expected here.")
    return int(timestamp)


def _spoken(unit: Unit, count: int) -> tuple[str, int]:
    """The unit and count as people say them: 3 months are a quarter, 12 a year."""
    if unit == "integer":
        return "step", 1
    if unit == "month" and count == _MONTHS_PER_QUARTER:
        return "quarter", 1
    if unit == "month" and count % _MONTHS_PER_YEAR == 0:
        return "year", count // _MONTHS_PER_YEAR
    return unit, count


# Formatting one label costs as much as formatting thousands, and explanations repeat dates.
@lru_cache(maxsize=1 << 16)
def _label(ordinal: int, unit: Unit, day: int | None) -> str:
    return str(unit_labels(np.array([ordinal]), unit, day)[0])
