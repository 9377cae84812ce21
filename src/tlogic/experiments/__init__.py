"""Experiments: what data is like, and the tables and figures of the paper."""

from tlogic.experiments.reproduction import reproduce
from tlogic.experiments.statistics import Statistics, statistics

__all__ = ["Statistics", "reproduce", "statistics"]
