"""Changes of rates, counted by hand."""

import polars as pl
import pytest

import tlogic
from tlogic.graph import TemporalGraph


def _graph() -> TemporalGraph:
    """Ann calls Bo every day; from day 40 on Cy, who was idle, calls Bo as well, twice a day with Di."""
    rows = [("Ann", "calls", "Bo", t) for t in range(50)]
    rows += [(name, "calls", "Bo", t) for t in range(40, 50) for name in ("Cy", "Di")]
    rows += [("Cy", "meets", "Di", 0)]
    return tlogic.read(pl.DataFrame(rows, ["subject", "relation", "object", "time"], orient="row"))


def test_rates_before_and_after() -> None:
    found = tlogic.changes(_graph(), since=40)
    assert found.before == ("0", "39")
    assert found.after == ("40", "49")
    rates = {(kind, name, other): (b, a) for kind, name, other, b, a, *_ in found.frame.rows()}
    assert rates["entity", "Bo", None] == (1.0, 3.0)
    assert rates["entity", "Cy", None] == (1 / 40, 1.0)
    assert rates["pair", "Ann", "Bo"] == (1.0, 1.0)
    assert rates["pair", "Bo", "Cy"] == (0.0, 1.0)
    assert rates["relation", "calls", None] == (1.0, 3.0)


def test_the_most_significant_come_first() -> None:
    found = tlogic.changes(_graph(), since=40, top=2).frame
    assert found.filter(kind="pair").select("name", "with").rows() == [("Bo", "Cy"), ("Bo", "Di")]
    assert found.filter(kind="pair")["factor"].to_list() == [None, None]
    significance = found.filter(kind="entity")["significance"].to_list()
    assert significance == sorted(significance, reverse=True)
    assert tlogic.changes(_graph(), since=1).frame.filter(name="meets")["significance"][0] < 0


def test_significance_is_that_of_two_poisson_rates() -> None:
    """10 events in 10 steps after none in 40: twice 10 log(10 / 2)."""
    row = tlogic.changes(_graph(), since=40).frame.filter(pl.col("name") == "Bo", pl.col("with") == "Cy")
    assert row["significance"][0] == pytest.approx((20 * 1.6094379) ** 0.5)


@pytest.mark.parametrize("since", [0, 50, -3])
def test_periods_without_a_before_or_an_after_are_refused(since: int) -> None:
    with pytest.raises(tlogic.InputError, match="facts before and in the period"):
        tlogic.changes(_graph(), since=since)
