"""Tables 1 and 3 of the paper, and its dataset statistics."""

from tlogic.analysis.reports.section import OURS, PUBLISHED, Row, Section, Value
from tlogic.analysis.statistics import statistics
from tlogic.analysis.trials import METRICS, Trial
from tlogic.forecasting import ApplicationSettings
from tlogic.reproduction import published_results as published
from tlogic.reproduction.comparison_rows import by_metric, published_values, trial_rows
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.published_results import DATASETS, WINDOWS


def main_results(runner: ExperimentRunner) -> Section:
    """Table 1."""
    trials = [Trial(name, application=ApplicationSettings(window=WINDOWS[name])) for name in DATASETS]
    ours = trial_rows(runner, trials, [(name, "TLogic") for name in DATASETS], list(published.MAIN["TLogic"].values()))
    rows: list[Row] = []
    for name, row in zip(DATASETS, ours, strict=True):
        rows += [row, *(_other_methods(name) if runner.uses_paper_data else [])]
    return Section(
        "main",
        "Table 1: link forecasting",
        "Test facts, time-aware filter. The time window is unlimited for ICEWS14, 200 for ICEWS18 and 1000 for "
        "ICEWS0515, as in the paper. The results of other methods are those that the paper lists; they were not run "
        "here.",
        ("data", "method"),
        METRICS,
        tuple(rows),
        remarks=(
            "The paper ranks an answer above all candidates with the same score (optimistic ties). Realistic ties use "
            "the mean rank of these candidates, which gives lower metrics for the same forecasts.",
        ),
    )


def _other_methods(name: str) -> list[Row]:
    """The results of other methods that the paper lists for a dataset, best first."""
    metrics = {method: by_data[name] for method, by_data in published.MAIN.items() if method != "TLogic"}
    ordered = sorted(metrics, key=lambda method: -metrics[method][0])
    return [Row((name, method), {PUBLISHED: by_metric(metrics[method])}) for method in ordered]


def transfer(runner: ExperimentRunner) -> Section:
    """Table 3."""
    pairs = list(published.TRANSFER)
    trials = [
        Trial(data, application=ApplicationSettings(window=WINDOWS[data]), rules_from=source) for source, data in pairs
    ]
    ours = [published.TRANSFER[pair]["TLogic"] for pair in pairs]
    rows = trial_rows(runner, trials, [("TLogic", *pair) for pair in pairs], ours)
    others = [
        Row(("AnyBURL", *pair), {PUBLISHED: by_metric(metrics["AnyBURL"])})
        for pair, metrics in published.TRANSFER.items()
        if runner.uses_paper_data
    ]
    return Section(
        "transfer",
        "Table 3: rules from one dataset applied to another",
        "Relations of rules and data are matched by name. Test facts, time-aware filter, the windows of Table 1.",
        ("method", "rules from", "applied to"),
        METRICS,
        (*rows, *others),
    )


def dataset_statistics(runner: ExperimentRunner) -> Section:
    """The appendix's table of datasets."""
    columns = ("train", "valid", "test", "entities", "relations", "steps")
    rows = []
    for name in DATASETS:
        found = statistics(runner.graph(name))
        ours: dict[str, Value] = {column: getattr(found, column) for column in columns}
        ours["test seen before"] = found.recurrence["test"].seen_before if found.test else None
        theirs: dict[str, Value] = dict(zip(columns, published.STATISTICS[name], strict=True))
        rows.append(Row((name,), published_values(runner, theirs) | {OURS: ours}, f"tlogic stats {name}"))
    return Section(
        "statistics",
        "Dataset statistics",
        "Facts by split, entities, relations and time steps; and the share of test facts whose subject, relation and "
        "object occurred together before.",
        ("data",),
        (*columns, "test seen before"),
        tuple(rows),
    )
