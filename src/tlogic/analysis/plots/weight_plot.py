"""A plot of a scorecard: the weights of its most important kinds of evidence, by bin."""

from os import PathLike
from typing import Any

import numpy as np

from tlogic.analysis.plots.plot_style import FILL, plotting
from tlogic.errors import SettingsError
from tlogic.figures import BLUE, ORANGE, SLATE
from tlogic.graph.arrays import Ints
from tlogic.models.model import Model

MOST_COLUMNS = 12
_IN_A_ROW = 4
_N_NUMBERS = 3
_PLACE_OF_NONE = -2  # apart from the bins, which are in order


def plot_weights(model: Model, path: str | PathLike[str], *, top: int = MOST_COLUMNS) -> None:
    """Draw the weights whose kinds of evidence move scores most, a bar a bin, to an SVG or PNG file."""
    if top < 1:
        raise SettingsError(f"top must be 1 or more, not {top}.")
    tables = model.tables()
    chosen = sorted(tables, key=lambda table: -_spread(table["weights"]))[:top]
    n_rows = -(-len(chosen) // _IN_A_ROW)
    with plotting(path, width=9.6, height=0.9 + 1.75 * n_rows) as figure:
        figure.suptitle("Weights of the kinds of evidence that move scores most", x=0.01, ha="left", fontsize=11)
        grid = figure.subplots(n_rows, _IN_A_ROW, sharey=True, squeeze=False)
        for axes, table in zip(grid.flat, chosen, strict=False):
            _draw(axes, table)
        for axes in grid.flat[len(chosen) :]:
            axes.set_axis_off()
        for axes in grid[:, 0]:
            axes.set_ylabel("weight")
        figure.supxlabel("value of the evidence, a bar a bin; grey where there is none", fontsize=9)


def _spread(weights: list[float]) -> float:
    """How far bins differ; there are about as many candidates in each."""
    return float(np.std(weights))


def _draw(axes: Any, table: dict[str, Any]) -> None:
    (without, *weights), edges = table["weights"], np.array(table["edges"])
    axes.axhline(0, color=SLATE, linewidth=0.8)
    axes.bar(_PLACE_OF_NONE, without, width=0.9, color=SLATE, alpha=FILL)
    colors = [ORANGE if weight < 0 else BLUE for weight in weights]
    axes.bar(np.arange(len(weights)), weights, width=0.9, color=colors, alpha=FILL)
    axes.set_title(f"{table['family']}: {table['name']}", fontsize=8.5)
    shown = _some(len(edges))
    axes.set_xticks([_PLACE_OF_NONE, *(0.5 + shown)], ["none", *map(_number, edges[shown])], fontsize=7.5)


def _some(n_edges: int) -> Ints:
    """A few edges to write numbers at, where they have room."""
    return np.unique(np.linspace(0.3 * (n_edges - 1), n_edges - 1, min(n_edges, _N_NUMBERS)).round().astype(np.int64))


def _number(value: float) -> str:
    """A number of few characters.

    >>> _number(0.012345), _number(1234.5), _number(0.00002)
    ('0.012', '1,234', '0')
    """
    return f"{value:,.0f}" if abs(value) >= 100 or abs(value) < 5e-4 else f"{value:.2g}"
