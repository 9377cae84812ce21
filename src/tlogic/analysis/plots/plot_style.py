"""The common style of all plots: white background, few lines, one colour per series."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from tlogic.figures import LINE, SLATE, TEXT, drawing

FILL_ALPHA = 0.55
BELOW_ONE = 0.7
"""The lower end of a logarithmic axis of counts, which keeps bars of height 1 visible."""

_MIN_RATIO_FOR_DECADES = 300

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
    """Yield a figure in the common style and write it to an SVG or PNG file on exit."""
    with drawing(Path(path), width, height, _STYLE) as figure:
        yield figure


def set_header(axes: Any, title: str, handles: Any = None) -> None:
    """Set the title, and the legend in a row below it, where it hides no line."""
    axes.set_title(title, pad=26)
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.02), ncols=3)


def set_log_ticks(axis: Any, low: float, high: float) -> None:
    """Set ticks at powers of ten; also at 2 and 5 times the powers on a short axis."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < _MIN_RATIO_FOR_DECADES * low else (1,)))
    axis.set_minor_formatter(NullFormatter())


def with_thousands(value: float, _: object = None) -> str:
    """Format a number for an axis.

    >>> with_thousands(1200000.0), with_thousands(0.5), with_thousands(1e12)
    ('1,200,000', '0.5', '1e+12')
    """
    return f"{value:,.0f}" if 1000 <= value < 1e9 else f"{value:g}"
