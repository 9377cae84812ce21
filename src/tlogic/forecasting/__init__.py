"""Forecasting: queries in, ranked candidates out; with rules, whose groundings become scores."""

from typing import TYPE_CHECKING

from tlogic.lazy import lazy_names

if TYPE_CHECKING:
    from tlogic.forecasting.answers import Candidate
    from tlogic.forecasting.forecast import Forecast
    from tlogic.forecasting.forecaster import Forecaster
    from tlogic.forecasting.queries import Query
    from tlogic.forecasting.rule_forecaster import RuleForecaster
    from tlogic.forecasting.settings import ApplicationSettings

__all__ = [
    "ApplicationSettings",
    "Candidate",
    "Forecast",
    "Forecaster",
    "Query",
    "RuleForecaster",
]
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "ApplicationSettings": "tlogic.forecasting.settings",
        "Candidate": "tlogic.forecasting.answers",
        "Forecast": "tlogic.forecasting.forecast",
        "Forecaster": "tlogic.forecasting.forecaster",
        "Query": "tlogic.forecasting.queries",
        "RuleForecaster": "tlogic.forecasting.rule_forecaster",
    },
)
