"""Horizons: periods that users ask for, in time steps."""

import pytest

from tlogic.errors import InputError
from tlogic.events.timeline import Timeline
from tlogic.models.occurrence.horizons import parse_horizon

DAYS, HOURS, NUMBERS = Timeline("day", 1, "2014-08-09"), Timeline("hour", 6, "2014-08-09"), Timeline("integer", 24, "0")


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
        (NUMBERS, "7d", "the data has no dates"),
    ],
)
def test_an_invalid_period_is_an_error(timeline: Timeline, horizon: str | int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_horizon(timeline, horizon)
