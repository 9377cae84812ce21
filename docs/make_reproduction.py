"""Write the page of the reproduction: `python docs/make_reproduction.py FOLDER`, after `tlogic reproduce --out FOLDER`.

Times are left out: they are those of one machine.
"""

import sys
from pathlib import Path

from tlogic.experiments.parts import PARTS
from tlogic.experiments.report import as_markdown
from tlogic.experiments.reproduction import reproduce
from tlogic.plots.charts import plot_chart

DOCS = Path(__file__).parent
FIGURES = "images/reproduction"


def main(folder: str) -> None:
    sections = reproduce(folder, [name for name in PARTS if name != "times"])
    (DOCS / FIGURES).mkdir(exist_ok=True)
    for chart in [chart for section in sections for chart in section.charts]:
        plot_chart(chart, DOCS / FIGURES / f"{chart.name}.svg")
    (DOCS / "reproduction.md").write_text(as_markdown(sections, FIGURES), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
