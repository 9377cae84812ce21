"""Periods: one message for all that need facts before a period and in it."""

import pytest

import tlogic
from tlogic.graph import TemporalGraph
from tlogic.monitoring.period import ComparedPeriods, check_period


@pytest.mark.parametrize(("first", "end"), [(0, 150), (-3, 150), (150, 150), (400, 150)])
def test_a_period_needs_facts_before_and_in_it(days: TemporalGraph, first: int, end: int) -> None:
    with pytest.raises(tlogic.InputError, match="before and in the period; the facts are of 2030-01-01 to 2030-05-30"):
        check_period(days, first, end)
    check_period(days, 1, end)


def test_a_period_is_compared_with_up_to_four_times_as_long_before() -> None:
    assert ComparedPeriods.of(50, 60) == (10, 50, 60)
    assert ComparedPeriods.of(50, 60).lengths == (40, 10)
    assert ComparedPeriods.of(30, 60).lengths == (30, 30)
