"""Explaining: why a candidate has its score, by rules or by evidence, with the dated facts behind it."""

from tlogic.explaining.explanation import Explanation, Fact
from tlogic.explaining.model_explanation import Comparison, Contribution, ModelExplanation, explain_by_model
from tlogic.explaining.occurrence_explanation import OccurrenceExplanation, OddsFactor, explain_occurrence
from tlogic.explaining.rule_explanation import Grounding, Reason, RuleExplanation, explain_by_rules

__all__ = [
    "Comparison",
    "Contribution",
    "Explanation",
    "Fact",
    "Grounding",
    "ModelExplanation",
    "OccurrenceExplanation",
    "OddsFactor",
    "Reason",
    "RuleExplanation",
    "explain_by_model",
    "explain_by_rules",
    "explain_occurrence",
]
