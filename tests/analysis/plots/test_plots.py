import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tlogic
from tlogic.analysis.plots import plot_degrees, plot_events, plot_recurrence, plot_rules
from tlogic.analysis.plots.time_axis import divide_time

Rule = tlogic.Rule
RULES = tlogic.RuleSet(
    (
        Rule("sue", ("bid_for^-1",), (0, 1), 127, 334),
        Rule("sue", ("fine", "warn"), (0, 1, 2), 0, 3),
        Rule("sue", ("fine",), (0, 1)),
    )
)
OF_GRAPHS = [plot_events, plot_degrees, plot_recurrence]

Plot = Callable[[Any, Path], None]


@pytest.fixture(scope="module")
def graph() -> tlogic.TemporalGraph:
    return tlogic.sample(days=60)


def graph_of(times: list[Any], **options: Any) -> tlogic.TemporalGraph:
    rows = [(f"e{i % 3}", "meet", f"e{i % 5}", time) for i, time in enumerate(times)]
    return tlogic.read(pl.DataFrame(rows, ["subject", "relation", "object", "time"], orient="row"), **options)


def words_of(svg: Path) -> str:
    """The text of a figure: matplotlib draws letters as paths and keeps the text in comments."""
    return "\n".join(re.findall(r"<!-- (.*?) -->", svg.read_text(encoding="utf-8"), re.DOTALL))


@pytest.mark.parametrize("plot", [*OF_GRAPHS, plot_rules])
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_plots_are_deterministic(
    graph: tlogic.TemporalGraph, plot: Plot, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib import rcParams

    source = RULES if plot is plot_rules else graph
    plot(source, tmp_path / f"one.{kind}")
    monkeypatch.setitem(rcParams, "font.size", 30)  # user settings are ignored
    plot(source, tmp_path / f"two.{kind}")
    content = (tmp_path / f"one.{kind}").read_bytes()
    assert content == (tmp_path / f"two.{kind}").read_bytes()
    assert content.startswith(b"\x89PNG" if kind == "png" else b"<?xml")


def test_plots_contain_titles_and_labels(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    plot_events(graph, picture)
    for name, split in (("training", "train"), ("validation", "valid"), ("test", "test")):
        assert f"{name}, {len(graph.split(split).time):,} facts" in words_of(picture)
    assert "facts per day" in words_of(picture)
    plot_recurrence(graph, picture)
    assert "the day before" in words_of(picture)
    plot_degrees(graph, picture)
    assert f"relations by facts ({len(graph.relations.base)})" in words_of(picture)
    plot_rules(RULES, picture)
    assert "1 unmeasured left out" in words_of(picture)
    assert "length 2: 1" in words_of(picture)


@pytest.mark.parametrize("plot", OF_GRAPHS)
@pytest.mark.parametrize(
    "times",
    [
        ["2030-01-01"],
        [5, 29, 53],
        ["1998", "1999", "2004"],
        ["2030-01", "2030-02", "2031-07"],
        ["2030-01-01 00:00:00", "2060-01-01 00:00:01"],
        ["2030-01-01 00:00", "2030-01-01 00:15", "2030-01-02 07:30"],
        ["0001-01-01", "2030-01-02", "9998-12-31"],
    ],
)
def test_any_timeline_can_be_plotted(plot: Plot, times: list[Any], tmp_path: Path) -> None:
    plot(graph_of(times), tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").exists()


def test_time_is_divided_into_whole_weeks_without_a_short_remainder() -> None:
    graph = graph_of([f"2030-01-{day:02}" for day in range(1, 31)])
    daily, weekly = divide_time(graph, 30), divide_time(graph, 10)
    assert daily.edges.tolist() == list(range(31))
    assert daily.sums().tolist() == [1] * 30
    assert weekly.length == 7
    assert weekly.edges.tolist() == [0, 7, 14, 21, 30]
    assert weekly.sums(graph.facts.time < 10).tolist() == [7, 3, 0, 0]


def test_intervals_contain_every_fact_once() -> None:
    graph = tlogic.sample(days=60)
    for max_intervals in range(1, 70):
        intervals = divide_time(graph, max_intervals)
        assert (np.diff(intervals.edges) > 0).all()
        assert np.array_equal(intervals.sums(), np.histogram(graph.facts.time, intervals.edges)[0])


def test_the_highest_bar_of_all_lengths_is_visible(tmp_path: Path) -> None:
    many = [Rule("sue", (f"r{i}", "warn"), (0, 1, 2), 1, 2) for i in range(2000)]
    plot_rules(tlogic.RuleSet((RULES[0], *many)), tmp_path / "rules.svg")
    upper_axis = words_of(tmp_path / "rules.svg").partition("support")[0]
    assert "1,000" in upper_axis


def test_rules_without_confidence_raise(tmp_path: Path) -> None:
    with pytest.raises(tlogic.InputError, match="tlogic measure"):
        plot_rules(tlogic.RuleSet(RULES.rules[2:]), tmp_path / "rules.svg")


def test_an_unknown_file_type_raises(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    with pytest.raises(tlogic.InputError, match=r"\.svg or \.png file, not 'events.pdf'"):
        plot_events(graph, tmp_path / "events.pdf")


def test_without_matplotlib_the_error_says_what_to_install(
    graph: tlogic.TemporalGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tlogic.InputError, match=r"pip install 'tlogic\[plots\]'"):
        plot_events(graph, tmp_path / "events.svg")


def test_a_failed_plot_leaves_no_file(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    with pytest.raises(tlogic.InputError, match="Cannot write"):
        plot_events(graph, tmp_path / "no" / "such" / "events.svg")
    assert not list(tmp_path.iterdir())
