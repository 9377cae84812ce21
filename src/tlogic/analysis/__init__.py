"""Analysis of a user's own data: dataset statistics, settings tuning and plots."""

from tlogic.analysis.backtest_report import report_backtest
from tlogic.analysis.statistics import Recurrence, Spread, Statistics, statistics
from tlogic.analysis.tuning import TrialResult, Tuning, tune
from tlogic.analysis.tuning_report import report_tuning

__all__ = [
    "Recurrence",
    "Spread",
    "Statistics",
    "TrialResult",
    "Tuning",
    "report_backtest",
    "report_tuning",
    "statistics",
    "tune",
]
