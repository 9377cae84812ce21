"""Warn of forecasts by rules or models that do not fit the data."""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlogic.errors import ForecastWarning

if TYPE_CHECKING:
    from tlogic.graph import TemporalGraph
    from tlogic.models import Model
    from tlogic.rules import RuleSet

_CALLER = 3
"""The stack level of the code that called the public function."""


def warn_of_misfit(
    graph: "TemporalGraph",
    forecaster: "RuleSet | Model",
    steps: Sequence[int],
    description: Mapping[str, Any] | None = None,
) -> None:
    """Issue a `ForecastWarning` for each reason to doubt forecasts for some time steps."""
    from tlogic.forecasting.forecast_warnings import forecast_warnings
    from tlogic.rules import RuleSet

    kind: Any = "rules" if isinstance(forecaster, RuleSet) else "model"
    for message in forecast_warnings(graph, kind, forecaster.data, steps, description):
        warnings.warn(message, ForecastWarning, stacklevel=_CALLER)


def warn_of_known_split(graph: "TemporalGraph", forecaster: "RuleSet | Model", split: str) -> None:
    """Issue a `ForecastWarning` if the forecaster was learned from facts of the split that it is to forecast."""
    from tlogic.forecasting.forecast_warnings import forecast_warnings, learned_until
    from tlogic.rules import RuleSet

    kind: Any = "rules" if isinstance(forecaster, RuleSet) else "model"
    for message in forecast_warnings(graph, kind, forecaster.data, ()):
        warnings.warn(message, ForecastWarning, stacklevel=_CALLER)
    until = learned_until(graph, forecaster.data)
    if until is not None and until >= (graph.valid_from if split == "valid" else graph.test_from):
        learned = "The rules were learned from" if kind == "rules" else "The model was fitted to"
        warnings.warn(
            f"{learned} facts up to {forecaster.data['until']}, which include {split} facts; the figures are too good.",
            ForecastWarning,
            stacklevel=_CALLER,
        )
