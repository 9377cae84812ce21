"""A plot of the share of facts that occurred before, over time."""

from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from tlogic.analysis.plots.plot_style import plotting
from tlogic.analysis.plots.time_axis import Intervals, axis_values, divide_time, set_time_axis
from tlogic.analysis.repetition import seen_before
from tlogic.figures import BLUE, ORANGE, SLATE
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats

_MAX_POINTS = 100
# In fractions of the height of the axes.
_LABEL_GAP = 0.14
_LOWEST_LABEL = 0.03
# Draw lines at 0% and 100% over the frame, which would otherwise clip them to half their width.
_UNCLIPPED = {"clip_on": False, "zorder": 3}


class _Line(NamedTuple):
    label: str
    shares: Floats
    color: str
    width: float
    """Decreases from line to line, so that a line shows below the next one where they coincide."""


def plot_recurrence(graph: TemporalGraph, path: str | PathLike[str]) -> None:
    """Plot the share of facts that occurred before, over time.

    Args:
        graph: The graph.
        path: The SVG or PNG file to write.

    Raises:
        InputError: If the path is not an SVG or PNG file, or if matplotlib is not installed.

    Example:
        >>> import tlogic
        >>> plot_recurrence(tlogic.sample(), "recurrence.svg")
    """
    intervals, seen = divide_time(graph, _MAX_POINTS), seen_before(graph.facts)
    step = graph.timeline.span_of(1).removeprefix("1 ")
    lines = [
        _Line("same pair,\nany relation", _shares(intervals, seen.pair), SLATE, 2.4),
        _Line("same fact", _shares(intervals, seen.fact), BLUE, 1.8),
        _Line(f"same fact\nthe {step} before", _shares(intervals, seen.fact_just_before), ORANGE, 1.2),
    ]
    with plotting(path) as figure:
        axes = figure.add_subplot()
        edges = axis_values(graph.timeline, intervals.edges)
        for line in lines:
            axes.stairs(line.shares, edges, baseline=None, color=line.color, linewidth=line.width, **_UNCLIPPED)
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_ylabel(f"share of facts per {graph.timeline.span_of(intervals.length).removeprefix('1 ')}")
        set_time_axis(axes, graph, "Facts seen before")
        _label_lines(axes, lines)


def _shares(intervals: Intervals, is_chosen: Any) -> Floats:
    with np.errstate(invalid="ignore"):  # an interval without facts has no share
        return intervals.sums(is_chosen) / intervals.sums()


def _label_lines(axes: Any, lines: list[_Line]) -> None:
    """Label each line at its end. Lines never cross, so labels only have to be kept apart."""
    height = 1 + _LABEL_GAP
    for n_below, line in zip(reversed(range(len(lines))), lines, strict=True):
        height = min(max(line.shares[-1], _LOWEST_LABEL + n_below * _LABEL_GAP), height - _LABEL_GAP)
        axes.annotate(
            line.label,
            (1, height),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=line.color,
        )
