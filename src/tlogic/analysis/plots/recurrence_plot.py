"""A plot of how much of what happens has happened before."""

from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from tlogic.analysis.plots.plot_style import plotting
from tlogic.analysis.plots.time_axis import Spans, cut_time, moments, set_time_axis
from tlogic.analysis.repetition import seen_before
from tlogic.figures import BLUE, ORANGE, SLATE
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats

_MOST_POINTS = 100
_LABEL_GAP = 0.14
_LOWEST_LABEL = 0.03
# Lines at 0% and 100% are drawn over the frame, not cut in half by it.
_WHOLE = {"clip_on": False, "zorder": 3}


class _Line(NamedTuple):
    label: str
    shares: Floats
    color: str
    width: float
    """The first is the widest, so that it shows where the next lies upon it."""


def plot_recurrence(graph: TemporalGraph, path: str | PathLike[str]) -> None:
    """Draw which share of the facts was seen before, along time, to an SVG or PNG file."""
    spans, seen = cut_time(graph, _MOST_POINTS), seen_before(graph.facts)
    step = graph.timeline.span_of(1).removeprefix("1 ")
    lines = [
        _Line("same pair,\nany relation", _shares(spans, seen.pair), SLATE, 2.4),
        _Line("same fact", _shares(spans, seen.fact), BLUE, 1.8),
        _Line(f"same fact\nthe {step} before", _shares(spans, seen.fact_just_before), ORANGE, 1.2),
    ]
    with plotting(path) as figure:
        axes = figure.add_subplot()
        edges = moments(graph.timeline, spans.edges)
        for line in lines:
            axes.stairs(line.shares, edges, baseline=None, color=line.color, linewidth=line.width, **_WHOLE)
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_ylabel(f"share of facts, {graph.timeline.span_of(spans.size)} at a time")
        set_time_axis(axes, graph, "Facts seen before")
        _label_lines(axes, lines)


def _shares(spans: Spans, chosen: Any) -> Floats:
    with np.errstate(invalid="ignore"):  # where there are no facts, there is no share
        return spans.sums(chosen) / spans.sums()


def _label_lines(axes: Any, lines: list[_Line]) -> None:
    """Name each line at its end. No line ever crosses the one above it, so that names only need to be kept apart."""
    height = 1 + _LABEL_GAP
    for below, line in zip(reversed(range(len(lines))), lines, strict=True):
        height = min(max(line.shares[-1], _LOWEST_LABEL + below * _LABEL_GAP), height - _LABEL_GAP)
        axes.annotate(
            line.label,
            (1, height),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=line.color,
        )
