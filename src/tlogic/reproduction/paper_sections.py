"""The sections of the reproduction report: the paper's experiments with TLogic in order, then learned models."""

from collections.abc import Callable

from tlogic.analysis.reports.section import Section
from tlogic.reproduction.ablation import ablation, pair_tables
from tlogic.reproduction.appendix import lengths, rule_counts, score_function, seeds, times, walks, windows
from tlogic.reproduction.example_rules import examples
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.model_comparison import models, other_split
from tlogic.reproduction.paper_tables import dataset_statistics, main_results, transfer
from tlogic.reproduction.reliability_table import reliability

SECTIONS: dict[str, Callable[[ExperimentRunner], Section]] = {
    "main": main_results,
    "examples": examples,
    "transfer": transfer,
    "statistics": dataset_statistics,
    "walks": walks,
    "lengths": lengths,
    "windows": windows,
    "scores": score_function,
    "counts": rule_counts,
    "seeds": seeds,
    "times": times,
    "models": models,
    "other-split": other_split,
    "ablation": ablation,
    "pairs": pair_tables,
    "reliability": reliability,
}
MODEL_SECTIONS = {"models", "other-split", "ablation", "pairs", "reliability"}
"""Those that fit models."""
