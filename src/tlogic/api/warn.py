"""Warn of forecasts by rules or models that do not fit the data."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlogic.errors import ForecastWarning

if TYPE_CHECKING:
    from tlogic.forecasting.forecast_warnings import Kind
    from tlogic.graph import TemporalGraph
    from tlogic.models import Model
    from tlogic.rules import RuleSet

_CALLER = 4
"""The stack level of the code that called the public function."""


def warn_of_misfit(
    graph: "TemporalGraph",
    forecaster: "RuleSet | Model",
    steps: Sequence[int],
    description: Mapping[str, Any] | None = None,
) -> None:
    """Issue a `ForecastWarning` for each reason to doubt forecasts for some time steps."""
    from tlogic.forecasting.forecast_warnings import forecast_warnings

    _issue(forecast_warnings(graph, _kind_of(forecaster), forecaster.data, steps, description))


def warn_of_known_facts(graph: "TemporalGraph", forecaster: "RuleSet | Model", facts: str, first: int) -> None:
    """Issue a `ForecastWarning` for each reason to doubt figures of a period: its facts may have been learned from."""
    from tlogic.forecasting.forecast_warnings import figure_warnings

    _issue(figure_warnings(graph, _kind_of(forecaster), forecaster.data, facts, first))


def _kind_of(forecaster: "RuleSet | Model") -> "Kind":
    from tlogic.rules import RuleSet

    return "rules" if isinstance(forecaster, RuleSet) else "model"


def _issue(messages: Iterable[str]) -> None:
    for message in messages:
        warnings.warn(message, ForecastWarning, stacklevel=_CALLER)
