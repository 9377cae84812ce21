"""What plots along time share: spans of steps, the axis with its dates, and the splits behind it."""

from typing import Any, NamedTuple

import numpy as np

from tlogic.analysis.plots.plot_style import set_header
from tlogic.events.timeline import Timeline
from tlogic.figures import LINE
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats, Ints

# So many units make a larger one, after which life repeats: parts that cut weeks would show weekends as noise.
_CYCLES = {"second": 60, "minute": 60, "hour": 24, "day": 7, "month": 12}
_TINTS = {"training": "#ffffff", "validation": "#eef2f7", "test": "#fdeadd"}
# Beyond, matplotlib knows no dates.
_FIRST_DATE, _LAST_DATE = np.datetime64("0001-01-01", "s"), np.datetime64("9999-12-31", "s")


class Spans(NamedTuple):
    """The whole range of time in equal parts of one or more steps; the last is what is left."""

    edges: Ints
    """Where each part begins, and where the last ends."""
    size: int
    of_fact: Ints
    """For each fact: its part."""

    def sums(self, weights: Any = None) -> Floats:
        """How many facts are in each part, or the sum of their weights."""
        return np.bincount(self.of_fact, weights, minlength=len(self.edges) - 1).astype(np.float64)


def cut_time(graph: TemporalGraph, at_most: int) -> Spans:
    """Cut time into so many parts at most, in whole weeks (days, hours ...) where a part is longer than a step."""
    first, end = int(graph.facts.time[0]), graph.end
    size = -(-(end - first) // at_most)
    if size > 1:
        cycle = _cycle(graph.timeline)
        size = -(-size // cycle) * cycle
    starts = np.arange(first, max(end - size // 2, first + 1), size)  # a small rest belongs to the part before it
    of_fact = np.minimum((graph.facts.time - first) // size, len(starts) - 1)
    return Spans(np.append(starts, end), size, of_fact)


def _cycle(timeline: Timeline) -> int:
    cycle = _CYCLES.get(timeline.unit, 1)
    return cycle // timeline.count if cycle % timeline.count == 0 else 1


def moments(timeline: Timeline, steps: Ints) -> Any:
    """Steps as numbers or dates on an axis."""
    labels = timeline.labels_of(steps)
    if timeline.unit in ("integer", "year"):
        return labels.astype(np.int64)
    return np.clip(labels.astype("datetime64[s]"), _FIRST_DATE, _LAST_DATE)


def set_time_axis(axes: Any, graph: TemporalGraph, title: str) -> None:
    """The range of time, its dates, and the splits as tints of the ground."""
    from matplotlib.patches import Patch

    bounds = np.clip([0, graph.valid_from, graph.test_from, graph.end], graph.facts.time[0], graph.end)
    places = moments(graph.timeline, bounds)
    handles = []
    for i, (name, tint) in enumerate(_TINTS.items()):
        n_facts = len(graph.facts.between(*bounds[i : i + 2]).time)
        if n_facts:
            axes.axvspan(places[i], places[i + 1], color=tint, linewidth=0, zorder=0)
            handles.append(Patch(facecolor=tint, edgecolor=LINE, label=f"{name}, {n_facts:,} facts"))
    axes.set_xlim(places[0], places[-1])
    _set_dates(axes, places)
    set_header(axes, title, handles)


def _set_dates(axes: Any, places: Any) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.ticker import MaxNLocator

    if places.dtype.kind == "M":
        locator = AutoDateLocator(minticks=4, maxticks=9)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(9, integer=True, steps=[1, 2, 5, 10]))
        axes.ticklabel_format(axis="x", style="plain", useOffset=False)
        axes.set_xlabel("time")
