"""Learned models compared with rules applied as in the paper: metrics, time and memory."""

import re
from collections.abc import Sequence

from tlogic.analysis.command_lines import trial_commands
from tlogic.analysis.reports.section import PUBLISHED, REALISTIC, Row, Section, Value
from tlogic.analysis.trials import METRICS, Trial
from tlogic.forecasting import ApplicationSettings
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.model_trials import KINDS, TRAIN_ON, ModelTrial, model_commands
from tlogic.reproduction.other_methods import FOOTNOTES, OTHER_SPLIT, OTHER_SPLIT_DATES, PAPER_SPLIT, Method
from tlogic.reproduction.published_results import DATASETS, WINDOWS

MODEL_DATA = (*DATASETS, "yago", "wiki")
SECONDS_COLUMNS = ("fitting, s", "evaluation, s")
"""Columns that depend on the machine."""
_COST_COLUMNS = (*SECONDS_COLUMNS, "peak MB")
_COLUMNS = (*METRICS, "ties", "source", *_COST_COLUMNS)
_PAPER_RULES = "rules, as in the paper"
_OURS = {"ties": "realistic"}


def models(runner: ExperimentRunner) -> Section:
    """All kinds of models on all datasets."""
    rows: list[Row] = []
    for name, trials in selected_models(runner).items():
        rows += [_paper_row(runner, name), *_model_rows(runner, trials), *_other_rows(runner, PAPER_SPLIT, name)]
    return Section(
        "models",
        "Learned models",
        "Test facts, time-aware filter, realistic ties. Models are fitted to the training and validation facts, or to "
        "the training facts only. For each dataset, the first row applies rules as in the paper, with the windows of "
        "Table 1, and the last rows list results that other papers published. Entity and relation names are side "
        "information that the paper does not use.",
        ("data", "method", "fitted to"),
        _COLUMNS,
        tuple(rows),
        remarks=("Each model was fitted and evaluated in a separate process. The memory is the peak of that process.",),
    )


def other_split(runner: ExperimentRunner) -> Section:
    """Rules and models on the datasets as other papers split them, compared with the results of those papers."""
    rows: list[Row] = []
    for name, dates in OTHER_SPLIT_DATES.items() if runner.uses_paper_data else [(MODEL_DATA[0], None)]:
        valid_from, test_from = dates if runner.uses_paper_data and dates else (None, None)
        trials = [trial for trial in _other_split_trials(name, valid_from, test_from) if runner.is_selected(trial)]
        if trials:
            rows += [*_rule_rows(runner, name, valid_from, test_from), *_model_rows(runner, trials)]
            rows += _other_rows(runner, OTHER_SPLIT, name)
    return Section(
        "other-split",
        "Rules and models on the splits of other papers",
        "Since RE-GCN, most papers start the validation facts of ICEWS14 on 2014-11-01 and the test facts on "
        "2014-12-01, and those of ICEWS05-15 on 2013-11-18 and 2014-12-27. ICEWS18, YAGO and WIKI are split as in "
        "their files. Test facts, both directions, single step, time-aware filter. The results of other methods are "
        "those that their authors published; they were not run here. Their ties are as their papers or released code "
        "resolve them: an answer ranks above all candidates with its score (optimistic), below them (pessimistic), in "
        "the middle (averaged, which is the same as realistic), or where a sort happens to put it (as sorted).",
        ("data", "method", "fitted to"),
        _COLUMNS,
        tuple(rows),
        remarks=(
            *(f"[{letter}] {footnote}" for letter, footnote in _footnotes(rows).items()),
            "Names have no parts that the evidence of names could use in YAGO and WIKI, so they are used for ICEWS "
            "only.",
        ),
    )


def _other_split_trials(name: str, valid_from: str | None, test_from: str | None) -> list[ModelTrial]:
    """Both kinds of models, without and with names, fitted to the training facts and also to the validation facts."""
    return [
        ModelTrial(name, kind, names, train_on, valid_from, test_from)
        for kind in KINDS
        for names in ((False, True) if name in DATASETS else (False,))
        for train_on in TRAIN_ON
    ]


def _rule_rows(runner: ExperimentRunner, name: str, valid_from: str | None, test_from: str | None) -> list[Row]:
    """Rules learned from the training facts, and from all facts before the test."""
    graph = runner.graph(name, valid_from, test_from)
    starts_of_periods = {
        "train": (valid_from, test_from),
        "train+valid": (None, graph.timeline.label_of(graph.test_from)),
    }
    settings = ApplicationSettings(window=WINDOWS.get(name))
    rows = []
    for fitted_to, (valid, test) in starts_of_periods.items():
        trial = Trial(name, application=settings, valid_from=valid, test_from=test)
        [metrics] = runner.evaluate([trial])
        values = {REALISTIC: metrics["realistic"] | _OURS}
        rows.append(Row((name, _PAPER_RULES, fitted_to), values, trial_commands(trial)))
    return rows


def _footnotes(rows: Sequence[Row]) -> dict[str, str]:
    """The footnotes that the methods of some rows refer to."""
    labels = " ".join(row.label[1] for row in rows if PUBLISHED in row.values)
    referred = {letter for marks in re.findall(r"\[([a-z, ]+)\]", labels) for letter in marks.split(", ")}
    return {letter: footnote for letter, footnote in FOOTNOTES.items() if letter in referred}


def selected_models(runner: ExperimentRunner) -> dict[str, list[ModelTrial]]:
    """The selected models by dataset; only one dataset if all are replaced by the same data."""
    by_data = {
        name: [trial for trial in _trials(name) if runner.is_selected(trial)]
        for name in (MODEL_DATA if runner.uses_paper_data else MODEL_DATA[:1])
    }
    return {name: trials for name, trials in by_data.items() if trials}


def _trials(name: str) -> list[ModelTrial]:
    """Names are informative in ICEWS only, and boosted trees improve results most there."""
    trials = [ModelTrial(name), ModelTrial(name, train_on="train")]
    if name in DATASETS:
        trials += [ModelTrial(name, names=True), ModelTrial(name, "boosted"), ModelTrial(name, "boosted", names=True)]
    return trials


def _paper_row(runner: ExperimentRunner, name: str) -> Row:
    trial = Trial(name, application=ApplicationSettings(window=WINDOWS.get(name)))
    [metrics] = runner.evaluate([trial])
    return Row((name, _PAPER_RULES, "train"), {REALISTIC: metrics["realistic"] | _OURS}, trial_commands(trial))


def _model_rows(runner: ExperimentRunner, trials: Sequence[ModelTrial]) -> list[Row]:
    rows = []
    for trial, metrics in zip(trials, runner.evaluate_models(trials), strict=True):
        cost: dict[str, Value] = {
            "fitting, s": f"{metrics['fit_seconds']:.1f}",
            "evaluation, s": f"{sum(metrics['test']['seconds'].values()):.1f}",
            "peak MB": None if metrics["peak_mb"] is None else round(metrics["peak_mb"]),
        }
        values = {REALISTIC: metrics["test"]["realistic"] | _OURS | cost}
        rows.append(Row((trial.data, trial.label, trial.train_on), values, model_commands(trial)))
    return rows


def _other_rows(runner: ExperimentRunner, methods: Sequence[Method], name: str) -> list[Row]:
    """The results that other papers published for a dataset."""
    return [
        Row(
            (name, method.label, ""),
            {PUBLISHED: {"mrr": method.mrr[name], "ties": method.ties, "source": method.source}},
        )
        for method in methods
        if name in method.mrr and runner.uses_paper_data
    ]
