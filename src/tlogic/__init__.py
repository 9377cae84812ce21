"""Learn temporal rules and models from dated events, forecast what comes next, and explain each forecast.

>>> import tlogic
>>> graph = tlogic.sample()
>>> rules = tlogic.learn(graph)
>>> evaluation = tlogic.evaluate(graph, rules)
>>> forecast = tlogic.forecast(graph, rules, [("Kite Aviation", "sue")])
>>> explanation = forecast.explain(0, forecast[0][0].name)
"""

from typing import TYPE_CHECKING

from tlogic.lazy import lazy_names
from tlogic.version import __version__

if TYPE_CHECKING:
    from tlogic import analysis, reproduction, serving
    from tlogic.analysis import plots
    from tlogic.api import (
        backtest,
        changes,
        evaluate,
        fit,
        forecast,
        index,
        learn,
        load,
        measure,
        outlook,
        read,
        sample,
        seal,
        surprises,
        watch,
    )
    from tlogic.errors import ForecastWarning, InputError, SettingsError, TLogicError, UnknownNameError
    from tlogic.evaluation import Evaluation
    from tlogic.explaining import Explanation, Fact, ModelExplanation, RuleExplanation
    from tlogic.forecasting import ApplicationSettings, Candidate, Forecast, Query
    from tlogic.graph import TemporalGraph
    from tlogic.learning import LearningSettings
    from tlogic.models import FitSettings, Model
    from tlogic.rules import Rule, RuleSet

# Names are imported on first use, so that `import tlogic` and `tlogic --help` are instant.
_HOMES = {
    "ApplicationSettings": "tlogic.forecasting",
    "Candidate": "tlogic.forecasting",
    "Evaluation": "tlogic.evaluation",
    "Explanation": "tlogic.explaining",
    "Fact": "tlogic.explaining",
    "FitSettings": "tlogic.models",
    "Forecast": "tlogic.forecasting",
    "ForecastWarning": "tlogic.errors",
    "InputError": "tlogic.errors",
    "LearningSettings": "tlogic.learning",
    "Model": "tlogic.models",
    "ModelExplanation": "tlogic.explaining",
    "Query": "tlogic.forecasting",
    "Rule": "tlogic.rules",
    "RuleExplanation": "tlogic.explaining",
    "RuleSet": "tlogic.rules",
    "SettingsError": "tlogic.errors",
    "TLogicError": "tlogic.errors",
    "TemporalGraph": "tlogic.graph",
    "UnknownNameError": "tlogic.errors",
    "__version__": "tlogic.version",
    "backtest": "tlogic.api",
    "changes": "tlogic.api",
    "evaluate": "tlogic.api",
    "fit": "tlogic.api",
    "forecast": "tlogic.api",
    "index": "tlogic.api",
    "learn": "tlogic.api",
    "load": "tlogic.api",
    "measure": "tlogic.api",
    "outlook": "tlogic.api",
    "read": "tlogic.api",
    "sample": "tlogic.api",
    "seal": "tlogic.api",
    "surprises": "tlogic.api",
    "watch": "tlogic.api",
    "analysis": "tlogic.analysis",
    "plots": "tlogic.analysis.plots",
    "reproduction": "tlogic.reproduction",
    "serving": "tlogic.serving",
}

__all__ = [
    "ApplicationSettings",
    "Candidate",
    "Evaluation",
    "Explanation",
    "Fact",
    "FitSettings",
    "Forecast",
    "ForecastWarning",
    "InputError",
    "LearningSettings",
    "Model",
    "ModelExplanation",
    "Query",
    "Rule",
    "RuleExplanation",
    "RuleSet",
    "SettingsError",
    "TLogicError",
    "TemporalGraph",
    "UnknownNameError",
    "__version__",
    "analysis",
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
    "plots",
    "read",
    "reproduction",
    "sample",
    "seal",
    "serving",
    "surprises",
    "watch",
]
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
