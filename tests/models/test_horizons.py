"""Horizons: periods that users ask for, in time steps."""

import pytest

from tlogic.errors import InputError
from tlogic.events.timeline import Timeline
from tlogic.models.occurrence.horizons import fitted_horizons, parse_horizon

DAYS, HOURS, NUMBERS = Timeline("day", 1, "2014-08-09"), Timeline("hour", 6, "2014-08-09"), Timeline("integer", 24, "0")

WEEKS = Timeline("week", 1, "2014-08-06", day=3)
BUSINESS_DAYS = Timeline("business day", 1, "2014-08-06")
MONTHS, QUARTERS = Timeline("month", 1, "2014-08-31", day=31), Timeline("month", 3, "2014-09-30", day=31)


@pytest.mark.parametrize(
    ("timeline", "horizon", "steps"),
    [
        (WEEKS, "7d", 1),
        (WEEKS, "1mo", 4),
        (BUSINESS_DAYS, "1d", 1),
        (BUSINESS_DAYS, "7d", 5),
        (BUSINESS_DAYS, "30d", 21),
        (BUSINESS_DAYS, "3bd", 3),
        (DAYS, "5bd", 7),
        (MONTHS, "30d", 1),
        (MONTHS, "1y", 12),
        (QUARTERS, "1y", 4),
    ],
)
def test_periods_of_calendars(timeline: Timeline, horizon: str, steps: int) -> None:
    assert parse_horizon(timeline, horizon) == steps


def test_the_horizons_of_business_days() -> None:
    assert fitted_horizons(BUSINESS_DAYS) == (1, 5, 21)


@pytest.mark.parametrize(
    ("timeline", "horizon", "steps"), [(DAYS, 3, 3), (DAYS, "100000", 100_000), (HOURS, "2d", 8), (NUMBERS, "7", 7)]
)
def test_a_period_in_time_steps(timeline: Timeline, horizon: str | int, steps: int) -> None:
    assert parse_horizon(timeline, horizon) == steps


@pytest.mark.parametrize(
    ("timeline", "horizon", "message"),
    [
        (DAYS, 100_001, "more than 100,000 time steps"),
        (HOURS, "999999999999999999y", "more than 100,000 time steps"),
        (DAYS, "9" * 5000, "not understood"),
        (DAYS, "soon", "The horizon 'soon' is not understood"),
        (DAYS, 0, "not understood"),
        (HOURS, "7h", "no whole number of time steps"),
        (MONTHS, "7d", "shorter than one time step of 1 month"),
        (QUARTERS, "4mo", "no whole number of time steps of 1 quarter"),
        (NUMBERS, "7d", "the data has no dates"),
    ],
)
def test_an_invalid_period_is_an_error(timeline: Timeline, horizon: str | int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_horizon(timeline, horizon)
