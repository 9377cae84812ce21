"""Forecasting: groundings of rules become scores, scores become ranked candidates."""

from tlogic.forecasting.forecast import Candidate, Forecast, forecast
from tlogic.forecasting.forecaster import Forecaster
from tlogic.forecasting.queries import Query
from tlogic.forecasting.settings import ApplicationSettings

__all__ = ["ApplicationSettings", "Candidate", "Forecast", "Forecaster", "Query", "forecast"]
