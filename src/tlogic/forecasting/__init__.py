"""Forecasting: groundings of rules become scores, scores become ranked candidates."""

from tlogic.forecasting.forecaster import Forecaster
from tlogic.forecasting.settings import ApplicationSettings

__all__ = ["ApplicationSettings", "Forecaster"]
