"""Steps and labels are two views of one line of time."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tlogic.errors import InputError
from tlogic.events import Timeline
from tlogic.events.timeline import Unit

ORIGINS: dict[Unit, str] = {
    "integer": "-7",
    "second": "2014-08-09 13:00:05",
    "minute": "2014-08-09 13:05",
    "hour": "2014-08-09 13:00",
    "day": "2014-08-09",
    "week": "2014-08-04",
    "month": "2014-08",
    "year": "2014",
}
timelines = st.builds(
    lambda unit, count: Timeline(unit, count, ORIGINS[unit]),
    st.sampled_from(sorted(ORIGINS)),
    st.integers(1, 40),
)
CALENDARS = [
    Timeline("business day", 1, "2014-08-08"),
    Timeline("week", 2, "2014-08-06", day=3),
    Timeline("month", 1, "2014-01-31", day=31),
    Timeline("month", 3, "2014-01-30", day=30),
    Timeline("month", 12, "2014-06-15", day=15),
    Timeline("day", 10, "2014-08-06", day=1),
]
timelines |= st.sampled_from(CALENDARS)


@settings(deadline=None)
@given(timelines, st.integers(-40, 160))
def test_a_label_leads_back_to_its_step(timeline: Timeline, step: int) -> None:
    assert timeline.step_of(timeline.label_of(step)) == step


@settings(deadline=None)
@given(timelines)
def test_step_0_is_the_origin(timeline: Timeline) -> None:
    expected = timeline.origin if timeline.has_dates else ORIGINS[timeline.unit]
    assert timeline.label_of(0) == timeline.origin == expected


@settings(deadline=None)
@given(timelines)
def test_a_dict_holds_the_whole_timeline(timeline: Timeline) -> None:
    for each in (timeline, replace(timeline, time_zone="Asia/Tokyo")):
        assert Timeline.from_dict(each.to_dict()) == each


@settings(deadline=None)
@given(st.integers(1, 90), st.datetimes(datetime(1000, 1, 1), datetime(2999, 1, 1)))
def test_a_time_lies_in_its_step(minutes: int, time: datetime) -> None:
    timeline = Timeline("minute", minutes, "2014-08-09 13:05")
    start = datetime.fromisoformat(timeline.label_of(timeline.step_of(time)))
    assert start <= time < start + timedelta(minutes=minutes)


@settings(deadline=None)
@given(timelines, st.lists(st.integers(-100, 100), min_size=1))
def test_many_labels_are_the_single_ones(timeline: Timeline, steps: list[int]) -> None:
    assert timeline.labels_of(steps).tolist() == [timeline.label_of(step) for step in steps]


@settings(deadline=None)
@given(st.sampled_from(CALENDARS), st.dates(date(1000, 1, 1), date(2999, 1, 1)))
def test_a_date_between_two_dates_belongs_to_the_later_one(timeline: Timeline, day: date) -> None:
    step = timeline.step_of(day)
    assert timeline.label_of(step - 1) < day.isoformat() <= timeline.label_of(step)
    assert timeline.step_of(datetime(day.year, day.month, day.day, 23, 59)) == step


def test_business_days_have_a_day_of_the_week() -> None:
    days = Timeline("business day", 1, "2014-08-08")
    assert [days.label_of(step) for step in range(-1, 3)] == ["2014-08-07", "2014-08-08", "2014-08-11", "2014-08-12"]
    assert [days.phase_of(step) for step in range(-1, 3)] == [3, 4, 0, 1]


@pytest.mark.parametrize(
    ("label", "step"),
    [
        ("2014-08-11", 2),
        ("20140811", 2),
        (20140811, 2),
        (np.int64(20140811), 2),
        (" 2014-08-11 ", 2),
        (date(2014, 8, 11), 2),
        (datetime(2014, 8, 11, 23, 59), 2),
        (datetime(2014, 8, 11, 1, tzinfo=timezone(timedelta(hours=2))), 1),
        ("2014-08-11T01:00:00+02:00", 1),
        ("2014-08-11 01:00+0200", 1),
        ("2014-08-10 22:30-01:30", 2),
        ("2014-08-10T23:00:00.999Z", 1),
        (datetime(2014, 8, 11, tzinfo=UTC), 2),
        ("2014-09", 23),
        ("2015", 145),
        (2015, 145),
        ("2014-08-01", -8),
    ],
)
def test_labels_are_read_in_many_forms(label: str | date | int, step: int) -> None:
    assert Timeline("day", 1, "2014-08-09").step_of(label) == step


@pytest.mark.parametrize(("label", "step"), [(0, 0), ("23", 0), (24, 1), (-1, -1), ("2014", 83)])
def test_integers_are_floored_into_their_step(label: int | str, step: int) -> None:
    assert Timeline("integer", 24, "0").step_of(label) == step


def test_labels_with_zones_are_those_of_the_clock() -> None:
    days = Timeline("day", 1, "2014-08-09", "Europe/Berlin")
    tokyo = datetime(2014, 8, 11, 7, tzinfo=timezone(timedelta(hours=9)))
    labels: list[str | date] = [
        "2014-08-11T00:00+02:00",
        "2014-08-10T22:00Z",
        tokyo,
        "2014-08-11",
        datetime(2014, 8, 11),
    ]
    assert {days.step_of(label) for label in labels} == {2}


def test_weeks_begin_on_monday() -> None:
    weeks = Timeline("week", 1, "2014-08-06")
    assert weeks.origin == "2014-08-04"
    assert [weeks.step_of(day) for day in ("2014-08-03", "2014-08-04", "2014-08-10", "2014-08-11")] == [
        -1,
        0,
        0,
        1,
    ]


@pytest.mark.parametrize(
    "label", ["soon", "", "2014-13-01", "2014-02-30", "09/08/2014", "2014-08-09 25:00", "1" * 19, "99", None]
)
def test_other_labels_are_refused(label: str) -> None:
    with pytest.raises(InputError, match=r"is not understood; expected|but a date is expected"):
        Timeline("day", 1, "2014-08-09").step_of(label)


def test_a_date_is_no_integer() -> None:
    with pytest.raises(InputError, match="'2014-08-09' is a date, but an integer is expected here"):
        Timeline("integer", 1, "0").step_of("2014-08-09")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"unit": "fortnight", "count": 1, "origin": "2014"}, "Unknown unit of time 'fortnight'"),
        ({"unit": "day", "count": 0, "origin": "2014"}, "must be 1 day or more, not 0"),
        ({"unit": "week", "count": 1, "origin": "2014", "day": 8}, "unit 'week' the day must be from 1 to 7"),
        ({"unit": "hour", "count": 1, "origin": "2014", "day": 1}, "unit 'hour' there is no day"),
        ({"unit": "day", "count": 1}, "with unit, count and origin"),
        ({"unit": "day", "count": 1, "origin": "never"}, "'never' is not understood"),
        ({"unit": "day", "count": 1, "origin": "2014", "time_zone": "Mars"}, "Unknown time zone 'Mars'"),
    ],
)
def test_a_wrong_dict_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Timeline.from_dict(values)


def test_equal_timelines_are_equal() -> None:
    assert Timeline("day", 1, "20140809") == Timeline("day", 1, "2014-08-09 13:00")
    assert hash(Timeline("year", 1, "2014-08")) == hash(Timeline("year", 1, "2014"))


@pytest.mark.parametrize(
    ("timeline", "words"),
    [
        (Timeline("day", 1, "2014"), "1 day"),
        (Timeline("hour", 6, "2014"), "6 hours"),
        (Timeline("integer", 24, "0"), "24"),
    ],
)
def test_the_length_of_a_step_in_words(timeline: Timeline, words: str) -> None:
    assert timeline.step_size == words


def test_the_step_after_the_last_date_of_facts_is_read() -> None:
    days = Timeline("day", 1, "2014-08-09")
    last = days.step_of("9998-12-31")
    assert days.label_of(last + 1) == "9999-01-01"
    assert days.step_of("9999-01-01") == last + 1
