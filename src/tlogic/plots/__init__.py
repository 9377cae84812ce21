"""Plots: what a graph is like, and what rules and models are like, as pictures."""

from tlogic.plots.ages import plot_ages
from tlogic.plots.degrees import plot_degrees
from tlogic.plots.events import plot_events
from tlogic.plots.recurrence import plot_recurrence
from tlogic.plots.reliability import plot_reliability
from tlogic.plots.rules import plot_rules
from tlogic.plots.weights import plot_weights

__all__ = [
    "plot_ages",
    "plot_degrees",
    "plot_events",
    "plot_recurrence",
    "plot_reliability",
    "plot_rules",
    "plot_weights",
]
