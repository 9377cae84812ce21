"""The length of a time step: given by the user, or found from the data."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import log

import numpy as np

from tlogic.errors import InputError
from tlogic.events.calendar_units import (
    BUSINESS_DAYS_PER_WEEK,
    DAYS_PER_WEEK,
    Integers,
    Unit,
    day_of_month,
    days_from_monday,
    unit_ordinals,
)
from tlogic.events.time_parsing import TimeKind
from tlogic.events.timeline import Timeline

_SUFFIXES: dict[str, tuple[Unit, int]] = {
    "": ("integer", 1),
    "s": ("second", 1),
    "m": ("minute", 1),
    "h": ("hour", 1),
    "d": ("day", 1),
    "bd": ("business day", 1),
    "w": ("week", 1),
    "mo": ("month", 1),
    "q": ("month", 3),
    "y": ("year", 1),
}
_CLOCK_UNITS: dict[Unit, int] = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}
_LARGER_UNITS: dict[Unit, tuple[Unit, int]] = {"week": ("day", DAYS_PER_WEEK), "year": ("month", 12)}
_NATURAL_MONTHS = (12, 3, 1)
_DAYS_PER_MONTH = 30
# A calendar is recognised if dates chosen at random would follow it in at most one of so many cases.
_MIN_ODDS = 300
# Without gaps, fewer dates are enough: three weeks, months or quarters, or two weeks of business days.
_MIN_DATES_IN_A_ROW, _MIN_BUSINESS_DAYS_IN_A_ROW = 3, 10


@dataclass(frozen=True)
class Step:
    """The length of a time step, such as 15 minutes; `day` is the day of the week or month, if steps are dates."""

    unit: Unit
    count: int
    day: int | None = None

    def is_as_long_as(self, other: "Step") -> bool:
        """Whether two steps have the same length.

        >>> Step("week", 2).is_as_long_as(Step("day", 14)), Step("month", 1).is_as_long_as(Step("day", 30))
        (True, False)
        """
        return self._length == other._length

    @property
    def _length(self) -> tuple[Unit, int]:
        unit, factor = _LARGER_UNITS.get(self.unit, (self.unit, 1))
        return unit, factor * self.count


def parse_step(step: str | int) -> Step:
    """Parse a time step such as "1d", "15m", "1q" (a quarter), "1bd" (a business day) or, for integers, "24".

    >>> parse_step("15m"), parse_step(24)
    (Step(unit='minute', count=15, day=None), Step(unit='integer', count=24, day=None))
    """
    found = re.fullmatch(r"([1-9]\d{0,17})\s*([a-z]*)", str(step).strip().lower())
    if not found or found[2] not in _SUFFIXES:
        raise InputError(
            f'The step {step!r} is not understood; expected a count and a unit such as "30s", "15m" (minutes), '
            '"1h", "1d", "1bd" (business days), "1w", "1mo", "1q" (quarters), "1y", or a number such as "24" for '
            "integer times."
        )
    unit, factor = _SUFFIXES[found[2]]
    return Step(unit, int(found[1]) * factor)


def find_step(kind: TimeKind, timestamps: Integers) -> Step:
    """Find the longest natural time step that fits all timestamps (sorted and distinct).

    >>> find_step("integer", np.array([0, 24, 72]))
    Step(unit='integer', count=24, day=None)
    >>> find_step("date", np.array(["2014-08-06", "2014-08-13", "2014-08-20"], "datetime64[s]").astype(np.int64))
    Step(unit='week', count=1, day=3)
    """
    if kind == "integer":
        return Step("integer", int(np.gcd.reduce(np.diff(timestamps))) or 1)
    if kind == "year":
        return Step("year", _common_count(unit_ordinals(timestamps, "year"), (1,)))
    if kind == "month":
        return _find_months(timestamps)
    if len(timestamps) > 1 and not (timestamps % _CLOCK_UNITS["day"]).any():
        return _find_months_on_a_day(timestamps) or _find_days(timestamps)
    return _find_clock_step(timestamps)


def build_timeline(kind: TimeKind, timestamps: Integers, given: Step | None, time_zone: str = "UTC") -> Timeline:
    """Build the timeline of timestamps (sorted and distinct); step 0 holds the earliest.

    Given steps begin at natural boundaries: at midnight, on Mondays, in January, at multiples of an integer step. If
    the data has steps of the given length, its own dates are kept.
    """
    if given is not None:
        _check_kind(kind, given)
    found = find_step(kind, timestamps)
    if given is None or (given.is_as_long_as(found) and found.day is not None):
        return Timeline(found.unit, found.count, _first_label(found, timestamps), time_zone, found.day)
    cuts = Timeline(given.unit, given.count, "0" if kind == "integer" else "2000")
    return Timeline(given.unit, given.count, cuts.label_of(int(cuts.steps_at(timestamps[:1])[0])), time_zone)


def continue_timeline(timeline: Timeline, kind: TimeKind, timestamps: Integers) -> Timeline:
    """The steps of a timeline, counted from the earliest of timestamps (sorted and distinct).

    >>> continue_timeline(Timeline("week", 1, "1970-01-01", day=4), "date", np.array([8 * 86_400])).origin
    '1970-01-15'
    """
    _check_kind(kind, Step(timeline.unit, timeline.count))
    return timeline.starting_at(int(timeline.steps_at(timestamps[:1])[0]))


def _check_kind(kind: TimeKind, step: Step) -> None:
    """Raise an error if a step does not suit the kind of times."""
    if step.unit == "integer" and kind != "integer":
        raise InputError(
            f'The times are calendar dates, so a step of {step.count} needs a unit, such as "{step.count}d".'
        )
    if step.unit != "integer" and kind == "integer":
        raise InputError(
            f"The times are integers, so the step must be a number such as 24, not {step.count} {step.unit}. "
            "If they are seconds since 1970, a day is 86400 and an hour 3600."
        )


def _first_label(found: Step, timestamps: Integers) -> str:
    units = Timeline(found.unit, 1, "0" if found.unit == "integer" else "2000", day=found.day)
    return units.label_of(int(units.steps_at(timestamps[:1])[0]))


def _find_months(timestamps: Integers) -> Step:
    count = _common_count(unit_ordinals(timestamps, "month"), _NATURAL_MONTHS)
    return Step("month", 12 if count % 12 and _all_begin_years(timestamps) else count)


def _find_months_on_a_day(timestamps: Integers) -> Step | None:
    """Months, quarters, years or a multiple, if all dates lie on the same day of the month."""
    day = day_of_month(timestamps)
    if day is None or (day != 1 and not _is_evident(_DAYS_PER_MONTH, len(timestamps))):
        return None
    return Step("month", _find_months(timestamps).count, day)


def _find_days(timestamps: Integers) -> Step:
    """Weeks on a day of the week, other multiples of a day, business days, or days."""
    days = days_from_monday(timestamps)
    common = int(np.gcd.reduce(np.diff(days)))
    if common % DAYS_PER_WEEK == 0:
        count = _common_count(days, (DAYS_PER_WEEK,))
        if count:
            return Step("week", count // DAYS_PER_WEEK, int(days[0]) % DAYS_PER_WEEK + 1)
    elif _is_evident(common, len(days)):
        return Step("day", common, 1)
    elif _are_business_days(timestamps):
        return Step("business day", 1)
    return Step("day", 1)


def _are_business_days(timestamps: Integers) -> bool:
    if (days_from_monday(timestamps) % DAYS_PER_WEEK >= BUSINESS_DAYS_PER_WEEK).any():
        return False
    has_gaps = (np.diff(unit_ordinals(timestamps, "business day")) > 1).any()
    in_a_row = not has_gaps and len(timestamps) >= _MIN_BUSINESS_DAYS_IN_A_ROW
    return in_a_row or _is_evident(DAYS_PER_WEEK / BUSINESS_DAYS_PER_WEEK, len(timestamps))


def _common_count(ordinals: Integers, natural: Iterable[int]) -> int:
    """The number of units per step: the greatest common divisor of the gaps if it is evident, or a natural count.

    0 if none is evident.
    """
    gaps = np.diff(ordinals)
    common = int(np.gcd.reduce(gaps))
    if len(ordinals) >= _MIN_DATES_IN_A_ROW and (gaps == common).all():
        return common
    counts = (common, *(count for count in natural if common % count == 0))
    return next((count for count in counts if count == 1 or _is_evident(count, len(ordinals))), 0)


def _is_evident(ratio: float, dates: int) -> bool:
    """Whether so many dates are unlikely to lie by chance where only one of `ratio` dates lies."""
    return ratio > 1 and (dates - 1) * log(ratio) >= log(_MIN_ODDS)


def _all_begin_years(timestamps: Integers) -> bool:
    exact = timestamps.astype("datetime64[s]")
    years = exact.astype("datetime64[Y]")
    return bool((years == exact).all() and years[0] != years[-1])


def _find_clock_step(timestamps: Integers) -> Step:
    # Including a whole day in the divisor makes steps begin at midnight.
    seconds = int(np.gcd.reduce(timestamps, initial=_CLOCK_UNITS["day"]))
    unit = next(unit for unit, length in _CLOCK_UNITS.items() if seconds % length == 0)
    # A single timestamp determines the unit, but not the number of units per step.
    return Step(unit, seconds // _CLOCK_UNITS[unit] if len(timestamps) > 1 else 1)
