"""The step of time is found from the data, or given."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from math import gcd

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tlogic.errors import InputError
from tlogic.events import EventTable, Timeline, read_events

BUSINESS_DAYS = "1 business day, Monday to Friday"


def read_times(times: Sequence[object], step: str | int | None = None) -> EventTable:
    names = {role: ["x"] * len(times) for role in ("subject", "relation", "object")}
    return read_events(pl.DataFrame({**names, "time": times}), step=step)


def steps(table: EventTable) -> list[int]:
    return table.frame["step"].to_list()


@pytest.mark.parametrize(
    ("times", "timeline", "expected"),
    [
        ([0, 24, 72], Timeline("integer", 24, "0"), [0, 1, 3]),
        (["0", "24", "72"], Timeline("integer", 24, "0"), [0, 1, 3]),
        ([5, 9, 7], Timeline("integer", 2, "5"), [0, 2, 1]),
        ([7, 7], Timeline("integer", 1, "7"), [0, 0]),
        ([188, 0, 3], Timeline("integer", 1, "0"), [188, 0, 3]),
        ([999, 1000, 1001], Timeline("integer", 1, "999"), [0, 1, 2]),
        ([2999, 3001], Timeline("integer", 2, "2999"), [0, 1]),
        ([1999, 2014], Timeline("year", 1, "1999"), [0, 15]),
        (["1999", "2014"], Timeline("year", 1, "1999"), [0, 15]),
        (["2014"], Timeline("year", 1, "2014"), [0]),
        (["2014-01-01", "2016-01-01"], Timeline("month", 12, "2014-01-01", day=1), [0, 2]),
        (["2014-01-01", "2014-01-01"], Timeline("day", 1, "2014-01-01"), [0, 0]),
        (["2014-01", "2014-11"], Timeline("month", 1, "2014-01"), [0, 10]),
        (["2014-05"], Timeline("month", 1, "2014-05"), [0]),
        (["2014-05-01", "2014-04-01"], Timeline("month", 1, "2014-04-01", day=1), [1, 0]),
        (["2014-05-01", "2014-05-01"], Timeline("day", 1, "2014-05-01"), [0, 0]),
        (["2014-05-01", "2014-05-03"], Timeline("day", 1, "2014-05-01"), [0, 2]),
        (["20140501", "20140503"], Timeline("day", 1, "2014-05-01"), [0, 2]),
        ([20140501, 20140503], Timeline("day", 1, "2014-05-01"), [0, 2]),
        ([20140501120000, 20140501121500], Timeline("minute", 15, "2014-05-01 12:00"), [0, 1]),
        (["2014-05-01", "2014-05-02 18:00"], Timeline("hour", 6, "2014-05-01 00:00"), [0, 7]),
        (["2014-05-01 00:15", "2014-05-01 01:15"], Timeline("minute", 15, "2014-05-01 00:15"), [0, 4]),
        (["2014-05-01 13:15"], Timeline("minute", 1, "2014-05-01 13:15"), [0]),
        (["2014-05-01 13:00"], Timeline("hour", 1, "2014-05-01 13:00"), [0]),
        (["2014-05-01T13:00:30Z", "2014-05-01T15:00+02"], Timeline("second", 30, "2014-05-01 13:00"), [1, 0]),
    ],
)
def test_the_step_is_found(times: list[object], timeline: Timeline, expected: list[int]) -> None:
    table = read_times(times)
    assert (table.timeline, steps(table)) == (timeline, expected)
    assert not table.report.step_given


@pytest.mark.parametrize(
    ("times", "step", "next_date"),
    [
        (["2014-08-06", "2014-08-13", "2014-08-20"], "1 week, on Wednesdays", "2014-08-27"),
        (["2014-08-06", "2014-08-20", "2014-09-03"], "2 weeks, on Wednesdays", "2014-09-17"),
        (["2014-08-10", "2014-08-24", "2014-08-31", "2014-10-05"], "1 week, on Sundays", "2014-10-12"),
        (["2014-01-31", "2014-02-28", "2014-03-31"], "1 month, on the last day of the month", "2014-04-30"),
        (["2014-01-30", "2014-02-28", "2014-03-30"], "1 month, on day 30 of the month", "2014-04-30"),
        (["2014-01-15", "2014-02-15", "2014-12-15"], "1 month, on day 15 of the month", "2015-01-15"),
        (["2014-03-31", "2014-06-30", "2014-09-30"], "1 quarter, on the last day of the month", "2014-12-31"),
        (["2014-01", "2014-04", "2014-07"], "1 quarter", "2014-10"),
        (["2012-12-31", "2013-12-31", "2014-12-31"], "1 year, on 31 December", "2015-12-31"),
        (["2010-01-01", "2011-01-01", "2014-01-01"], "1 year, on 1 January", "2015-01-01"),
        (["1990", "2000", "2010"], "10 years", "2020"),
        ([f"2014-08-{day:02}" for day in range(1, 31, 3)], "3 days", "2014-08-31"),
        ([f"2014-08-{day:02}" for day in (*range(4, 9), *range(11, 16))], BUSINESS_DAYS, "2014-08-18"),
        (["2014-08-06", "2014-08-13"], "1 day", "2014-08-14"),
        ([f"2014-08-{day:02}" for day in range(4, 9)], "1 day", "2014-08-09"),
        ([f"2014-08-{day:02}" for day in (1, 3, 5)], "1 day", "2014-08-06"),
    ],
)
def test_calendars_are_recognised(times: list[str], step: str, next_date: str) -> None:
    table = read_times(list(reversed(times)))
    found = steps(table)
    assert (table.timeline.description, table.report.step_size) == (step, step)
    assert table.timeline.labels_of(found).tolist() == list(reversed(times))
    assert table.timeline.label_of(max(found) + 1) == next_date


def test_business_days_with_holidays() -> None:
    days = [date(2014, 8, 4) + timedelta(days) for days in range(40)]
    workdays = [day for day in days if day.weekday() < 5 and day != date(2014, 9, 1)]
    table = read_times(workdays)
    assert table.timeline == Timeline("business day", 1, "2014-08-04")
    assert steps(table) == [step for step in range(30) if step != 20]
    assert table.timeline.label_of(20) == "2014-09-01"
    with_a_weekend = read_times([*workdays, date(2014, 8, 9)])
    assert with_a_weekend.timeline == Timeline("day", 1, "2014-08-04")


@pytest.mark.parametrize(
    ("step", "origin"), [("1w", "2014-08-06"), ("7d", "2014-08-06"), ("2w", "2014-08-04"), ("1d", "2014-08-06")]
)
def test_a_given_step_of_the_found_length_keeps_the_dates(step: str, origin: str) -> None:
    assert read_times(["2014-08-06", "2014-08-13", "2014-08-20"], step).timeline.origin == origin


@settings(deadline=None)
@given(
    st.dates(date(1600, 1, 1), date(2400, 1, 1)),
    st.sampled_from([1, 2, 7, 14]),
    st.lists(st.integers(0, 60), min_size=1, unique=True),
)
def test_dates_are_kept_whatever_step_is_found(first: date, gap: int, numbers: list[int]) -> None:
    times = [(first + timedelta(gap * number)).isoformat() for number in numbers]
    table = read_times(times)
    assert table.timeline.labels_of(steps(table)).tolist() == times


def test_daily_data_has_steps_of_a_day() -> None:
    days = [(date(2014, 8, 4) + timedelta(days)).isoformat() for days in range(0, 60)]
    assert read_times(days).timeline == Timeline("day", 1, "2014-08-04")


@pytest.mark.parametrize(
    ("times", "step", "timeline", "expected"),
    [
        ([5, 29, 53, 54], "24", Timeline("integer", 24, "0"), [0, 1, 2, 2]),
        ([2010, 2014], 2, Timeline("integer", 2, "2010"), [0, 2]),
        (["2014-08-06", "2014-08-11"], "1w", Timeline("week", 1, "2014-08-04"), [0, 1]),
        (["2014-08-06", "2014-10-11"], "1mo", Timeline("month", 1, "2014-08"), [0, 2]),
        (["2014-08-06", "2014-10-11"], "3mo", Timeline("month", 3, "2014-07"), [0, 1]),
        (["2014-08-06", "2014-10-11"], "1q", Timeline("month", 3, "2014-07"), [0, 1]),
        (["2014-08-08", "2014-08-09", "2014-08-11"], "1bd", Timeline("business day", 1, "2014-08-08"), [0, 1, 1]),
        (["1999", "2014"], "10y", Timeline("year", 10, "1990"), [0, 2]),
        (["1999", "2000"], "1d", Timeline("day", 1, "1999-01-01"), [0, 365]),
        (["2014-08-06 13:07", "2014-08-06 14:59"], "15m", Timeline("minute", 15, "2014-08-06 13:00"), [0, 7]),
        (["2014-08-06 13:07", "2014-08-07 01:00"], "1 d", Timeline("day", 1, "2014-08-06"), [0, 1]),
        (["2014-05-01 00:00:31", "2014-05-01"], "30s", Timeline("second", 30, "2014-05-01"), [1, 0]),
    ],
)
def test_events_are_floored_into_a_given_step(
    times: list[object], step: str, timeline: Timeline, expected: list[int]
) -> None:
    table = read_times(times, step)
    assert (table.timeline, steps(table)) == (timeline, expected)
    assert table.report.step_given


@settings(deadline=None)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, unique=True), st.integers(1, 1000))
def test_the_step_of_integers_is_the_gcd_of_their_differences(numbers: list[int], scale: int) -> None:
    times = [-number * scale for number in numbers]
    table = read_times([*times, 5 * 10**9])
    times.append(5 * 10**9)
    count = gcd(*(time - times[0] for time in times))
    assert table.timeline == Timeline("integer", count, str(min(times)))
    assert steps(table) == [(time - min(times)) // count for time in times]


@settings(deadline=None)
@given(st.lists(st.datetimes(), min_size=1), st.sampled_from(["45s", "15m", "7h", "1d", "2w", "5mo", "1y"]))
def test_given_steps_keep_order_and_begin_at_0(times: list[datetime], step: str) -> None:
    table = read_times(times, step)
    found = steps(table)
    assert min(found) == 0
    assert found == [table.timeline.step_of(time) for time in times]
    assert [step for _, step in sorted(zip(times, found, strict=True))] == sorted(found)


@pytest.mark.parametrize("step", ["", "d", "0d", "-1d", "1.5h", "1 fortnight", "1M0"])
def test_a_step_that_is_none_is_refused(step: str) -> None:
    with pytest.raises(InputError, match="is not understood; expected a count and a unit"):
        read_times(["2014-08-06"], step)


def test_the_given_step_must_suit_the_times() -> None:
    with pytest.raises(InputError, match="The times are integers, so the step must be a number such as 24, not 1 day"):
        read_times([0, 24], "1d")
    with pytest.raises(InputError, match='calendar dates, so a step of 24 needs a unit, such as "24d"'):
        read_times(["2014-08-06"], "24")


def test_one_mistyped_compact_date_does_not_make_integers_of_all() -> None:
    with pytest.raises(InputError, match="the time '20141301' is an integer, but most times are dates"):
        read_times(["20140101", "20140102", "20141301"])
