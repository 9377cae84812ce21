"""A plot of how far a model's probabilities come true."""

from os import PathLike
from typing import Any

import numpy as np

from tlogic.analysis.plots.plot_style import FILL, plotting, with_thousands
from tlogic.errors import InputError
from tlogic.evaluation import Evaluation
from tlogic.figures import BLUE, SLATE
from tlogic.graph.arrays import Floats

# Where a logarithmic axis of counts begins, so that a single candidate shows.
_BELOW_ONE = 0.7


def plot_reliability(evaluation: Evaluation, path: str | PathLike[str]) -> None:
    """Draw what a model said against what came true, and how many candidates it said it of, to an SVG or PNG file."""
    found = evaluation.reliability
    if found is None:
        raise InputError("Rules give scores, not probabilities; expected the evaluation of a model.")
    there = found.n > 0
    said, came_true = (sums[there] / found.n[there] for sums in (found.predicted, found.n_true))
    with plotting(path, width=4.8, height=5.8) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        upper.plot((0, 1), (0, 1), color=SLATE, linewidth=1, linestyle="--", label="as said")
        upper.plot(said, came_true, color=BLUE, marker="o", markersize=4, label="came true", clip_on=False, zorder=3)
        upper.set_ylim(0, 1)
        upper.set_ylabel("share of candidates that came true")
        upper.set_title(f"Probabilities of {evaluation.settings['split']} facts, error {found.error:.2%}")
        upper.legend(loc="upper left", borderaxespad=0.6)
        _draw_numbers(lower, found.n)
        for axis in (upper.xaxis, upper.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:.0%}")


def _draw_numbers(axes: Any, n: Floats) -> None:
    axes.stairs(n, np.linspace(0, 1, len(n) + 1), fill=True, color=BLUE, alpha=FILL)
    axes.set_xlim(0, 1)
    axes.set_yscale("log")
    axes.set_ylim(bottom=_BELOW_ONE)
    axes.yaxis.set_major_formatter(with_thousands)
    axes.set_ylabel("candidates")
    axes.set_xlabel("probability that was said")
