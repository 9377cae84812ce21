"""What each family of evidence brings to a scorecard: all of them, all but one, and one after the other."""

from collections.abc import Sequence
from typing import Any

from tlogic.analysis.reports.section import REALISTIC, Row, Section, Value
from tlogic.evidence.registry import DEFAULT_FAMILIES
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.scorecard_variants import SEED, Families, evaluate_variants, fit_variants
from tlogic.version import __version__

SPLITS = ("valid", "test")
_DATA = "icews14"
_ORDER = ("rules", "recurrence", "pair", "popularity", "habits", "constants", "paths", "chains", "acyclic")
"""From what the paper has to what it has not."""


def ablation(runner: ExperimentRunner) -> Section:
    """The MRR on validation and test facts by families of evidence, weights from the training facts alone."""
    variants = _variants()
    measured = _measured(runner, list(variants.values()))
    whole = measured[0]
    rows = []
    for label, figures in zip(variants, measured, strict=True):
        ours: dict[str, Value] = {f"{split} mrr": figures[split]["mrr"] for split in SPLITS}
        ours |= {f"{split}, change": f"{figures[split]['mrr'] - whole[split]['mrr']:+.4f}" for split in SPLITS}
        rows.append(Row(label, {REALISTIC: ours}, "tlogic reproduce --only ablation"))
    return Section(
        "ablation",
        "What each family of evidence brings",
        "ICEWS14, scorecards, weights from the training facts alone; the change is against all families. Evidence is "
        "gathered once, and a scorecard is fitted to the columns of each choice. Differences under 0.001 mean little.",
        ("families", ""),
        ("valid mrr", "test mrr", "valid, change", "test, change"),
        tuple(rows),
    )


def _variants() -> dict[tuple[str, str], Families]:
    """Families by what a row is called: first all, then those that are left out and built up."""
    found: dict[tuple[str, str], Families] = {("all", ""): DEFAULT_FAMILIES}
    for name in DEFAULT_FAMILIES:
        found["left out", name] = tuple(other for other in DEFAULT_FAMILIES if other != name)
    for n, name in enumerate(_ORDER, 1):
        found["built up", name if n == 1 else f"+ {name}"] = tuple(x for x in DEFAULT_FAMILIES if x in _ORDER[:n])
    return found


def _measured(runner: ExperimentRunner, variants: Sequence[Families]) -> list[dict[str, Any]]:
    """By variant: figures by split; what is missing is measured together."""

    def about(families: Families) -> dict[str, Any]:
        return {
            "tlogic": __version__,
            "ablation": list(families),
            "data": runner.graph(_DATA).fingerprint,
            "seed": SEED,
        }

    missing = [families for families in dict.fromkeys(variants) if runner.results.find(about(families)) is None]
    if missing:
        graph = runner.graph(_DATA)
        fitted = fit_variants(graph, missing, runner.threads, runner.progress)
        by_split = {split: evaluate_variants(graph, fitted, split, runner.threads, runner.progress) for split in SPLITS}
        for place, families in enumerate(missing):
            runner.results.add(about(families), {split: figures[place] for split, figures in by_split.items()})
    return [runner.results.find(about(families)) for families in variants]
