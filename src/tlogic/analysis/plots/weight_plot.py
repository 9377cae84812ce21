"""A plot of a scorecard: the weights of the features with the largest effect, by bin."""

from os import PathLike
from typing import Any

import numpy as np

from tlogic.analysis.plots.plot_style import FILL_ALPHA, plotting
from tlogic.errors import SettingsError
from tlogic.figures import BLUE, ORANGE, SLATE
from tlogic.graph.arrays import Ints
from tlogic.models.model import Model

MAX_FEATURES = 12
_PLOTS_PER_ROW = 4
_MAX_TICK_LABELS = 3
_POSITION_OF_NONE = -2  # left of the bins, whose positions start at 0


def plot_weights(model: Model, path: str | PathLike[str], *, top: int = MAX_FEATURES) -> None:
    """Plot the weights of the evidence features with the largest effect on scores, one bar per bin.

    Args:
        model: A fitted model.
        path: The SVG or PNG file to write.
        top: The number of features to plot.

    Raises:
        SettingsError: If ``top`` is less than 1.
        InputError: If the path is not an SVG or PNG file, or if matplotlib is not installed.

    Example:
        >>> import tlogic
        >>> model = tlogic.fit(tlogic.sample(days=60))
        >>> plot_weights(model, "weights.svg", top=4)
    """
    if top < 1:
        raise SettingsError(f"top must be 1 or more, not {top}.")
    tables = sorted(model.tables(), key=lambda table: -_spread(table["weights"]))[:top]
    n_rows = -(-len(tables) // _PLOTS_PER_ROW)
    with plotting(path, width=9.6, height=0.9 + 1.75 * n_rows) as figure:
        figure.suptitle("Weights of the features with the largest effect on scores", x=0.01, ha="left", fontsize=11)
        grid = figure.subplots(n_rows, _PLOTS_PER_ROW, sharey=True, squeeze=False)
        for axes, table in zip(grid.flat, tables, strict=False):
            _draw(axes, table)
        for axes in grid.flat[len(tables) :]:
            axes.set_axis_off()
        for axes in grid[:, 0]:
            axes.set_ylabel("weight")
        figure.supxlabel("value of the feature, one bar per bin; grey: no value", fontsize=9)


def _spread(weights: list[float]) -> float:
    """The standard deviation of the weights; bins hold similar numbers of candidates."""
    return float(np.std(weights))


def _draw(axes: Any, table: dict[str, Any]) -> None:
    (without, *weights), edges = table["weights"], np.array(table["edges"])
    axes.axhline(0, color=SLATE, linewidth=0.8)
    axes.bar(_POSITION_OF_NONE, without, width=0.9, color=SLATE, alpha=FILL_ALPHA)
    colors = [ORANGE if weight < 0 else BLUE for weight in weights]
    axes.bar(np.arange(len(weights)), weights, width=0.9, color=colors, alpha=FILL_ALPHA)
    axes.set_title(f"{table['family']}: {table['name']}", fontsize=8.5)
    labelled = _labelled_edges(len(edges))
    axes.set_xticks([_POSITION_OF_NONE, *(0.5 + labelled)], ["none", *map(_format, edges[labelled])], fontsize=7.5)


def _labelled_edges(n_edges: int) -> Ints:
    """The indices of a few edges whose labels do not overlap."""
    last = n_edges - 1
    return np.unique(np.linspace(0.3 * last, last, min(n_edges, _MAX_TICK_LABELS)).round().astype(np.int64))


def _format(value: float) -> str:
    """A short number.

    >>> _format(0.012345), _format(1234.5), _format(0.00002)
    ('0.012', '1,234', '0')
    """
    return f"{value:,.0f}" if abs(value) >= 100 or abs(value) < 5e-4 else f"{value:.2g}"
