"""Plots: what a graph is like, and what rules are like, as pictures."""

from tlogic.plots.degrees import plot_degrees
from tlogic.plots.events import plot_events
from tlogic.plots.recurrence import plot_recurrence
from tlogic.plots.rules import plot_rules

__all__ = ["plot_degrees", "plot_events", "plot_recurrence", "plot_rules"]
