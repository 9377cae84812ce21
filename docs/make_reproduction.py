"""Write the page of the reproduction: `python docs/make_reproduction.py FOLDER`, after `tlogic reproduce --out FOLDER`.

What is not in the folder yet is measured; with names of datasets behind the folder, learned models of those only.
Times are left out: they are those of one machine.
"""

import sys
from dataclasses import replace
from pathlib import Path

from tlogic.experiments.models import SECONDS
from tlogic.experiments.parts import PARTS
from tlogic.experiments.report import as_markdown
from tlogic.experiments.reproduction import reproduce
from tlogic.experiments.section import Section
from tlogic.plots.charts import plot_chart

DOCS = Path(__file__).parent
FIGURES = "images/reproduction"


def main(folder: str, *model_data: str) -> None:
    parts = [name for name in PARTS if name != "times"]
    sections = [without_times(section) for section in reproduce(folder, parts, model_data=model_data)]
    (DOCS / FIGURES).mkdir(exist_ok=True)
    for chart in [chart for section in sections for chart in section.charts]:
        plot_chart(chart, DOCS / FIGURES / f"{chart.name}.svg")
    (DOCS / "reproduction.md").write_text(as_markdown(sections, FIGURES), encoding="utf-8")


def without_times(section: Section) -> Section:
    return replace(section, columns=tuple(column for column in section.columns if column not in SECONDS))


if __name__ == "__main__":
    main(*sys.argv[1:])
