"""Evaluation: ranks of true answers, and the figures they make."""

from tlogic.evaluation.evaluation import Evaluation, evaluate, evaluate_many
from tlogic.evaluation.ranks import Ranks

__all__ = ["Evaluation", "Ranks", "evaluate", "evaluate_many"]
