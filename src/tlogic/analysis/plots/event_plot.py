"""A plot of events over time."""

from os import PathLike

import numpy as np

from tlogic.analysis.plots.plot_style import FILL, plotting, with_thousands
from tlogic.analysis.plots.time_axis import cut_time, moments, set_time_axis
from tlogic.figures import BLUE
from tlogic.graph import TemporalGraph

_MOST_BARS = 500


def plot_events(graph: TemporalGraph, path: str | PathLike[str]) -> None:
    """Draw how many facts there are per step, with the splits behind them, to an SVG or PNG file."""
    spans = cut_time(graph, _MOST_BARS)
    per_step = spans.sums() / np.diff(spans.edges)
    with plotting(path) as figure:
        axes = figure.add_subplot()
        axes.stairs(per_step, moments(graph.timeline, spans.edges), fill=True, color=BLUE, alpha=FILL)
        axes.set_ylim(0)
        axes.set_ylabel(_label(graph, spans.size))
        axes.yaxis.set_major_formatter(with_thousands)
        set_time_axis(axes, graph, "Events over time")


def _label(graph: TemporalGraph, size: int) -> str:
    step = graph.timeline.span_of(1).removeprefix("1 ")
    return f"facts per {step}" + (f", mean of {graph.timeline.span_of(size)}" if size > 1 else "")
