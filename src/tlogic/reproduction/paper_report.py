"""The paper's experiments by one call."""

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from tlogic.analysis.reports.report_files import write_report
from tlogic.analysis.reports.section import Section
from tlogic.errors import SettingsError
from tlogic.events.datasets import DATASETS as KNOWN
from tlogic.events.datasets import find_dataset
from tlogic.names import did_you_mean
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.model_comparison import MODEL_DATA
from tlogic.reproduction.model_trials import KINDS
from tlogic.reproduction.paper_sections import PARTS

TITLE = "Reproduction of TLogic"
ABOUT = (
    "This report repeats every experiment of the paper (Liu, Ma, Hildebrandt, Joblin, Tresp: TLogic, AAAI 2022) that "
    "evaluates TLogic. It lists the published results beside ours, the difference under the paper's tie-breaking, and "
    "the command that reproduces ours. Further sections evaluate learned models, which rank answers higher."
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
    tell: Callable[[str], None] | None = None,
) -> list[Section]:
    """Run the paper's experiments and those with learned models, or only some parts, and write a report to a folder.

    What was measured is kept there, so that a run that was stopped goes on, and parts can be added later. ``on`` is
    data to run them on in the place of the known datasets; then no published figures stand beside ours. Of learned
    models, all are measured on all datasets that are there or can be downloaded, or only some ``models`` (scorecard,
    boosted) on some ``model_data``.
    """
    _check("part", only, PARTS)
    _check("dataset", model_data, MODEL_DATA)
    _check("model", models, KINDS)
    folder = Path(folder)
    sources = None if on is None else dict.fromkeys(MODEL_DATA, on)
    chosen = model_data or [name for name in MODEL_DATA if can_be_had(name)]
    runner = ExperimentRunner(folder, sources, threads, progress, chosen, models)
    sections = []
    for name in [name for name in PARTS if name in (only or PARTS)]:
        if tell:
            tell(name)
        sections.append(PARTS[name](runner))
    write_report(sections, folder, TITLE, ABOUT)
    return sections


def can_be_had(name: str) -> bool:
    """Is a dataset there, or can it be downloaded?"""
    return bool(KNOWN[name].files) or find_dataset(name) is not None


def _check(what: str, names: Sequence[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise SettingsError(
                f"Unknown {what} {name!r}{did_you_mean(name, known)} The {what}s are {', '.join(known)}."
            )
