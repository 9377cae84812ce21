"""Compare models with rules and with single families of evidence on data unlike ICEWS.

    python -m benchmarks.robustness [WORLD | DATASET ...]

Each row gives the MRR on the test facts of the rules, of the best scorecard with one family of evidence, and of the
scorecard with all families; by how much the latter is better than the better of both; and the calibration error of its
probabilities, weighted by answers, beside the error that exact probabilities would have by chance. Weights are learned
from the training facts. Generated worlds are small, so figures are means over several of them, and the difference is
followed by its standard error.
"""

import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

import tlogic
from benchmarks import worlds
from tlogic.evaluation.reliability import Reliability
from tlogic.evidence.registry import DEFAULT_FAMILIES
from tlogic.graph import TemporalGraph
from tlogic.reproduction.scorecard_variants import Variant, evaluate_variants, fit_variants

WORLDS: dict[str, tuple[Callable[[int], TemporalGraph], int]] = {
    "weekly": (worlds.weekly, 5),
    "tiny": (worlds.regular, 40),
    "yearly": (worlds.yearly, 10),
    "15 minutes": (worlds.quarter_hourly, 10),
}
"""What generates a world from a seed, and the number of worlds: more if chance matters more."""
COLUMNS = ("data", "facts", "rules", "best family", "model", "difference", "calibration error", "by chance")


class Figures(NamedTuple):
    """Of one graph."""

    n_facts: int
    rules: float
    families: list[float]
    """Per family: the MRR of a scorecard with it alone."""
    model: float
    reliability: Reliability


def measure(graph: TemporalGraph) -> Figures:
    """Evaluate rules, a scorecard per family, and one with all families on the test facts."""
    variants = fit_variants(graph, [Variant((family,)) for family in DEFAULT_FAMILIES])
    model = tlogic.evaluate(graph, tlogic.fit(graph, train_on="train"))
    assert model.reliability is not None
    return Figures(
        len(graph.facts.time),
        tlogic.evaluate(graph, tlogic.learn(graph)).mrr,
        [metrics["mrr"] for metrics in evaluate_variants(graph, variants, "test")],
        model.mrr,
        model.reliability,
    )


def row_of(graphs: Iterable[TemporalGraph]) -> list[str]:
    """The means over some graphs of one shape. The best family is the best on average."""
    found = [measure(graph) for graph in graphs]
    rules, model = (np.array([getattr(each, name) for each in found]) for name in ("rules", "model"))
    families = np.array([each.families for each in found])
    best = int(families.mean(axis=0).argmax())
    other = families[:, best] if families[:, best].mean() > rules.mean() else rules
    difference = model - other
    error = f" ± {difference.std(ddof=1) / np.sqrt(len(found)):.4f}" if len(found) > 1 else ""
    return [
        f"{np.mean([each.n_facts for each in found]):,.0f}",
        f"{rules.mean():.4f}",
        f"{families[:, best].mean():.4f} ({DEFAULT_FAMILIES[best]})",
        f"{model.mean():.4f}",
        f"{difference.mean():+.4f}{error}",
        f"{np.mean([each.reliability.error_by_answers for each in found]):.4f}",
        f"{np.mean([each.reliability.error_by_chance for each in found]):.4f}",
    ]


def graphs_of(name: str) -> Iterable[TemporalGraph]:
    """Generated worlds, or one dataset."""
    if name not in WORLDS:
        return [tlogic.read(name)]
    generate, n = WORLDS[name]
    return (generate(seed) for seed in range(1, n + 1))


def main(names: Iterable[str]) -> None:
    print("|", " | ".join(COLUMNS), "|")
    print("|---" * len(COLUMNS) + "|")
    for name in names:
        print("|", " | ".join([name, *row_of(graphs_of(name))]), "|", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or WORLDS)
