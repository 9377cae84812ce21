"""The report of a tuning: the best trials, the importance of parameters, and all trials as a table."""

import os
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import numpy as np

from tlogic.analysis.command_lines import trial_commands
from tlogic.analysis.importance import levels
from tlogic.analysis.reports.report_files import write_report
from tlogic.analysis.reports.section import Chart, Row, Section
from tlogic.analysis.trials import METRICS
from tlogic.analysis.tuning import TrialResult, Tuning
from tlogic.files import write_atomically

_N_BEST = 20
_TITLE = "Tuning report"


def report_tuning(tuning: Tuning, folder: str | os.PathLike[str], data: str = "DATA") -> Path:
    """Write a report of a tuning: report.html, report.md, charts as SVG and PNG, and all trials as trials.csv.

    Args:
        tuning: The results of ``tune``.
        folder: Where the files are written; it may be the folder of the tuning.
        data: The name of the data in the commands that the report lists.

    Returns:
        The path of report.html.

    Raises:
        InputError: If matplotlib is not installed, or if a file cannot be written.

    Example:
        >>> import tlogic
        >>> from tlogic.analysis import tune
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     found = tune(tlogic.sample(days=60), folder, grid={"walks": [5, 10]})
        ...     report_tuning(found, folder).name
        'report.html'
    """
    folder = Path(folder)
    sections = [_best(tuning, data), _importance(tuning)]
    page = write_report(sections, folder, _TITLE, _summary(tuning))
    write_atomically(folder / "trials.csv", tuning.frame.write_csv())
    return page


def _summary(tuning: Tuning) -> str:
    method = "a search" if tuning.is_search else "a grid"
    summary = (
        f"{len(tuning.trials):,} trials of {method} on the validation facts, with {tuning.ties} ties. "
        f"The best trial has an MRR of {tuning.best.metrics['mrr']:.4f}."
    )
    if tuning.defaults is None:
        return summary
    return f"{summary} The defaults, which are the paper's best settings, have {tuning.defaults.metrics['mrr']:.4f}."


def _best(tuning: Tuning, data: str) -> Section:
    return Section(
        "best",
        "Best trials",
        "The trials with the highest MRR, and the commands that reproduce them. All trials are in trials.csv.",
        tuple(tuning.best.settings),
        METRICS,
        tuple(_row(each, data, tuning.ties) for each in tuning.top(_N_BEST)),
        charts=(_history(tuning),) if tuning.is_search else (),
    )


def _row(result: TrialResult, data: str, ties: str) -> Row:
    label = tuple(map(str, result.settings.values()))
    return Row(label, {f"{ties} ties": dict(result.metrics)}, trial_commands(replace(result.trial, data=data)))


def _importance(tuning: Tuning) -> Section:
    best = tuning.best.settings
    rows = [
        Row((name,), {"": {"importance": share, "best": str(best[name])}}) for name, share in tuning.importance.items()
    ]
    return Section(
        "importance",
        "Parameter importance",
        "Importance is a parameter's share of those differences in MRR that single parameters explain. The table also "
        "lists the value in the best trial. The charts show the best and the mean MRR of the trials with each value.",
        ("parameter",),
        ("importance", "best"),
        tuple(rows),
        charts=tuple(_by_value(tuning, name) for name, share in tuning.importance.items() if share),
    )


def _by_value(tuning: Tuning, name: str) -> Chart:
    found = levels([each.settings[name] for each in tuning.trials])
    mrr = np.array([each.metrics["mrr"] for each in tuning.trials])
    groups = [mrr[found.of_trial == level] for level in range(len(found.names))]
    lines = {
        "best": tuple(float(group.max()) for group in groups),
        "mean": tuple(float(group.mean()) for group in groups),
    }
    return Chart(f"mrr-by-{name}", f"MRR by {name}", name, f"MRR, {tuning.ties} ties", found.names, lines)


def _history(tuning: Tuning) -> Chart:
    mrr = tuple(each.metrics["mrr"] for each in tuning.trials)
    numbers = tuple(range(1, len(mrr) + 1))
    lines = {"trial": mrr, "best so far": tuple(accumulate(mrr, max))}
    return Chart("history", "MRR by trial", "trial", f"MRR, {tuning.ties} ties", numbers, lines)
