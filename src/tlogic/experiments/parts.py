"""The parts of the report: the paper's experiments whose method is TLogic's, in its order, and learned models."""

from collections.abc import Callable

from tlogic.experiments.ablation import ablation
from tlogic.experiments.appendix import lengths, rule_counts, score_function, seeds, times, walks, windows
from tlogic.experiments.examples import examples
from tlogic.experiments.laboratory import Laboratory
from tlogic.experiments.models import models, other_split
from tlogic.experiments.reliability import reliability
from tlogic.experiments.section import Section
from tlogic.experiments.tables import dataset_statistics, main_results, transfer

PARTS: dict[str, Callable[[Laboratory], Section]] = {
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
    "reliability": reliability,
}
