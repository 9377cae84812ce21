"""The parts of the paper's experiments whose method is TLogic's, in its order: each gives a section of the report."""

from collections.abc import Callable

from tlogic.experiments.appendix import lengths, rule_counts, score_function, seeds, times, walks, windows
from tlogic.experiments.examples import examples
from tlogic.experiments.laboratory import Laboratory
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
}
