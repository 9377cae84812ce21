"""Experiments with learned models: their metrics equal those of `fit` and `evaluate`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import tlogic
from tests.cli.running import assert_refused, run
from tests.datasets import Datasets
from tlogic.analysis.reports.section import PUBLISHED, REALISTIC, Section
from tlogic.evidence.registry import DEFAULT_FAMILIES
from tlogic.graph import TemporalGraph
from tlogic.reproduction.ablation import ablation, pair_tables
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.model_comparison import models, other_split
from tlogic.reproduction.model_process import measure, measure_in_process
from tlogic.reproduction.model_trials import ModelTrial, model_commands
from tlogic.reproduction.other_methods import FOOTNOTES, OTHER_SPLIT_DATES
from tlogic.reproduction.paper_report import is_available
from tlogic.reproduction.reliability_table import reliability
from tlogic.reproduction.scorecard_variants import Variant, evaluate_variants, fit_variants

DAYS = 60

Measure = Callable[[ModelTrial], dict[str, Any]]


@pytest.fixture(scope="module")
def graph() -> TemporalGraph:
    return tlogic.sample(days=DAYS)


@pytest.fixture(scope="module")
def scorecards(graph: TemporalGraph) -> Measure:
    """Measures each scorecard once for all tests; boosted trees are slow, and tested with the models."""
    return cache(partial(measure, graph))


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch, scorecards: Measure) -> list[ModelTrial]:
    """The trials that are measured; in this process, to save time."""
    seen: list[ModelTrial] = []

    def here(_: Any, trial: ModelTrial, __: int | None) -> dict[str, Any]:
        seen.append(trial)
        return scorecards(replace(trial, model="scorecard"))

    monkeypatch.setattr("tlogic.reproduction.experiment_runner.measure_in_process", here)
    return seen


def test_a_child_process_measures_the_same_as_this_process(scorecards: Measure, tmp_path: Path) -> None:
    from tlogic.events.sample.simulation import write_sample

    write_sample(tmp_path, days=DAYS)
    trial = ModelTrial("icews14", train_on="train")
    here, in_process = scorecards(trial), measure_in_process(tmp_path, trial)
    for split in ("valid", "test"):
        for name in ("queries", "realistic", "optimistic", "reliability"):
            assert in_process[split][name] == here[split][name]
    assert in_process["fit_seconds"] > 0
    assert in_process["peak_mb"] > 10
    with pytest.raises(tlogic.TLogicError, match="nowhere"):
        measure_in_process(tmp_path / "nowhere", trial)


def test_models_are_compared_with_rules(graph: TemporalGraph, tmp_path: Path, measured: list[ModelTrial]) -> None:
    runner = ExperimentRunner(tmp_path, {"icews14": graph}, model_data=["icews14"])
    section = models(runner)
    assert [row.label[1:] for row in section.rows] == [
        ("rules, as in the paper", "train"),
        ("scorecard", "train+valid"),
        ("scorecard", "train"),
        ("scorecard, names", "train+valid"),
        ("boosted", "train+valid"),
        ("boosted, names", "train+valid"),
    ]
    assert len(measured) == 5
    strict = tlogic.evaluate(graph, tlogic.fit(graph, train_on="train")).to_dict()["realistic"]
    assert strict.items() <= section.rows[2].values[REALISTIC].items()
    assert section.rows[2].values[REALISTIC]["peak MB"] is not None
    assert reliability(runner).rows  # from the same models
    assert models(ExperimentRunner(tmp_path, {"icews14": graph})) == section
    assert len(measured) == 5


def test_models_can_be_selected(graph: TemporalGraph, tmp_path: Path, measured: list[ModelTrial]) -> None:
    runner = ExperimentRunner(tmp_path, {"icews14": graph}, kinds=["scorecard"])
    rows = other_split(runner).rows
    assert [row.label[1:] for row in rows] == [
        ("rules, as in the paper", "train"),
        ("rules, as in the paper", "train+valid"),
        ("scorecard", "train"),
        ("scorecard", "train+valid"),
        ("scorecard, names", "train"),
        ("scorecard, names", "train+valid"),
    ]
    assert len(measured) == 4
    assert not models(ExperimentRunner(tmp_path, {"icews14": graph}, model_data=["wiki"])).rows


def test_reliability_is_reported_by_bins(graph: TemporalGraph, scorecards: Measure, tmp_path: Path) -> None:
    section = reliability(ExperimentRunner(tmp_path, {"icews14": graph}, kinds=["scorecard"]))
    assert [row.label[2:] for row in section.rows] == [
        ("train+valid", "test"),
        ("train", "valid"),
        ("train", "test"),
        ("train+valid", "test"),
    ]
    metrics = scorecards(ModelTrial("icews14"))["test"]["reliability"]
    first = section.rows[0].values["ours"]
    assert first["error"] == metrics["error"]
    assert first["error, by answers"] == metrics["error_by_answers"]
    [group] = [each for each in metrics["by_expected_answers"] if each["answers"] >= 100]
    assert first["largest in a group"] == group["error_by_answers"]
    assert first["candidates"] == sum(each["candidates"] for each in metrics["bins"])
    [chart] = section.charts
    assert len(chart.x) == 20
    assert [len(line) for line in chart.lines.values()] == [20] * 3


def test_published_results_are_listed_for_known_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = {"realistic": {"mrr": 0.5}, "seconds": {"apply": 1.0}}
    asked: list[ModelTrial] = []

    def no_models(_: ExperimentRunner, trials: Sequence[ModelTrial]) -> list[dict[str, Any]]:
        asked.extend(trials)
        return [{"fit_seconds": 1.0, "peak_mb": None, "test": metrics} for _ in trials]

    monkeypatch.setattr(ExperimentRunner, "evaluate_models", no_models)
    monkeypatch.setattr("tlogic.reproduction.model_comparison._rule_rows", lambda *_: [])
    section = other_split(ExperimentRunner(tmp_path))
    published = [(row.label[:2], row.values[PUBLISHED]) for row in section.rows if PUBLISHED in row.values]
    counted = {data: values["mrr"] for (data, method), values in published if method == "CountTRuCoLa (rules)"}
    assert counted == {"icews14": 0.4499, "icews18": 0.328}
    assert all(values["ties"] and values["source"] for _, values in published)
    leaking = [letter for letter, text in FOOTNOTES.items() if "get_sample_from_history_graph3" in text]
    assert {data for (data, method), _ in published if method == f"LogCL (neural) [{leaking[0]}]"} == {
        "icews14",
        "icews18",
        "icews0515",
    }
    assert {f"[{letter}] {text}" for letter, text in FOOTNOTES.items()} <= set(section.remarks)
    assert {trial.data: (trial.valid_from, trial.test_from) for trial in asked} == {
        name: dates or (None, None) for name, dates in OTHER_SPLIT_DATES.items()
    }
    assert {trial.data for trial in asked if trial.names} == {"icews14", "icews18", "icews0515"}


def test_rules_are_learned_before_the_test_of_the_other_split(graph: TemporalGraph, tmp_path: Path) -> None:
    runner = ExperimentRunner(tmp_path, {"icews14": graph}, kinds=["scorecard"])
    by_training = {row.label[2]: row for row in other_split(runner).rows if row.label[1].startswith("rules")}
    rules = tlogic.learn(graph)
    assert tlogic.evaluate(graph, rules).to_dict()["realistic"].items() <= (
        by_training["train"].values[REALISTIC].items()
    )
    cut = graph.timeline.label_of(graph.test_from)
    assert f"tlogic learn icews14 --test-from {cut} " in by_training["train+valid"].command
    assert by_training["train"].values != by_training["train+valid"].values


@pytest.mark.parametrize(
    ("name", "sizes"), [("icews14", [74_845, 8_514, 7_371]), ("icews0515", [368_868, 46_302, 46_159])]
)
def test_the_other_split_is_that_of_other_papers(dataset: Datasets, name: str, sizes: list[int]) -> None:
    cut = OTHER_SPLIT_DATES[name]
    assert cut is not None
    graph = tlogic.read(dataset(name), valid_from=cut[0], test_from=cut[1])
    assert [len(graph.split(name).time) for name in ("train", "valid", "test")] == sizes


def test_commands_have_the_options_of_the_trial() -> None:
    trial = ModelTrial("icews14", train_on="train", valid_from="2014-11-01", test_from="2014-12-01")
    assert model_commands(trial, "valid") == (
        "tlogic fit icews14 --valid-from 2014-11-01 --test-from 2014-12-01 --out icews14.model --train-on train && "
        "tlogic evaluate icews14 --valid-from 2014-11-01 --test-from 2014-12-01 --model icews14.model --split valid"
    )


def test_scorecard_variants_equal_fitted_models(graph: TemporalGraph) -> None:
    some = [DEFAULT_FAMILIES, ("recurrence", "rules")]
    variants = fit_variants(graph, [Variant(families) for families in some])
    for split in ("valid", "test"):
        for families, found in zip(some, evaluate_variants(graph, variants, split), strict=True):
            model = tlogic.fit(graph, evidence=families, train_on="train")
            assert found == tlogic.evaluate(graph, model, split=split).to_dict()["realistic"]


@pytest.fixture(scope="module")
def left_out(graph: TemporalGraph, tmp_path_factory: pytest.TempPathFactory) -> Section:
    return ablation(ExperimentRunner(tmp_path_factory.mktemp("ablation"), {"icews14": graph}))


def test_families_are_left_out_and_built_up(left_out: Section) -> None:
    labels = [row.label for row in left_out.rows]
    assert labels[0] == ("all", "")
    assert [name for kind, name in labels if kind == "left out"] == list(DEFAULT_FAMILIES)
    built_up = [name.removeprefix("+ ") for kind, name in labels if kind == "built up"]
    assert sorted(built_up) == sorted(DEFAULT_FAMILIES)
    assert left_out.rows[-1].values == left_out.rows[0].values
    whole, *others = (row.values[REALISTIC] for row in left_out.rows)
    assert whole["valid, change"] == "+0.0000"
    assert any(values["valid mrr"] != whole["valid mrr"] for values in others)


def test_pair_tables_are_added(graph: TemporalGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tlogic.reproduction.ablation._MAX_TABLES", (0, 2))
    section = pair_tables(ExperimentRunner(tmp_path, {"icews14": graph}))
    without, some = section.rows
    assert (without.label, some.label) == (("0",), ("2",))
    assert without.values[REALISTIC]["valid mrr"] != some.values[REALISTIC]["valid mrr"]
    [tables] = fit_variants(graph, [Variant(max_tables=2)]).pairs
    assert len(tables.column) == 2
    [chart] = section.charts
    assert chart.lines["test"] == tuple(row.values[REALISTIC]["test mrr"] for row in section.rows)


def test_unavailable_datasets_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLOGIC_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert is_available("icews18")
    assert not is_available("yago")
    (tmp_path / "yago").mkdir()
    (tmp_path / "yago" / "train.txt").touch()
    assert is_available("yago")


def test_unknown_models_and_datasets_raise(tmp_path: Path) -> None:
    assert_refused(run("reproduce", "--out", tmp_path, "--model", "boost"), "did you mean 'boosted'")
    assert_refused(run("reproduce", "--out", tmp_path, "--model-data", "yagos"), "did you mean 'yago'")
