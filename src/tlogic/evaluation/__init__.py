"""Evaluation: the ranks of true answers, and the metrics they give."""

from tlogic.evaluation.backtest import Backtest, Origins, backtest_model
from tlogic.evaluation.evaluation import Evaluation, evaluate_forecaster, evaluate_many
from tlogic.evaluation.ranks import Ranks
from tlogic.evaluation.split_queries import PROTOCOLS, Filter, Protocol

__all__ = [
    "PROTOCOLS",
    "Backtest",
    "Evaluation",
    "Filter",
    "Origins",
    "Protocol",
    "Ranks",
    "backtest_model",
    "evaluate_forecaster",
    "evaluate_many",
]
