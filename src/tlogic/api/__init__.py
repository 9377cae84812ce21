"""The functions of tlogic, for data, rules, models, forecasts and the events ahead.

Heavy modules are imported when a function first needs them, so that ``import tlogic`` and ``tlogic --help`` are
instant.
"""

from tlogic.api.forecasts import evaluate, forecast
from tlogic.api.graphs import index, read, sample
from tlogic.api.learning import fit, learn, load, measure, seal
from tlogic.api.monitoring import backtest, changes, outlook, surprises, watch

__all__ = [
    "backtest",
    "changes",
    "evaluate",
    "fit",
    "forecast",
    "index",
    "learn",
    "load",
    "measure",
    "outlook",
    "read",
    "sample",
    "seal",
    "surprises",
    "watch",
]
