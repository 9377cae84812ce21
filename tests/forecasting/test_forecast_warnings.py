"""Forecasts by rules or models that do not fit the data cause warnings, in Python, commands and the service."""

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tlogic
from tests.cli.running import run
from tlogic.forecasting.forecast_warnings import forecast_warnings
from tlogic.graph import TemporalGraph

QUERY = [("p1", "calls")]


@cache
def calls(relation: str = "calls", prefix: str = "p") -> TemporalGraph:
    return tlogic.read(frame(relation, prefix), test_from="2030-02-20")


def frame(relation: str, prefix: str) -> pl.DataFrame:
    days = pl.date_range(pl.date(2030, 1, 1), pl.date(2030, 2, 28), eager=True)
    number = pl.int_range(len(days), eager=True)
    names = {
        "subject": prefix + (number % 5).cast(pl.String),
        "relation": pl.repeat(relation, len(days), eager=True),
        "object": prefix + ((number + 1) % 5).cast(pl.String),
    }
    return pl.DataFrame({**names, "date": days})


@cache
def model(relation: str = "calls", prefix: str = "p") -> tlogic.Model:
    return tlogic.fit(calls(relation, prefix), evidence=["recurrence"])


def warned(graph: TemporalGraph, forecaster: Any, at: str | None = None) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tlogic.forecast(graph, forecaster, [(*QUERY[0], None, at)])
    assert {each.category for each in caught} <= {tlogic.ForecastWarning}
    assert {each.filename for each in caught} <= {__file__}
    return [str(each.message) for each in caught]


def test_a_fitting_model_causes_no_warning() -> None:
    assert warned(calls(), model()) == []
    assert warned(calls(), tlogic.learn(calls()), "2030-02-25") == []


@pytest.mark.parametrize(
    ("relation", "prefix", "shares"),
    [("pays", "p", "100% of its entities and 0%"), ("calls", "q", "0% of its entities and 100%")],
)
def test_a_model_of_other_data(relation: str, prefix: str, shares: str) -> None:
    [warning] = warned(calls(), model(relation, prefix))
    assert warning == f"The model was fitted to other data: this data has {shares} of its relations."


def test_a_model_of_other_steps_or_later_facts() -> None:
    weekly = tlogic.read(frame("calls", "p"), step="1w")
    [step, _] = warned(weekly, model(), "2030-02-18")
    assert step == "The model was fitted with time steps of 1 day, but the data has steps of 1 week."
    [late] = warned(calls(), model(), "2030-02-01")
    assert late == "The model was fitted to facts up to 2030-02-19, so it may reflect facts from 2030-02-01 on."
    [late] = warned(calls(), tlogic.learn(calls()), "2030-02-01")
    assert late == "The rules were learned from facts up to 2030-02-19, so they may reflect facts from 2030-02-01 on."


def test_a_forecast_far_beyond_the_data_says_how_far() -> None:
    [far] = warned(calls(), model(), "2030-04-14")
    assert far == "The data ends on 2030-02-28, 45 days before 2030-04-14, the date asked about."
    assert warned(calls(), model(), "2030-03-05") == []


def test_figures_of_known_facts_are_too_good() -> None:
    known = tlogic.learn(tlogic.read(frame("calls", "p")))
    with pytest.warns(tlogic.ForecastWarning, match="which include test facts; the figures are too good"):
        tlogic.evaluate(calls(), known)


def test_names_that_arrive_later_end_the_warning() -> None:
    graph = tlogic.read(frame("calls", "p"))
    data = calls(prefix="q").describe()
    assert forecast_warnings(graph, "model", data, [graph.end])
    graph.entities.add([f"q{number}" for number in range(5)])
    assert forecast_warnings(graph, "model", data, [graph.end]) == []


def test_other_functions_warn_as_well() -> None:
    graph, other = calls(), model("pays")
    for call in (
        lambda: tlogic.outlook(graph, other),
        lambda: tlogic.watch(graph, other, [("p1", "calls", "p2")]),
        lambda: tlogic.surprises(graph, other, since="2030-02-25"),
        lambda: tlogic.backtest(graph, other, every=4),
        lambda: tlogic.evaluate(graph, other),
    ):
        with pytest.warns(tlogic.ForecastWarning, match="fitted to other data"):
            call()


def test_commands_print_warnings(tmp_path: Path) -> None:
    frame("calls", "p").write_csv(tmp_path / "calls.csv")
    model("pays").save(tmp_path / "pays.model")
    arguments = [tmp_path / "calls.csv", "--model", tmp_path / "pays.model", "--quiet", "--at", "2030-06-01"]
    for command in (["forecast", "--subject", "p1", "--relation", "calls"], ["outlook"]):
        done = run(*command, *arguments)
        assert done.returncode == 0, done.stderr
        assert "Warning: The model was fitted to other data: this data has 100% of its entities" in done.stderr
        assert "Warning: The data ends on 2030-02-28, 93 days before 2030-06-01" in done.stderr
        assert "ForecastWarning" not in done.stderr
