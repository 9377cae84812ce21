import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tlogic
from tlogic.analysis import trials, tuning
from tlogic.analysis.importance import importance, levels
from tlogic.analysis.tuning import Tuning, tune
from tlogic.analysis.tuning_grid import PAPER_GRID
from tlogic.analysis.tuning_report import report_tuning

SMALL: dict[str, Sequence[Any]] = {
    "alpha": [0.0, 0.5, 1.0],
    "decay": [0.1, 0.5],
    "window": [20, None],
    "lengths": [(1,), (1, 2)],
    "walks": [5, 10],
}


@pytest.fixture(scope="module")
def graph() -> tlogic.TemporalGraph:
    return tlogic.sample(days=60)


@pytest.fixture(scope="module")
def found(graph: tlogic.TemporalGraph, tmp_path_factory: pytest.TempPathFactory) -> Tuning:
    """The small grid, measured."""
    return tune(graph, tmp_path_factory.mktemp("tuning"), grid=SMALL)


class Counter:
    """Counts what is learned and measured; an interrupt can come with the evaluation of a number."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.learned = self.passes = self.measured = 0
        self.interrupt_at = 0
        learn, evaluate, evaluate_many = trials.learn, trials.evaluate, trials.evaluate_many

        def counting_learn(*arguments: Any, **options: Any) -> Any:
            self.learned += 1
            return learn(*arguments, **options)

        def counting_one(graph: Any, rules: Any, settings: Any, **options: Any) -> Any:
            self._count(1)
            return evaluate(graph, rules, settings, **options)

        def counting_many(graph: Any, rules: Any, settings: Any, **options: Any) -> Any:
            self._count(len(settings))
            return evaluate_many(graph, rules, settings, **options)

        patch.setattr(trials, "learn", counting_learn)
        patch.setattr(trials, "evaluate", counting_one)
        patch.setattr(trials, "evaluate_many", counting_many)

    def _count(self, n: int) -> None:
        self.passes += 1
        if self.passes == self.interrupt_at:
            raise KeyboardInterrupt
        self.measured += n


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Counter:
    return Counter(monkeypatch)


def test_a_grid_gives_what_each_setting_gives_alone(graph: tlogic.TemporalGraph, found: Tuning) -> None:
    assert len(found.tried) == 48
    rules = {walks: tlogic.learn(graph, walks=walks, lengths=(1, 2)) for walks in SMALL["walks"]}
    alone = []
    for tried in found.tried:
        settings: dict[str, Any] = dict(tried.settings)
        window = None if settings["window"] == "all" else settings["window"]
        alone.append(
            tlogic.evaluate(
                graph,
                rules[settings["walks"]],
                split="valid",
                lengths=tuple(map(int, str(settings["lengths"]).split(","))),
                window=window,
                alpha=settings["alpha"],
                decay=settings["lambda"],
            ).to_dict()["realistic"]
        )
    assert [tried.figures for tried in found.tried] == alone
    assert found.best is found.tried[int(np.argmax([figures["mrr"] for figures in alone]))]
    assert len({tuple(tried.settings.values()) for tried in found.tried}) == 48


def test_stages_are_shared(graph: tlogic.TemporalGraph, tmp_path: Path, count: Counter) -> None:
    tune(graph, tmp_path, grid=SMALL)
    assert (count.learned, count.passes) == (2, 2)
    assert count.measured == 40, "where alpha is 1, both lambdas are the same trial"
    other = tune(graph, tmp_path, grid=SMALL, ties="optimistic")
    assert (count.learned, count.passes) == (2, 2)
    assert other.ties == "optimistic"
    more = tune(graph, tmp_path, grid=SMALL | {"decay": [0.1, 0.2, 0.5]})
    assert (count.learned, count.measured, len(more.tried)) == (4, 56, 72)


def test_a_grid_that_was_stopped_goes_on(
    graph: tlogic.TemporalGraph, found: Tuning, tmp_path: Path, count: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "_IN_ONE_PASS", 8)
    count.interrupt_at = 4
    with pytest.raises(KeyboardInterrupt):
        tune(graph, tmp_path, grid=SMALL)
    kept = count.measured
    assert 0 < kept < 40
    assert tune(graph, tmp_path, grid=SMALL) == found
    assert count.measured == 40


def test_a_search_is_the_same_however_it_was_stopped(
    graph: tlogic.TemporalGraph, tmp_path: Path, count: Counter
) -> None:
    whole = tune(graph, tmp_path / "whole", trials=24)
    assert count.measured == 24
    assert count.learned <= 12
    again = tune(graph, tmp_path / "whole", trials=24)
    assert again == whole
    assert count.measured == 24, "nothing is measured again"

    count.interrupt_at = count.passes + 5
    with pytest.raises(KeyboardInterrupt):
        tune(graph, tmp_path / "parts", trials=24)
    some = tune(graph, tmp_path / "parts", trials=13)
    assert some.tried == whole.tried[:13]
    assert tune(graph, tmp_path / "parts", trials=24) == whole
    assert count.measured == 48


def test_a_search_begins_with_the_defaults_and_never_ends_below(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    searched = tune(graph, tmp_path, trials=12)
    assert searched.searched
    assert searched.defaults is searched.tried[0]
    alone = tlogic.evaluate(graph, tlogic.learn(graph), split="valid").to_dict()
    assert searched.tried[0].figures == alone["realistic"]
    assert searched.best.figures["mrr"] >= alone["realistic"]["mrr"]
    assert [each.figures["mrr"] for each in searched.top(12)] == sorted(searched.frame["mrr"], reverse=True)
    other = tune(graph, tmp_path, trials=12, seed=5)
    assert other.tried[0].trial.learning.seed == 5
    assert [each.settings for each in other.tried] != [each.settings for each in searched.tried]


def test_the_papers_grid() -> None:
    trials = tuning._grid(PAPER_GRID, seed=12)
    assert len(trials) == len(set(trials)) == 9600
    changes = [first.learning != second.learning for first, second in pairwise(trials)]
    assert sum(changes) == 9, "ten rule sets, each in one row"


def test_importance_singles_out_what_alone_matters() -> None:
    draws = np.random.default_rng(0)
    trials: list[dict[str, Any]] = [
        {"alpha": draws.random(), "k": int(draws.integers(5, 50)), "window": str(draws.choice(["all", "some"]))}
        for _ in range(60)
    ]
    shares = importance(trials, [(trial["alpha"] - 0.5) ** 2 for trial in trials])
    assert next(iter(shares)) == "alpha"
    assert shares["alpha"] > 0.95
    assert sum(shares.values()) == pytest.approx(1)


def test_importance_does_not_praise_good_company() -> None:
    """Most trials with the better alpha have the larger k as well, but alpha alone matters."""
    trials = [{"alpha": alpha, "k": k} for alpha, k in [(0.0, 10)] * 9 + [(0.0, 20), (1.0, 10)] + [(1.0, 20)] * 9]
    assert importance(trials, [trial["alpha"] for trial in trials])["alpha"] > 0.9


def test_importance_of_nothing_is_none(found: Tuning) -> None:
    assert importance([{"alpha": 0.1, "k": 3}] * 2, [0.5, 0.5]) == {"alpha": 0.0, "k": 0.0}
    assert sum(found.importance.values()) == pytest.approx(1)
    assert found.importance["k"] == found.importance["transition"] == 0, "they were the same in all trials"


def test_levels_cover_all_values() -> None:
    values = [*range(100), "all"]
    names, of = levels(values)
    assert names == ("0 to 24", "25 to 49", "50 to 74", "75 to 99", "all")
    assert np.bincount(of).tolist() == [25, 25, 25, 25, 1]


def test_a_report_is_written_and_the_same_twice(found: Tuning, tmp_path: Path) -> None:
    pages = [report_tuning(found, tmp_path / name, "my data") for name in ("one", "two")]
    for path in (tmp_path / "one").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
    text = pages[0].with_suffix(".md").read_text("utf-8")
    assert "# Settings, tuned" in text
    assert "'my data'" in text
    assert f"{found.best.figures['mrr']:.4f}" in text
    table = pl.read_csv(tmp_path / "one" / "trials.csv")
    assert table["mrr"].to_list() == [tried.figures["mrr"] for tried in found.tried]
    assert {path.stem for path in (tmp_path / "one" / "figures").glob("*.svg")} == {
        f"mrr-by-{name}" for name, share in found.importance.items() if share
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": "paper", "trials": 3}, "both a grid and a number of trials"),
        ({"trials": 0}, "trials must be 1 or more"),
        ({"grid": {"walk": [3]}}, "Unknown parameter 'walk'"),
        ({"grid": {"walks": []}}, "no values for walks"),
        ({"grid": {"alpha": [2.0]}}, "alpha must lie between 0 and 1"),
        ({"ties": "pessimistic"}, "ties must be realistic or optimistic"),
    ],
)
def test_settings_that_cannot_be(
    graph: tlogic.TemporalGraph, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(tlogic.SettingsError, match=message):
        tune(graph, tmp_path, **options)


def test_without_validation_facts(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    with pytest.raises(tlogic.InputError, match="no validation facts"):
        tune(graph.train, tmp_path, trials=1)


def test_without_optuna(graph: tlogic.TemporalGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(tlogic.InputError, match=r"needs Optuna: pip install 'tlogic\[tune\]'"):
        tune(graph, tmp_path, trials=1)
    assert len(tune(graph, tmp_path, grid={"walks": [5]}).tried) == 1, "a grid needs none"
