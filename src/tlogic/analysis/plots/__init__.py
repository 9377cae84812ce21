"""Plots of graphs, rules, models and evaluations, as SVG or PNG files."""

from tlogic.analysis.plots.age_plot import plot_ages
from tlogic.analysis.plots.degree_plot import plot_degrees
from tlogic.analysis.plots.event_plot import plot_events
from tlogic.analysis.plots.recurrence_plot import plot_recurrence
from tlogic.analysis.plots.reliability_plot import plot_reliability
from tlogic.analysis.plots.rule_plot import plot_rules
from tlogic.analysis.plots.weight_plot import plot_weights

__all__ = [
    "plot_ages",
    "plot_degrees",
    "plot_events",
    "plot_recurrence",
    "plot_reliability",
    "plot_rules",
    "plot_weights",
]
