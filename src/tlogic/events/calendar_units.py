"""Units of the calendar: each timestamp has a number (its ordinal) in a unit, and each number has a label.

Units are periods, such as months, or single dates, such as the last day of each month. A timestamp belongs to the
period that contains it. Between two dates, it belongs to the later one: a Saturday to Monday, if business days are
counted.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

Unit = Literal["integer", "second", "minute", "hour", "day", "business day", "week", "month", "year"]
Integers = npt.NDArray[np.int64]

LAST_DAY_OF_MONTH = 31
DAYS_PER_WEEK, BUSINESS_DAYS_PER_WEEK = 7, 5

_NUMPY_UNITS = {"second": "s", "minute": "m", "hour": "h", "day": "D", "month": "M", "year": "Y"}
# Weeks begin on Monday, but 1970 began on a Thursday.
_DAYS_FROM_MONDAY_TO_1970 = 3


def unit_ordinals(timestamps: Integers, unit: Unit, day: int | None = None) -> Integers:
    """The number of units between 1970 and each timestamp (seconds since 1970, or integers if that is the unit).

    Args:
        timestamps: The timestamps.
        unit: The unit.
        day: For dates instead of periods: the day of the week, from 1 for Monday, or of the month. A month with fewer
            days has its date on its last day.

    >>> saturday = np.array([2 * 86_400])
    >>> unit_ordinals(saturday, "business day") - unit_ordinals(saturday - 86_400, "business day")
    array([1])
    """
    if unit == "integer":
        return timestamps
    if unit in ("business day", "week"):
        days = days_from_monday(timestamps)
        return _business_days(days) if unit == "business day" else _weeks(days, day)
    if unit == "month" and day is not None:
        dates = timestamps.astype("datetime64[s]").astype("datetime64[D]")
        months = dates.astype("datetime64[M]")
        return months.astype(np.int64) + (dates > _dates_in(months, day))
    return timestamps.astype("datetime64[s]").astype(f"datetime64[{_NUMPY_UNITS[unit]}]").astype(np.int64)


def unit_labels(ordinals: Integers, unit: Unit, day: int | None = None) -> npt.NDArray[np.str_]:
    """The label of each unit: its first date or time, or its date if `day` is given.

    >>> unit_labels(np.array([1, 2]), "month").tolist(), unit_labels(np.array([1, 2]), "month", 31).tolist()
    (['1970-02', '1970-03'], ['1970-02-28', '1970-03-31'])
    """
    if unit == "integer":
        return ordinals.astype(np.str_)
    if unit == "business day":
        weeks, weekday = np.divmod(ordinals, BUSINESS_DAYS_PER_WEEK)
        dates = _dates_from_monday(weeks * DAYS_PER_WEEK + weekday)
    elif unit == "week":
        dates = _dates_from_monday(ordinals * DAYS_PER_WEEK + (day or 1) - 1)
    elif unit == "month" and day is not None:
        dates = _dates_in(ordinals.astype("datetime64[M]"), day)
    else:
        dates = ordinals.astype(f"datetime64[{_NUMPY_UNITS[unit]}]")
    if unit == "hour":
        dates = dates.astype("datetime64[m]")
    return np.char.replace(np.datetime_as_string(dates), "T", " ")


def days_from_monday(timestamps: Integers) -> Integers:
    """The number of days between each timestamp and the Monday of the week in which 1970 began."""
    return unit_ordinals(timestamps, "day") + _DAYS_FROM_MONDAY_TO_1970


def day_of_month(timestamps: Integers) -> int | None:
    """The day on which all timestamps lie in their months, or None; 31 if all lie on the last day.

    >>> day_of_month(np.array(["2014-01-31", "2014-02-28"], "datetime64[s]").astype(np.int64))
    31
    """
    dates = timestamps.astype("datetime64[s]").astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    latest = int((dates - months.astype("datetime64[D]")).astype(np.int64).max()) + 1
    return next((day for day in (LAST_DAY_OF_MONTH, latest) if (dates == _dates_in(months, day)).all()), None)


def _business_days(days: Integers) -> Integers:
    weeks, weekday = np.divmod(days, DAYS_PER_WEEK)
    return weeks * BUSINESS_DAYS_PER_WEEK + np.minimum(weekday, BUSINESS_DAYS_PER_WEEK)


def _weeks(days: Integers, day: int | None) -> Integers:
    return days // DAYS_PER_WEEK if day is None else -((day - 1 - days) // DAYS_PER_WEEK)


def _dates_from_monday(days: Integers) -> npt.NDArray[np.datetime64]:
    return (days - _DAYS_FROM_MONDAY_TO_1970).astype("datetime64[D]")


def _dates_in(months: npt.NDArray[np.datetime64], day: int) -> npt.NDArray[np.datetime64]:
    """The date in each month that is on a day of the month, or on the last day of a shorter month."""
    last = (months + 1).astype("datetime64[D]") - 1
    return np.minimum(months.astype("datetime64[D]") + (day - 1), last)
