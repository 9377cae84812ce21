"""How far the probabilities of learned models come true."""

from typing import Any

from tlogic.analysis.reports.section import OURS, Chart, Row, Section, Value
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.model_comparison import wanted_models
from tlogic.reproduction.model_trials import ModelTrial, model_commands

_N_BINS = 20


def reliability(runner: ExperimentRunner) -> Section:
    """A row for each model and split, and a diagram for each model that was asked both splits."""
    rows, charts = [], []
    trials = [trial for some in wanted_models(runner).values() for trial in some]
    for trial, measured in zip(trials, runner.evaluate_models(trials), strict=True):
        for split in trial.splits:
            label = trial.data, trial.label, trial.train_on, split
            rows.append(Row(label, {OURS: _errors(measured[split])}, model_commands(trial, split)))
        if len(trial.splits) > 1:
            charts.append(_diagram(trial, measured))
    return Section(
        "reliability",
        "Reliability of probabilities",
        "Of candidates that are said to be an answer with a probability of 30%, 30% should be answers. The error is "
        "the mean difference between what was said and what came true, over 20 bins of probability, weighted by the "
        "candidates in each; most candidates are said to be unlikely and are, so that the other error weighs bins by "
        "the answers in them.",
        ("data", "method", "weights from", "facts"),
        ("error", "error, by answers", "candidates"),
        tuple(rows),
        charts=tuple(charts),
    )


def _errors(figures: dict[str, Any]) -> dict[str, Value]:
    bins = figures["reliability"]["bins"]
    answers = [each["candidates"] * each["came_true"] for each in bins]
    apart = [abs(each["said"] - each["came_true"]) for each in bins]
    return {
        "error": figures["reliability"]["error"],
        "error, by answers": sum(n * d for n, d in zip(answers, apart, strict=True)) / max(sum(answers), 1),
        "candidates": round(sum(each["candidates"] for each in bins)),
    }


def _diagram(trial: ModelTrial, measured: dict[str, Any]) -> Chart:
    """What came true by what was said; nothing where nothing was said."""
    lines = {
        f"{split}, error {measured[split]['reliability']['error']:.2%}": _shares(measured[split])
        for split in trial.splits
    }
    ideal = tuple((place + 0.5) / _N_BINS for place in range(_N_BINS))
    return Chart(
        f"reliability-{trial.data}-{trial.model}",
        f"What came true of what was said, {trial.data}, {trial.label}",
        "probability that was said, from so much on",
        "share that came true",
        tuple(f"{place / _N_BINS:.0%}" for place in range(_N_BINS)),
        lines | {"as it should be": ideal},
    )


def _shares(figures: dict[str, Any]) -> tuple[float, ...]:
    bins = figures["reliability"]["bins"]
    found = {min(int(each["said"] * _N_BINS), _N_BINS - 1): each["came_true"] for each in bins}
    return tuple(found.get(place, float("nan")) for place in range(_N_BINS))
