"""A plot of degrees: how many facts and neighbours entities and relations have."""

from os import PathLike
from typing import Any

import numpy as np

from tlogic.analysis.plots.plot_style import plotting, set_header, set_log_ticks, with_thousands
from tlogic.analysis.statistics import facts_per_entity, facts_per_relation, neighbours_per_entity
from tlogic.figures import BLUE, ORANGE, SLATE
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Ints


def plot_degrees(graph: TemporalGraph, path: str | PathLike[str]) -> None:
    """Plot the share of entities and relations that have at least a given number of facts or neighbours.

    Args:
        graph: The graph; entities and relations without facts are left out.
        path: The SVG or PNG file to write.

    Raises:
        InputError: If the path is not an SVG or PNG file, or if matplotlib is not installed.

    Example:
        >>> import tlogic
        >>> plot_degrees(tlogic.sample(), "degrees.svg")
    """
    relations, entities = facts_per_relation(graph.facts), facts_per_entity(graph.facts)
    relations, neighbours = relations[relations > 0], neighbours_per_entity(graph.facts)[entities > 0]
    entities = entities[entities > 0]
    with plotting(path, width=7.0, height=4.6) as figure:
        axes = figure.add_subplot()
        _draw(axes, relations, f"relations by facts ({len(relations):,})", ORANGE)
        _draw(axes, entities, f"entities by facts ({len(entities):,})", BLUE)
        _draw(axes, neighbours, "entities by neighbours", SLATE)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(top=1.25)
        set_log_ticks(axes.xaxis, *axes.get_xlim())
        set_log_ticks(axes.yaxis, *axes.get_ylim())
        axes.xaxis.set_major_formatter(with_thousands)
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
        axes.grid(True, axis="both")
        axes.set_xlabel("number of facts or neighbours")
        axes.set_ylabel("share with at least this number")
        set_header(axes, "Degrees")


def _draw(axes: Any, counts: Ints, label: str, color: str) -> None:
    """Draw the complementary cumulative distribution, without 0, which a logarithmic axis cannot show."""
    values, times = np.unique(counts, return_counts=True)
    at_least = times[::-1].cumsum()[::-1] / len(counts)
    axes.step(values[values > 0], at_least[values > 0], where="pre", color=color, label=label)
    axes.plot(values[-1:], at_least[-1:], "o", color=color, markersize=3)
