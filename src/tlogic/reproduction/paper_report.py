"""Runs the experiments of the paper and writes a report."""

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from tlogic.analysis.reports.report_files import check_report, write_report
from tlogic.analysis.reports.section import Section
from tlogic.errors import SettingsError
from tlogic.events.datasets import DATASETS, find_dataset
from tlogic.models.boosting import lightgbm
from tlogic.names import did_you_mean
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.model_comparison import MODEL_DATA
from tlogic.reproduction.model_trials import KINDS
from tlogic.reproduction.paper_sections import MODEL_SECTIONS, SECTIONS

TITLE = "Reproduction of TLogic"
ABOUT = (
    "This report repeats every experiment of the paper (Liu, Ma, Hildebrandt, Joblin, Tresp: TLogic, AAAI 2022) that "
    "evaluates TLogic. It lists the published results beside ours, the difference under the paper's optimistic ties, "
    "and the commands that reproduce ours. The last sections evaluate learned models, which rank answers higher."
)


def reproduce(
    folder: str | os.PathLike[str],
    only: Sequence[str] = (),
    *,
    on: Any = None,
    model_data: Sequence[str] = (),
    models: Sequence[str] = (),
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
    announce: Callable[[str], None] | None = None,
) -> list[Section]:
    """Run the experiments of the paper, and the same experiments with learned models, and write a report.

    Results are cached in the folder: the same call resumes an interrupted run, and sections can be added later.

    Args:
        folder: Where results are cached and the report is written (report.html, report.md, CSV files, charts).
        only: The sections to run: main, examples, transfer, statistics, walks, lengths, windows, scores, counts,
            seeds, times, models, other-split, ablation, pairs, reliability. All if empty.
        on: Data to use instead of the paper's datasets: a graph, or anything that ``read`` accepts. The report then
            lists no published results.
        model_data: The datasets to fit models to: icews14, icews18, icews0515, yago, wiki. All that are available if
            empty.
        models: The kinds of models to fit: scorecard, boosted. Both if empty.
        threads: Number of threads; all cores if None.
        progress: A function that wraps an iterable and shows progress, called with ``total`` and ``description``.
        announce: Called with the name of each section before it runs.

    Returns:
        The sections of the report.

    Raises:
        SettingsError: If a section, dataset or kind of model is unknown, or if boosted models are asked for by name and
            LightGBM is missing. If they are not, they are left out of the report, which says so.
        InputError: If a dataset is missing, if the folder cannot be used, or if matplotlib is not installed.

    Example:
        >>> import tlogic
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     [section] = reproduce(folder, ["statistics"], on=tlogic.sample(days=60))
        >>> section.title
        'Dataset statistics'
    """
    _check_names("section", only, SECTIONS)
    _check_names("dataset", model_data, MODEL_DATA)
    _check_names("model", models, KINDS)
    folder = Path(folder)
    chosen = [name for name in SECTIONS if name in (only or SECTIONS)]
    check_report(folder)
    kinds, note = _possible_kinds(models) if MODEL_SECTIONS & set(chosen) else (models, "")
    if note and announce:
        announce(note)
    sources = None if on is None else dict.fromkeys(MODEL_DATA, on)
    selected = model_data or [name for name in MODEL_DATA if is_available(name)]
    runner = ExperimentRunner(folder, sources, threads, progress, selected, kinds)
    sections = []
    for name in chosen:
        if announce:
            announce(name)
        sections.append(SECTIONS[name](runner))
    write_report(sections, folder, TITLE, f"{ABOUT} {note}".strip())
    return sections


def _possible_kinds(wanted: Sequence[str]) -> tuple[Sequence[str], str]:
    """The kinds of models that can be fitted, and what the report says about those that cannot.

    Raises:
        SettingsError: If one of the wanted kinds cannot be fitted.
    """
    if wanted and "boosted" not in wanted:
        return wanted, ""
    try:
        lightgbm()
    except SettingsError as error:
        if wanted:
            raise
        return ("scorecard",), f"Boosted models are left out. {error}"
    return wanted, ""


def is_available(name: str) -> bool:
    """Whether a dataset exists on this machine or can be downloaded."""
    return DATASETS[name].is_downloadable or find_dataset(name) is not None


def _check_names(what: str, names: Sequence[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise SettingsError(f"Unknown {what} {name!r}{hint} The {what}s are {', '.join(known)}.")
