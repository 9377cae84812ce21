"""Learn temporal logical rules from dated events, forecast what comes next, and show why.

>>> import tlogic
>>> graph = tlogic.sample()
>>> rules = tlogic.learn(graph)
>>> figures = tlogic.evaluate(graph, rules)
>>> forecast = tlogic.forecast(graph, rules, [("Kite Aviation", "sue")])
>>> why = forecast.explain(0, forecast[0][0].name)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tlogic.version import __version__

if TYPE_CHECKING:
    from tlogic.errors import InputError, SettingsError, TLogicError
    from tlogic.evaluation import Evaluation, evaluate
    from tlogic.explaining import Explanation
    from tlogic.forecasting import ApplicationSettings, Forecast, Query, forecast
    from tlogic.graph import TemporalGraph, read, sample
    from tlogic.learning import LearningSettings, learn, measure
    from tlogic.models import Model, fit
    from tlogic.rules import Rule, RuleSet

# Names are imported when they are first used, so that `import tlogic` and `tlogic --help` are instant.
_HOMES = {
    "ApplicationSettings": "tlogic.forecasting",
    "Evaluation": "tlogic.evaluation",
    "Explanation": "tlogic.explaining",
    "Forecast": "tlogic.forecasting",
    "InputError": "tlogic.errors",
    "LearningSettings": "tlogic.learning",
    "Model": "tlogic.models",
    "Query": "tlogic.forecasting",
    "Rule": "tlogic.rules",
    "RuleSet": "tlogic.rules",
    "SettingsError": "tlogic.errors",
    "TLogicError": "tlogic.errors",
    "TemporalGraph": "tlogic.graph",
    "evaluate": "tlogic.evaluation",
    "fit": "tlogic.models",
    "forecast": "tlogic.forecasting",
    "learn": "tlogic.learning",
    "measure": "tlogic.learning",
    "read": "tlogic.graph",
    "sample": "tlogic.graph",
}

__all__ = [
    "ApplicationSettings",
    "Evaluation",
    "Explanation",
    "Forecast",
    "InputError",
    "LearningSettings",
    "Model",
    "Query",
    "Rule",
    "RuleSet",
    "SettingsError",
    "TLogicError",
    "TemporalGraph",
    "__version__",
    "evaluate",
    "fit",
    "forecast",
    "learn",
    "measure",
    "read",
    "sample",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'tlogic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
