"""The report of a tuning: the best settings, what mattered, and all trials as a table."""

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

_TOP = 20
_TITLE = "Settings, tuned"


def report_tuning(tuning: Tuning, folder: str | os.PathLike[str], data: str = "DATA") -> Path:
    """Write report.html, report.md, figures and trials.csv to a folder; the HTML file's path.

    ``data`` is what the commands in it call the data.
    """
    folder = Path(folder)
    sections = [_best(tuning, data), _importance(tuning)]
    page = write_report(sections, folder, title=_TITLE, about=_about(tuning))
    write_atomically(folder / "trials.csv", tuning.frame.write_csv())
    return page


def _about(tuning: Tuning) -> str:
    how = "a search" if tuning.searched else "a grid"
    found = f"{len(tuning.tried):,} trials of {how} on the validation facts, {tuning.ties} ties. The best has an MRR of"
    about = f"{found} {tuning.best.figures['mrr']:.4f}"
    if tuning.defaults is None:
        return f"{about}."
    return f"{about}, the paper's best settings, which are the defaults, have {tuning.defaults.figures['mrr']:.4f}."


def _best(tuning: Tuning, data: str) -> Section:
    return Section(
        "best",
        "The best trials",
        "With the commands that give their figures. All trials are in trials.csv.",
        tuple(tuning.best.settings),
        METRICS,
        tuple(_row(each, data, tuning.ties) for each in tuning.top(_TOP)),
        charts=(_history(tuning),) if tuning.searched else (),
    )


def _row(tried: TrialResult, data: str, ties: str) -> Row:
    label = tuple(map(str, tried.settings.values()))
    return Row(label, {f"{ties} ties": dict(tried.figures)}, trial_commands(replace(tried.trial, data=data)))


def _importance(tuning: Tuning) -> Section:
    best = tuning.best.settings
    rows = [
        Row((name,), {"": {"importance": share, "best": str(best[name])}}) for name, share in tuning.importance.items()
    ]
    return Section(
        "importance",
        "What mattered",
        "By parameter: its share of those differences in MRR that single parameters explain, and its value in the best "
        "trial. The charts show the best and the mean MRR of the trials with each value.",
        ("parameter",),
        ("importance", "best"),
        tuple(rows),
        charts=tuple(_by_value(tuning, name) for name, share in tuning.importance.items() if share),
    )


def _by_value(tuning: Tuning, name: str) -> Chart:
    found = levels([each.settings[name] for each in tuning.tried])
    mrr = np.array([each.figures["mrr"] for each in tuning.tried])
    groups = [mrr[found.of == place] for place in range(len(found.names))]
    lines = {
        "best": tuple(float(group.max()) for group in groups),
        "mean": tuple(float(group.mean()) for group in groups),
    }
    return Chart(f"mrr-by-{name}", f"MRR by {name}", name, f"MRR, {tuning.ties} ties", found.names, lines)


def _history(tuning: Tuning) -> Chart:
    mrr = tuple(each.figures["mrr"] for each in tuning.tried)
    numbers = tuple(range(1, len(mrr) + 1))
    lines = {"trial": mrr, "best so far": tuple(accumulate(mrr, max))}
    return Chart("history", "MRR by trial", "trial", f"MRR, {tuning.ties} ties", numbers, lines)
