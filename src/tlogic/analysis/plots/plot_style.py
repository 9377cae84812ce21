"""How all plots look: white, few lines, one colour for one thing."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from tlogic.figures import LINE, SLATE, TEXT, drawing

FILL = 0.55
"""How dense the colour of an area is."""

_FEW_POWERS = 300

_STYLE = {
    "font.size": 9,
    "text.color": TEXT,
    "axes.edgecolor": SLATE,
    "axes.labelcolor": TEXT,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.5,
    "xtick.color": SLATE,
    "xtick.labelcolor": TEXT,
    "ytick.color": SLATE,
    "ytick.labelcolor": TEXT,
    "legend.frameon": False,
    "legend.handlelength": 1.2,
    "legend.borderaxespad": 0,
    "legend.columnspacing": 1.6,
    "lines.linewidth": 1.6,
}


@contextmanager
def plotting(path: str | PathLike[str], width: float = 8.0, height: float = 3.6) -> Iterator[Any]:
    """A figure in the style of all plots, written to the file when it is done."""
    with drawing(Path(path), width, height, _STYLE) as figure:
        yield figure


def set_header(axes: Any, title: str, handles: Any = None) -> None:
    """The title and, in a row of its own below it, the legend, where no line can be in its way."""
    axes.set_title(title, pad=26)
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.02), ncols=3)


def set_log_ticks(axis: Any, low: float, high: float) -> None:
    """Ticks at powers of ten; where there are few of those, at twice and five times as much, too."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < _FEW_POWERS * low else (1,)))
    axis.set_minor_formatter(NullFormatter())


def with_thousands(value: float, _: object = None) -> str:
    """A number on an axis.

    >>> with_thousands(1200000.0), with_thousands(0.5), with_thousands(1e12)
    ('1,200,000', '0.5', '1e+12')
    """
    return f"{value:,.0f}" if 1000 <= value < 1e9 else f"{value:g}"
