"""Explaining: why a candidate was predicted, as rules and dated facts."""

from tlogic.explaining.explanation import Explanation, Fact, Grounding, Reason, explain

__all__ = ["Explanation", "Fact", "Grounding", "Reason", "explain"]
