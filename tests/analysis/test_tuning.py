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
    """The results of the small grid."""
    return tune(graph, tmp_path_factory.mktemp("tuning"), grid=SMALL)


class Counter:
    """Counts learned rule sets and evaluated trials; can raise an interrupt at a given pass."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.learned = self.passes = self.evaluated = 0
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
        self.evaluated += n


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Counter:
    return Counter(monkeypatch)


def test_a_grid_equals_separate_evaluations(graph: tlogic.TemporalGraph, found: Tuning) -> None:
    assert len(found.trials) == 48
    rules = {walks: tlogic.learn(graph, walks=walks, lengths=(1, 2)) for walks in SMALL["walks"]}
    alone = []
    for result in found.trials:
        settings: dict[str, Any] = dict(result.settings)
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
    assert [result.metrics for result in found.trials] == alone
    assert found.best is found.trials[int(np.argmax([metrics["mrr"] for metrics in alone]))]
    assert len({tuple(result.settings.values()) for result in found.trials}) == 48


def test_trials_share_rules_and_passes(graph: tlogic.TemporalGraph, tmp_path: Path, count: Counter) -> None:
    tune(graph, tmp_path, grid=SMALL)
    assert (count.learned, count.passes) == (2, 2)
    assert count.evaluated == 40, "lambda has no effect at alpha 1"
    other = tune(graph, tmp_path, grid=SMALL, ties="optimistic")
    assert (count.learned, count.passes) == (2, 2)
    assert other.ties == "optimistic"
    more = tune(graph, tmp_path, grid=SMALL | {"decay": [0.1, 0.2, 0.5]})
    assert (count.learned, count.evaluated, len(more.trials)) == (4, 56, 72)


def test_an_interrupted_grid_resumes(
    graph: tlogic.TemporalGraph, found: Tuning, tmp_path: Path, count: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "_MAX_TRIALS_PER_PASS", 8)
    count.interrupt_at = 4
    with pytest.raises(KeyboardInterrupt):
        tune(graph, tmp_path, grid=SMALL)
    kept = count.evaluated
    assert 0 < kept < 40
    assert tune(graph, tmp_path, grid=SMALL) == found
    assert count.evaluated == 40


def test_an_interrupted_search_gives_the_same_result(
    graph: tlogic.TemporalGraph, tmp_path: Path, count: Counter
) -> None:
    whole = tune(graph, tmp_path / "whole", trials=24)
    assert count.evaluated == 24
    assert count.learned <= 12
    again = tune(graph, tmp_path / "whole", trials=24)
    assert again == whole
    assert count.evaluated == 24, "nothing is evaluated again"

    count.interrupt_at = count.passes + 5
    with pytest.raises(KeyboardInterrupt):
        tune(graph, tmp_path / "parts", trials=24)
    some = tune(graph, tmp_path / "parts", trials=13)
    assert some.trials == whole.trials[:13]
    assert tune(graph, tmp_path / "parts", trials=24) == whole
    assert count.evaluated == 48


def test_a_search_starts_with_the_defaults_and_is_never_worse(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    searched = tune(graph, tmp_path, trials=12)
    assert searched.is_search
    assert searched.defaults is searched.trials[0]
    alone = tlogic.evaluate(graph, tlogic.learn(graph), split="valid").to_dict()
    assert searched.trials[0].metrics == alone["realistic"]
    assert searched.best.metrics["mrr"] >= alone["realistic"]["mrr"]
    assert [each.metrics["mrr"] for each in searched.top(12)] == sorted(searched.frame["mrr"], reverse=True)
    other = tune(graph, tmp_path, trials=12, seed=5)
    assert other.trials[0].trial.learning.seed == 5
    assert [each.settings for each in other.trials] != [each.settings for each in searched.trials]


def test_the_papers_grid() -> None:
    trials = tuning._grid_trials(PAPER_GRID, seed=12)
    assert len(trials) == len(set(trials)) == 9600
    changes = [first.learning != second.learning for first, second in pairwise(trials)]
    assert sum(changes) == 9, "ten rule sets, each in one run"


def test_importance_finds_the_only_parameter_with_an_effect() -> None:
    draws = np.random.default_rng(0)
    trials: list[dict[str, Any]] = [
        {"alpha": draws.random(), "k": int(draws.integers(5, 50)), "window": str(draws.choice(["all", "some"]))}
        for _ in range(60)
    ]
    shares = importance(trials, [(trial["alpha"] - 0.5) ** 2 for trial in trials])
    assert next(iter(shares)) == "alpha"
    assert shares["alpha"] > 0.95
    assert sum(shares.values()) == pytest.approx(1)


def test_importance_is_not_confounded_by_correlated_parameters() -> None:
    """Most trials with the better alpha also have the larger k, but only alpha has an effect."""
    trials = [{"alpha": alpha, "k": k} for alpha, k in [(0.0, 10)] * 9 + [(0.0, 20), (1.0, 10)] + [(1.0, 20)] * 9]
    assert importance(trials, [trial["alpha"] for trial in trials])["alpha"] > 0.9


def test_importance_without_differences_is_zero(found: Tuning) -> None:
    assert importance([{"alpha": 0.1, "k": 3}] * 2, [0.5, 0.5]) == {"alpha": 0.0, "k": 0.0}
    assert sum(found.importance.values()) == pytest.approx(1)
    assert found.importance["k"] == found.importance["transition"] == 0, "they did not vary"


def test_levels_cover_all_values() -> None:
    values = [*range(100), "all"]
    names, of = levels(values)
    assert names == ("0 to 24", "25 to 49", "50 to 74", "75 to 99", "all")
    assert np.bincount(of).tolist() == [25, 25, 25, 25, 1]


def test_reports_are_deterministic(found: Tuning, tmp_path: Path) -> None:
    pages = [report_tuning(found, tmp_path / name, "my data") for name in ("one", "two")]
    for path in (tmp_path / "one").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
    text = pages[0].with_suffix(".md").read_text("utf-8")
    assert "# Tuning report" in text
    assert "'my data'" in text
    assert f"{found.best.metrics['mrr']:.4f}" in text
    table = pl.read_csv(tmp_path / "one" / "trials.csv")
    assert table["mrr"].to_list() == [result.metrics["mrr"] for result in found.trials]
    assert {path.stem for path in (tmp_path / "one" / "figures").glob("*.svg")} == {
        f"mrr-by-{name}" for name, share in found.importance.items() if share
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": "paper", "trials": 3}, "Both grid and trials are given"),
        ({"trials": 0}, "trials must be 1 or more"),
        ({"grid": {"walk": [3]}}, "Unknown parameter 'walk'"),
        ({"grid": {"walks": []}}, "no values for walks"),
        ({"grid": {"alpha": [2.0]}}, "alpha must lie between 0 and 1"),
        ({"ties": "pessimistic"}, "ties must be realistic or optimistic"),
    ],
)
def test_invalid_settings_raise(
    graph: tlogic.TemporalGraph, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(tlogic.SettingsError, match=message):
        tune(graph, tmp_path, **options)


def test_a_graph_without_validation_facts_raises(graph: tlogic.TemporalGraph, tmp_path: Path) -> None:
    with pytest.raises(tlogic.InputError, match="no validation facts"):
        tune(graph.train, tmp_path, trials=1)


def test_without_optuna_the_error_says_what_to_install(
    graph: tlogic.TemporalGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(tlogic.InputError, match=r"needs Optuna: pip install 'tlogic\[tune\]'"):
        tune(graph, tmp_path, trials=1)
    assert len(tune(graph, tmp_path, grid={"walks": [5]}).trials) == 1, "a grid does not need Optuna"
