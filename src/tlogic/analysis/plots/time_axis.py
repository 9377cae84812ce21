"""Shared by plots over time: intervals of equal length, and a time axis that shows dates and splits."""

from typing import Any, NamedTuple

import numpy as np

from tlogic.analysis.plots.plot_style import set_header
from tlogic.events.timeline import Timeline
from tlogic.figures import LINE
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats, Ints

# Units per natural cycle. Intervals of whole cycles avoid artefacts: parts of weeks would show weekends as noise.
_CYCLES = {"second": 60, "minute": 60, "hour": 24, "day": 7, "business day": 5, "month": 12}
_SPLIT_COLORS = {"training": "#ffffff", "validation": "#eef2f7", "test": "#fdeadd"}
# The range of dates that matplotlib supports.
_FIRST_DATE, _LAST_DATE = np.datetime64("0001-01-01", "s"), np.datetime64("9999-12-31", "s")


class Intervals(NamedTuple):
    """The time range of a graph, divided into intervals of equal length; only the last may differ."""

    edges: Ints
    """The start of each interval, and the end of the last."""
    length: int
    """In time steps."""
    of_fact: Ints
    """For each fact: the index of its interval."""

    def sums(self, weights: Any = None) -> Floats:
        """The number of facts in each interval, or the sum of their weights."""
        return np.bincount(self.of_fact, weights, minlength=len(self.edges) - 1).astype(np.float64)


def divide_time(graph: TemporalGraph, max_intervals: int) -> Intervals:
    """Divide the time range into intervals of one step, or of whole weeks (days, hours, ...) if those are too many."""
    first, end = int(graph.facts.time[0]), graph.end
    length = -(-(end - first) // max_intervals)
    if length > 1:
        cycle = _steps_per_cycle(graph.timeline)
        length = -(-length // cycle) * cycle
    # A remainder of less than half an interval belongs to the interval before it.
    starts = np.arange(first, max(end - length // 2, first + 1), length)
    of_fact = np.minimum((graph.facts.time - first) // length, len(starts) - 1)
    return Intervals(np.append(starts, end), length, of_fact)


def _steps_per_cycle(timeline: Timeline) -> int:
    cycle = _CYCLES.get(timeline.unit, 1)
    return cycle // timeline.count if cycle % timeline.count == 0 else 1


def axis_values(timeline: Timeline, steps: Ints) -> Any:
    """Time steps as dates or numbers for an axis."""
    labels = timeline.labels_of(steps)
    if timeline.unit in ("integer", "year"):
        return labels.astype(np.int64)
    return np.clip(labels.astype("datetime64[s]"), _FIRST_DATE, _LAST_DATE)


def set_time_axis(axes: Any, graph: TemporalGraph, title: str) -> None:
    """Set the title, the range and ticks of the time axis, and the splits as background colours."""
    from matplotlib.patches import Patch

    bounds = np.clip([0, graph.valid_from, graph.test_from, graph.end], graph.facts.time[0], graph.end)
    values = axis_values(graph.timeline, bounds)
    handles = []
    for i, (name, color) in enumerate(_SPLIT_COLORS.items()):
        n_facts = len(graph.facts.between(*bounds[i : i + 2]).time)
        if n_facts:
            axes.axvspan(values[i], values[i + 1], color=color, linewidth=0, zorder=0)
            handles.append(Patch(facecolor=color, edgecolor=LINE, label=f"{name}, {n_facts:,} facts"))
    axes.set_xlim(values[0], values[-1])
    _set_ticks(axes, values)
    set_header(axes, title, handles)


def _set_ticks(axes: Any, values: Any) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.ticker import MaxNLocator

    if values.dtype.kind == "M":
        locator = AutoDateLocator(minticks=4, maxticks=9)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(9, integer=True, steps=[1, 2, 5, 10]))
        axes.ticklabel_format(axis="x", style="plain", useOffset=False)
        axes.set_xlabel("time")
