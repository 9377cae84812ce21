"""Explaining: why a candidate was predicted, as rules and dated facts."""

from tlogic.explaining.explanation import Explanation, Reason, explain

__all__ = ["Explanation", "Reason", "explain"]
