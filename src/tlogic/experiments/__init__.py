"""Experiments: what data is like, the tables and figures of the paper, and the search for good settings."""

from tlogic.experiments.reproduction import reproduce
from tlogic.experiments.statistics import Statistics, statistics
from tlogic.experiments.tuning import Tried, Tuning, tune
from tlogic.experiments.tuning_report import report_tuning

__all__ = ["Statistics", "Tried", "Tuning", "report_tuning", "reproduce", "statistics", "tune"]
