"""Notebooks show graphs, rules, models, forecasts, explanations and evaluations as small, escaped HTML."""

from typing import Any

import polars as pl
import pytest

import tlogic
from tlogic.notebook import MAX_ROWS

NAME = "<b>Ann & Co</b>"
DAYS = 40


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """One object of each class, over facts whose names contain markup."""
    rows = [
        fact
        for day in range(1, DAYS)
        for fact in (
            (NAME, "calls", f"Bo {day % 3}", day),
            (f"Bo {day % 3}", "answers", NAME, day + 1),
            (f"Bo {day % 3}", "calls", f"Cy {day % 5}", day),
        )
    ]
    frame = pl.DataFrame(rows, schema=["subject", "relation", "object", "time"], orient="row")
    graph = tlogic.read(frame, valid_from=25, test_from=32)
    rules, model = tlogic.learn(graph, lengths=(1, 2)), tlogic.fit(graph)
    queries = [("Bo 1", "answers"), (NAME, "calls")] * MAX_ROWS
    forecast = tlogic.forecast(graph, rules, queries)
    return {
        "graph": graph,
        "rules": rules,
        "model": model,
        "forecast": forecast,
        "explanation by rules": forecast.explain(0, NAME),
        "explanation by a model": tlogic.forecast(graph, model, queries[:1]).explain(0, NAME),
        "evaluation": tlogic.evaluate(graph, rules),
    }


@pytest.mark.parametrize(
    "name",
    ["graph", "rules", "model", "forecast", "explanation by rules", "explanation by a model", "evaluation"],
)
def test_the_html_is_escaped_and_small(shown: dict[str, Any], name: str) -> None:
    html = shown[name]._repr_html_()
    assert html.startswith(("<table", "<pre"))
    assert "<b>" not in html
    assert html.count("<tr>") <= MAX_ROWS + 1
    assert len(html) < 20_000


@pytest.mark.parametrize("name", ["forecast", "explanation by rules", "explanation by a model"])
def test_the_html_shows_names(shown: dict[str, Any], name: str) -> None:
    assert "&lt;b&gt;Ann &amp; Co&lt;/b&gt;" in shown[name]._repr_html_()


def test_rules_show_the_relations_escaped() -> None:
    rule = tlogic.Rule("<i>sue", ("bid",), (0, 1), 3, 4)
    html = tlogic.RuleSet((rule,) * (MAX_ROWS + 5))._repr_html_()
    assert "&lt;i&gt;sue" in html
    assert "<td>3/4</td>" in html
    assert "and 5 more rules" in html


def test_rules_without_supports_are_shown() -> None:
    assert "unmeasured" in tlogic.RuleSet((tlogic.Rule("sue", ("bid",), (0, 1)),))._repr_html_()
