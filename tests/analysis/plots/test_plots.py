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
from tlogic.analysis.plots.time_axis import cut_time

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
    """What is written in a picture: matplotlib keeps texts in comments, and draws the letters."""
    return "\n".join(re.findall(r"<!-- (.*?) -->", svg.read_text(encoding="utf-8"), re.DOTALL))


@pytest.mark.parametrize("plot", [*OF_GRAPHS, plot_rules])
@pytest.mark.parametrize("kind", ["svg", "png"])
def test_plots_are_drawn_and_the_same_twice(
    graph: tlogic.TemporalGraph, plot: Plot, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib import rcParams

    source = RULES if plot is plot_rules else graph
    plot(source, tmp_path / f"one.{kind}")
    monkeypatch.setitem(rcParams, "font.size", 30)  # a setting of the user's
    plot(source, tmp_path / f"two.{kind}")
    content = (tmp_path / f"one.{kind}").read_bytes()
    assert content == (tmp_path / f"two.{kind}").read_bytes()
    assert content.startswith(b"\x89PNG" if kind == "png" else b"<?xml")


def test_plots_say_what_they_show(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
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
        ["0001-01-01", "2030-01-02", "9999-12-31"],
    ],
)
def test_any_line_of_time_is_drawn(plot: Plot, times: list[Any], tmp_path: Path) -> None:
    plot(graph_of(times), tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").exists()


def test_time_is_cut_into_whole_weeks_without_small_rests() -> None:
    graph = graph_of([f"2030-01-{day:02}" for day in range(1, 31)])
    daily, weekly = cut_time(graph, 30), cut_time(graph, 10)
    assert daily.edges.tolist() == list(range(31))
    assert daily.sums().tolist() == [1] * 30
    assert weekly.size == 7
    assert weekly.edges.tolist() == [0, 7, 14, 21, 30]
    assert weekly.sums(graph.facts.time < 10).tolist() == [7, 3, 0, 0]


def test_parts_hold_every_fact_once() -> None:
    graph = tlogic.sample(days=60)
    for at_most in range(1, 70):
        spans = cut_time(graph, at_most)
        assert (np.diff(spans.edges) > 0).all()
        assert np.array_equal(spans.sums(), np.histogram(graph.facts.time, spans.edges)[0])


def test_the_highest_bar_of_all_lengths_is_whole(tmp_path: Path) -> None:
    many = [Rule("sue", (f"r{i}", "warn"), (0, 1, 2), 1, 2) for i in range(2000)]
    plot_rules(tlogic.RuleSet((RULES[0], *many)), tmp_path / "rules.svg")
    upper_axis = words_of(tmp_path / "rules.svg").partition("support")[0]
    assert "1,000" in upper_axis


def test_unmeasured_rules_alone_are_refused(tmp_path: Path) -> None:
    with pytest.raises(tlogic.InputError, match="tlogic measure"):
        plot_rules(tlogic.RuleSet(RULES.rules[2:]), tmp_path / "rules.svg")


def test_a_plot_needs_a_known_kind(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    with pytest.raises(tlogic.InputError, match=r"\.svg or \.png file, not 'events.pdf'"):
        plot_events(graph, tmp_path / "events.pdf")


def test_without_matplotlib_it_is_said_how_to_get_it(
    graph: tlogic.TemporalGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tlogic.InputError, match=r"pip install 'tlogic\[plots\]'"):
        plot_events(graph, tmp_path / "events.svg")


def test_a_picture_that_fails_leaves_no_file(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    with pytest.raises(tlogic.InputError, match="Cannot write"):
        plot_events(graph, tmp_path / "no" / "such" / "events.svg")
    assert not list(tmp_path.iterdir())
