"""The models that explanations are tested with."""

from tests.models.conftest import boosted, model, scorecard, world

__all__ = ["boosted", "model", "scorecard", "world"]
