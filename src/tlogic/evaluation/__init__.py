"""Evaluation: ranks of true answers, and the figures they make."""

from tlogic.evaluation.evaluator import Evaluation, evaluate
from tlogic.evaluation.ranks import Ranks

__all__ = ["Evaluation", "Ranks", "evaluate"]
