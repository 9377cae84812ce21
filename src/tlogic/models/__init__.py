"""Models: learned scores, as sums of evidence that a person can read."""

from typing import TYPE_CHECKING

from tlogic.lazy import lazy_names

if TYPE_CHECKING:
    from tlogic.models.counted_rules import CountedRule
    from tlogic.models.fitting import fit_model
    from tlogic.models.model import Model
    from tlogic.models.model_forecaster import ModelForecaster
    from tlogic.models.settings import FitSettings

__all__ = [
    "CountedRule",
    "FitSettings",
    "Model",
    "ModelForecaster",
    "fit_model",
]
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "CountedRule": "tlogic.models.counted_rules",
        "FitSettings": "tlogic.models.settings",
        "Model": "tlogic.models.model",
        "ModelForecaster": "tlogic.models.model_forecaster",
        "fit_model": "tlogic.models.fitting",
    },
)
