"""The paper's experiments by one call."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tlogic.errors import SettingsError
from tlogic.experiments.laboratory import Laboratory
from tlogic.experiments.parts import PARTS
from tlogic.experiments.published import DATASETS
from tlogic.experiments.report import write_report
from tlogic.experiments.section import Section
from tlogic.names import did_you_mean


def reproduce(
    folder: str | os.PathLike[str],
    only: Sequence[str] = (),
    *,
    on: Any = None,
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[Section]:
    """Run the paper's experiments, or only some parts of them, and write a report to a folder.

    What was measured is kept there, so that a run that was stopped goes on, and parts can be added later. ``on`` is
    data to run them on in the place of the paper's three datasets; then no published figures stand beside ours.
    """
    for name in only:
        if name not in PARTS:
            raise SettingsError(f"Unknown part {name!r}{did_you_mean(name, PARTS)} The parts are {', '.join(PARTS)}.")
    folder = Path(folder)
    sources = None if on is None else dict.fromkeys(DATASETS, on)
    laboratory = Laboratory(folder, sources, threads, progress)
    sections = []
    for name in [name for name in PARTS if name in (only or PARTS)]:
        if tell:
            tell(name)
        sections.append(PARTS[name](laboratory))
    write_report(sections, folder)
    return sections
