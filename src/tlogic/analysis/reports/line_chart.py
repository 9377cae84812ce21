"""Line charts for reports."""

from os import PathLike

from tlogic.analysis.plots.plot_style import plotting, set_header, with_thousands
from tlogic.analysis.reports.section import Chart
from tlogic.figures import BLUE, ORANGE, SLATE

_MAX_TICKS = 20


def plot_chart(chart: Chart, path: str | PathLike[str]) -> None:
    """Draw a chart to an SVG or PNG file; categories are spaced evenly along the axis."""
    is_categorical = any(isinstance(x, str) for x in chart.x)
    positions = range(len(chart.x)) if is_categorical else chart.x
    with plotting(path, width=5.6, height=3.6) as figure:
        axes = figure.add_subplot()
        for (name, values), color in zip(chart.lines.items(), (BLUE, ORANGE, SLATE), strict=False):
            errors = chart.errors.get(name)
            axes.errorbar(positions, values, yerr=errors, color=color, marker="o", markersize=4, label=name)
        shown = slice(None, None, 1 + len(chart.x) // _MAX_TICKS)
        if chart.has_ticks:
            axes.set_xticks(list(positions)[shown], [str(x) for x in chart.x][shown])
        axes.set_xlabel(chart.x_label)
        axes.set_ylabel(chart.y_label)
        axes.yaxis.set_major_formatter(with_thousands)
        set_header(axes, chart.title)
