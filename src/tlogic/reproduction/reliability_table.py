"""Reliability of the probabilities of learned models."""

from typing import Any

from tlogic.analysis.reports.section import OURS, Chart, Row, Section, Value
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.model_comparison import selected_models
from tlogic.reproduction.model_trials import ModelTrial, model_commands

_N_BINS = 20
_MIN_ANSWERS = 100  # of a group of queries whose error is compared with those of others


def reliability(runner: ExperimentRunner) -> Section:
    """One row per model and split, and one diagram per model that is evaluated on both splits."""
    rows, charts = [], []
    trials = [trial for some in selected_models(runner).values() for trial in some]
    for trial, metrics in zip(trials, runner.evaluate_models(trials), strict=True):
        for split in trial.splits:
            label = trial.data, trial.label, trial.train_on, split
            rows.append(Row(label, {OURS: _errors(metrics[split])}, model_commands(trial, split)))
        if len(trial.splits) > 1:
            charts.append(_diagram(trial, metrics))
    return Section(
        "reliability",
        "Reliability of probabilities",
        "Of the candidates with a predicted probability of 30%, 30% should be true. The error is the mean absolute "
        "difference between predicted probability and share of true candidates over 20 bins, weighted by the "
        "candidates in each bin (expected calibration error). Most candidates are improbable and false, so a second "
        "error takes ten bins with about as many true candidates each and weights them by these. The third is the "
        "largest such error among the groups of queries with at most 1, up to 2, up to 5 and more expected answers, if "
        "they have 100 answers or more.",
        ("data", "method", "fitted to", "facts"),
        ("error", "error, by answers", "largest in a group", "candidates"),
        tuple(rows),
        charts=tuple(charts),
    )


def _errors(metrics: dict[str, Any]) -> dict[str, Value]:
    found = metrics["reliability"]
    groups = [each for each in found["by_expected_answers"] if each["answers"] >= _MIN_ANSWERS]
    return {
        "error": found["error"],
        "error, by answers": found["error_by_answers"],
        "largest in a group": max((each["error_by_answers"] for each in groups), default=float("nan")),
        "candidates": round(sum(each["candidates"] for each in found["bins"])),
    }


def _diagram(trial: ModelTrial, metrics: dict[str, Any]) -> Chart:
    """The share of true candidates by predicted probability; empty bins have no point."""
    lines = {
        f"{split}, error {metrics[split]['reliability']['error']:.2%}": _shares(metrics[split])
        for split in trial.splits
    }
    perfect = tuple((i + 0.5) / _N_BINS for i in range(_N_BINS))
    return Chart(
        f"reliability-{trial.data}-{trial.model}",
        f"Reliability, {trial.data}, {trial.label}",
        "predicted probability (start of bin)",
        "share of candidates that are true",
        tuple(f"{i / _N_BINS:.0%}" for i in range(_N_BINS)),
        lines | {"perfect calibration": perfect},
    )


def _shares(metrics: dict[str, Any]) -> tuple[float, ...]:
    bins = metrics["reliability"]["bins"]
    by_bin = {min(int(each["said"] * _N_BINS), _N_BINS - 1): each["came_true"] for each in bins}
    return tuple(by_bin.get(i, float("nan")) for i in range(_N_BINS))
