"""Compare models with rules and with single families of evidence on generated worlds unlike ICEWS.

    python -m benchmarks.robustness [WORLD ...]

Each row gives the MRR on the test facts of the rules, of the best model with one family of evidence, and of the model
with all families, and the calibration error of its probabilities, weighted by answers.
"""

import sys

from rich.console import Console
from rich.table import Table

import tlogic
from benchmarks import worlds
from tlogic.evidence.registry import DEFAULT_FAMILIES
from tlogic.graph import TemporalGraph

WORLDS = {
    "weekly": worlds.weekly,
    "regular": worlds.regular,
    "yearly": worlds.yearly,
    "15 minutes": worlds.quarter_hourly,
}


def compare(graph: TemporalGraph) -> list[str]:
    """The cells of one row."""
    rules = tlogic.evaluate(graph, tlogic.learn(graph)).mrr
    single = {family: tlogic.evaluate(graph, tlogic.fit(graph, evidence=[family])).mrr for family in DEFAULT_FAMILIES}
    best = max(single, key=lambda family: single[family])
    found = tlogic.evaluate(graph, tlogic.fit(graph))
    error = found.reliability.error_by_answers if found.reliability else float("nan")
    return [
        f"{len(graph.facts.time):,}",
        f"{rules:.4f}",
        f"{single[best]:.4f} ({best})",
        f"{found.mrr:.4f}",
        f"{error:.4f}",
    ]


def main() -> None:
    table = Table("world", "facts", "rules", "best family", "model", "calibration error")
    for name in sys.argv[1:] or WORLDS:
        table.add_row(name, *compare(WORLDS[name]()))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
