"""Learned models beside the paper's way to apply rules: how high answers rank, and what it costs."""

from collections.abc import Sequence

from tlogic.analysis.command_lines import trial_commands
from tlogic.analysis.reports.section import PUBLISHED, REALISTIC, Row, Section, Value
from tlogic.analysis.trials import METRICS, Trial
from tlogic.forecasting import ApplicationSettings
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.model_trials import KINDS, ModelTrial, model_commands
from tlogic.reproduction.other_methods import OTHER_CUTS, OTHER_SPLIT, PAPERS_SPLIT, Other
from tlogic.reproduction.published_results import DATASETS, WINDOWS

MODEL_DATA = (*DATASETS, "yago", "wiki")
SECONDS = ("fitting, s", "evaluation, s")
"""Columns that are other on other machines."""
_COST = (*SECONDS, "peak MB")
_AS_THE_PAPER = "rules, as the paper"


def models(runner: ExperimentRunner) -> Section:
    """All kinds of models on all datasets."""
    rows: list[Row] = []
    for name, trials in wanted_models(runner).items():
        rows += [_paper_mode(runner, name), *_model_rows(runner, trials), *_others(runner, PAPERS_SPLIT, name)]
    return Section(
        "models",
        "Learned models",
        "Test facts, time-aware filter, realistic ties. Weights are learned from the training and the validation "
        "facts, or from the training facts alone. Above them stand rules as the paper applies them, with the windows "
        "of Table 1, and below them what others published. Names are side information that the paper does not use.",
        ("data", "method", "weights from"),
        (*METRICS, *_COST),
        tuple(rows),
        remarks=("Each model was read, fitted and evaluated in a process of its own, whose peak of memory it is.",),
    )


def other_split(runner: ExperimentRunner) -> Section:
    """Models on the datasets as other papers cut them, beside what those found."""
    rows: list[Row] = []
    for name, cut in OTHER_CUTS.items() if runner.uses_paper_data else [(MODEL_DATA[0], None)]:
        valid_from, test_from = cut if runner.uses_paper_data and cut else (None, None)
        some = [ModelTrial(name, kind, valid_from=valid_from, test_from=test_from) for kind in KINDS]
        trials = [trial for trial in some if runner.is_selected(trial)]
        if trials:
            rows += [*_model_rows(runner, trials), *_others(runner, OTHER_SPLIT, name)]
    return Section(
        "other-split",
        "Learned models on the split of other papers",
        "Most papers since RE-GCN let the test facts of ICEWS14 begin on 2014-12-01, and the validation facts on "
        "2014-11-01; ICEWS18 is the same. Test facts, time-aware filter, realistic ties. The other methods' figures "
        "are those that their authors published; they were not run here.",
        ("data", "method", "weights from"),
        (*METRICS, *_COST),
        tuple(rows),
    )


def wanted_models(runner: ExperimentRunner) -> dict[str, list[ModelTrial]]:
    """The models by dataset; one dataset stands for all where they are the same."""
    by_data = {
        name: [trial for trial in _models_of(name) if runner.is_selected(trial)]
        for name in (MODEL_DATA if runner.uses_paper_data else MODEL_DATA[:1])
    }
    return {name: trials for name, trials in by_data.items() if trials}


def _models_of(name: str) -> list[ModelTrial]:
    """Names say something in ICEWS only, and there trees are worth their time."""
    some = [ModelTrial(name), ModelTrial(name, train_on="train")]
    if name in DATASETS:
        some += [ModelTrial(name, names=True), ModelTrial(name, "boosted"), ModelTrial(name, "boosted", names=True)]
    return some


def _paper_mode(runner: ExperimentRunner, name: str) -> Row:
    trial = Trial(name, application=ApplicationSettings(window=WINDOWS.get(name)))
    [figures] = runner.evaluate([trial])
    return Row((name, _AS_THE_PAPER, "train"), {REALISTIC: figures["realistic"]}, trial_commands(trial))


def _model_rows(runner: ExperimentRunner, trials: Sequence[ModelTrial]) -> list[Row]:
    rows = []
    for trial, measured in zip(trials, runner.evaluate_models(trials), strict=True):
        cost: dict[str, Value] = {
            "fitting, s": f"{measured['fit_seconds']:.1f}",
            "evaluation, s": f"{sum(measured['test']['seconds'].values()):.1f}",
            "peak MB": None if measured["peak_mb"] is None else round(measured["peak_mb"]),
        }
        values = {REALISTIC: measured["test"]["realistic"] | cost}
        rows.append(Row((trial.data, trial.label, trial.train_on), values, model_commands(trial)))
    return rows


def _others(runner: ExperimentRunner, others: Sequence[Other], name: str) -> list[Row]:
    """What others published for a dataset."""
    known = [other for other in others if name in other.mrr and runner.uses_paper_data]
    return [Row((name, other.method, ""), {PUBLISHED: {"mrr": other.mrr[name]}}) for other in known]
