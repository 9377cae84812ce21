"""Write docs/reproduction.md: `python docs/make_reproduction.py FOLDER [DATASET ...]`.

Run `tlogic reproduce --out FOLDER` first. Results that are not cached in the folder are computed. With names of
datasets, models are fitted to those only. Times are left out, because they depend on the machine.
"""

import sys
from dataclasses import replace
from pathlib import Path

from tlogic.analysis.reports.line_chart import plot_chart
from tlogic.analysis.reports.report_files import as_markdown
from tlogic.analysis.reports.section import Section
from tlogic.reproduction.model_comparison import SECONDS_COLUMNS
from tlogic.reproduction.paper_report import ABOUT, TITLE, reproduce
from tlogic.reproduction.paper_sections import SECTIONS

DOCS = Path(__file__).parent
FIGURES = "images/reproduction"


def main(folder: str, *model_data: str) -> None:
    names = [name for name in SECTIONS if name != "times"]
    sections = [without_times(section) for section in reproduce(folder, names, model_data=model_data)]
    (DOCS / FIGURES).mkdir(exist_ok=True)
    for chart in [chart for section in sections for chart in section.charts]:
        plot_chart(chart, DOCS / FIGURES / f"{chart.name}.svg")
    (DOCS / "reproduction.md").write_text(as_markdown(sections, TITLE, ABOUT, FIGURES), encoding="utf-8")


def without_times(section: Section) -> Section:
    return replace(section, columns=tuple(column for column in section.columns if column not in SECONDS_COLUMNS))


if __name__ == "__main__":
    main(*sys.argv[1:])
