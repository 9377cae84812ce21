"""A reliability diagram: predicted probabilities against the share of candidates that are true."""

from os import PathLike
from typing import Any

import numpy as np

from tlogic.analysis.plots.plot_style import BELOW_ONE, FILL_ALPHA, plotting, with_thousands
from tlogic.errors import InputError
from tlogic.evaluation import Evaluation
from tlogic.figures import BLUE, SLATE
from tlogic.graph.arrays import Floats


def plot_reliability(evaluation: Evaluation, path: str | PathLike[str]) -> None:
    """Plot the predicted probabilities of a model against the share of candidates that are true.

    The lower part shows the number of candidates by predicted probability.

    Args:
        evaluation: The evaluation of a model; rules give scores, not probabilities.
        path: The SVG or PNG file to write.

    Raises:
        InputError: If the evaluation has no probabilities, if the path is not an SVG or PNG file, or if matplotlib is
            not installed.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> evaluation = tlogic.evaluate(graph, tlogic.fit(graph, evidence=["popularity"]))
        >>> plot_reliability(evaluation, "reliability.svg")
    """
    reliability = evaluation.reliability
    if reliability is None:
        raise InputError("Rules give scores, not probabilities; expected the evaluation of a model.")
    n_per_bin = reliability.bins[0]
    n, *sums = (each[n_per_bin > 0] for each in reliability.bins)
    predicted, observed = (each / n for each in sums)
    with plotting(path, width=4.8, height=5.8) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        upper.plot((0, 1), (0, 1), color=SLATE, linewidth=1, linestyle="--", label="perfect calibration")
        upper.plot(predicted, observed, color=BLUE, marker="o", markersize=4, label="model", clip_on=False, zorder=3)
        upper.set_ylim(0, 1)
        upper.set_ylabel("share of candidates that are true")
        errors = f"error {reliability.error:.2%}, weighted by answers {reliability.error_by_answers:.2%}"
        upper.set_title(f"Reliability on {evaluation.settings['split']} facts\n{errors}")
        upper.legend(loc="upper left", borderaxespad=0.6)
        _draw_counts(lower, n_per_bin)
        for axis in (upper.xaxis, upper.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:.0%}")


def _draw_counts(axes: Any, n: Floats) -> None:
    axes.stairs(n, np.linspace(0, 1, len(n) + 1), fill=True, color=BLUE, alpha=FILL_ALPHA)
    axes.set_xlim(0, 1)
    axes.set_yscale("log")
    axes.set_ylim(bottom=BELOW_ONE)
    axes.yaxis.set_major_formatter(with_thousands)
    axes.set_ylabel("candidates")
    axes.set_xlabel("predicted probability")
