"""Changes of rates, counted by hand, and of probabilities, multiplied by hand."""

import numpy as np
import polars as pl
import pytest

import tlogic
from tlogic.graph import TemporalGraph
from tlogic.models import Model
from tlogic.monitoring import Changes

EVENT = ["subject", "relation", "object"]
SINCE = "2030-05-16"


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


@pytest.fixture(scope="module")
def likely(days: TemporalGraph, judge: Model) -> Changes:
    """All changes, with probabilities."""
    return tlogic.changes(days, judge, since=SINCE, horizon=2, top=10**6)


def test_probabilities_are_those_of_the_outlooks(days: TemporalGraph, judge: Model, likely: Changes) -> None:
    """One minus the product of the probabilities that the events of an outlook do not happen."""
    times = (SINCE, None)
    outlooks = [tlogic.outlook(days, judge, at=at, horizon=2, top=10**6).frame for at in times]
    chosen = likely.frame.filter(pl.col("probability_after").is_between(0.2, 0.9)).group_by("kind").head(2)
    assert set(chosen["kind"]) == {"entity", "pair", "relation"}
    for row in chosen.iter_rows(named=True):
        for name, outlook in zip(("probability_before", "probability_after"), outlooks, strict=True):
            own = outlook.filter(_belongs(row))["probability"].to_numpy()
            assert row[name] == pytest.approx(1 - np.prod(1 - own))


def test_later_facts_do_not_change_the_probability_before(days: TemporalGraph, judge: Model, likely: Changes) -> None:
    """Whatever happens after the date, that it happens, and with whom, was not known before it."""
    until = days.timeline.step_of(SINCE) + 5
    shorter = tlogic.changes(days.before(until), judge, since=SINCE, horizon=2, top=10**6).frame
    both = likely.frame.join(shorter, on=["kind", "name", "with"], nulls_equal=True)
    assert len(both) > 100
    assert both["probability_before"].to_list() == pytest.approx(both["probability_before_right"].to_list())


def _belongs(row: dict[str, str]) -> pl.Expr:
    """Whether a triple belongs to the entity, pair or relation of a change."""
    subject, relation, object_ = map(pl.col, EVENT)
    if row["kind"] == "relation":
        return relation == row["name"]
    if row["kind"] == "entity":
        return (subject == row["name"]) | (object_ == row["name"])
    one, other = row["name"], row["with"]
    return ((subject == one) & (object_ == other)) | ((subject == other) & (object_ == one))


def test_groups_without_a_foreseen_event_have_no_probability(likely: Changes) -> None:
    for column in ("probability_before", "probability_after"):
        assert likely.frame[column].null_count() > 0
        assert (likely.frame[column].drop_nulls() > 0.0).all()


def test_the_first_by_rate_or_by_probability_come_first(days: TemporalGraph, judge: Model, likely: Changes) -> None:
    found = tlogic.changes(days, judge, since=SINCE, horizon=2, top=6)
    movement = (pl.col("probability_after").fill_null(0) - pl.col("probability_before").fill_null(0)).abs()
    for kind in ("entity", "pair", "relation"):
        own, every = found.frame.filter(kind=kind), likely.frame.filter(kind=kind)
        assert own.equals(every.head(6))
        for size in (pl.col("significance").abs(), movement):
            first = every.sort(size, descending=True).head(3).select("name", "with").rows()
            assert set(first) <= set(own.select("name", "with").rows())
    rates = tlogic.changes(days, since=SINCE, top=10**6)
    assert (rates.horizon, likely.horizon) == (None, 2)
    assert rates.frame["probability_after"].null_count() == rates.frame.height
    columns = ["kind", "name", "with", "before", "after", "significance"]
    both = rates.frame.select(columns).sort(columns), likely.frame.select(columns).sort(columns)
    assert both[0].join(both[1], on=columns, how="anti", nulls_equal=True).is_empty()


def test_a_horizon_needs_a_model(days: TemporalGraph) -> None:
    with pytest.raises(tlogic.SettingsError, match="needs a model"):
        tlogic.changes(days, since=SINCE, horizon="7d")


def test_a_model_of_later_facts_and_bad_horizons_are_reported(days: TemporalGraph, judge: Model) -> None:
    with pytest.warns(tlogic.ForecastWarning, match="may reflect facts from 2030-05-01 on"):
        tlogic.changes(days, judge, since="2030-05-01", top=1)
    with pytest.raises(tlogic.InputError, match="not understood"):
        tlogic.changes(days, judge, since=SINCE, horizon="soon")


@pytest.mark.parametrize("since", [0, 50, -3])
def test_periods_without_a_before_or_an_after_are_refused(since: int) -> None:
    with pytest.raises(tlogic.InputError, match="facts before and in the period"):
        tlogic.changes(_graph(), since=since)
