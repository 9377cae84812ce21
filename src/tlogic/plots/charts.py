"""Charts of what experiments measured: a few lines over a common axis."""

from os import PathLike

from tlogic.experiments.section import Chart
from tlogic.pictures import BLUE, ORANGE, SLATE
from tlogic.plots.style import plotting, set_header, with_thousands

_MOST_TICKS = 20


def plot_chart(chart: Chart, path: str | PathLike[str]) -> None:
    """Draw a chart to an SVG or PNG file; an axis with names has its places side by side."""
    named = any(isinstance(x, str) for x in chart.x)
    places = range(len(chart.x)) if named else chart.x
    with plotting(path, width=5.6, height=3.6) as figure:
        axes = figure.add_subplot()
        for (name, values), color in zip(chart.lines.items(), (BLUE, ORANGE, SLATE), strict=False):
            axes.plot(places, values, color=color, marker="o", markersize=4, label=name)
        shown = slice(None, None, 1 + len(chart.x) // _MOST_TICKS)
        axes.set_xticks(list(places)[shown], [str(x) for x in chart.x][shown])
        axes.set_xlabel(chart.x_label)
        axes.set_ylabel(chart.y_label)
        axes.yaxis.set_major_formatter(with_thousands)
        set_header(axes, chart.title)
