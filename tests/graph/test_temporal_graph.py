"""TemporalGraph: how notebooks show it."""

import polars as pl

import tlogic


def test_a_notebook_shows_the_periods_of_a_graph() -> None:
    html = tlogic.sample()._repr_html_()
    assert "<caption>TemporalGraph: 11,751 facts, 55 entities, 22 relations</caption>" in html
    for cell in ("training", "9,392", "validation", "1,239", "test", "1,120", "2031-02-09", "2031-03-26"):
        assert f">{cell}</td>" in html


def test_a_notebook_shows_only_periods_with_facts() -> None:
    calls = {"subject": ["Ann", "Bo"], "relation": ["calls"] * 2, "object": ["Bo", "Ann"], "time": [2030, 2031]}
    html = tlogic.read(pl.DataFrame(calls))._repr_html_()
    assert ">training</td>" in html
    assert ">validation</td>" not in html
    assert ">test</td>" not in html


def test_a_notebook_shows_the_training_part() -> None:
    assert ">9,392</td>" in tlogic.sample().train._repr_html_()
