"""A plot of the number of facts over time."""

from os import PathLike

import numpy as np

from tlogic.analysis.plots.plot_style import FILL_ALPHA, plotting, with_thousands
from tlogic.analysis.plots.time_axis import axis_values, divide_time, set_time_axis
from tlogic.figures import BLUE
from tlogic.graph import TemporalGraph

_MAX_BARS = 500


def plot_events(graph: TemporalGraph, path: str | PathLike[str]) -> None:
    """Plot the number of facts per time step, with the splits in the background.

    Args:
        graph: The graph.
        path: The SVG or PNG file to write.

    Raises:
        InputError: If the path is not an SVG or PNG file, or if matplotlib is not installed.

    Example:
        >>> import tlogic
        >>> plot_events(tlogic.sample(), "events.svg")
    """
    intervals = divide_time(graph, _MAX_BARS)
    per_step = intervals.sums() / np.diff(intervals.edges)
    with plotting(path) as figure:
        axes = figure.add_subplot()
        axes.stairs(per_step, axis_values(graph.timeline, intervals.edges), fill=True, color=BLUE, alpha=FILL_ALPHA)
        axes.set_ylim(0)
        axes.set_ylabel(_label(graph, intervals.length))
        axes.yaxis.set_major_formatter(with_thousands)
        set_time_axis(axes, graph, "Events over time")


def _label(graph: TemporalGraph, length: int) -> str:
    step = graph.timeline.span_of(1).removeprefix("1 ")
    return f"facts per {step}" + (f", mean of {graph.timeline.span_of(length)}" if length > 1 else "")
