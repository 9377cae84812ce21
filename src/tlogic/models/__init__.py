"""Models: scores that are learned, as sums of evidence that a person can read."""

from tlogic.models.counted_rules import CountedRule
from tlogic.models.fitting import fit
from tlogic.models.model import Model

__all__ = ["CountedRule", "Model", "fit"]
