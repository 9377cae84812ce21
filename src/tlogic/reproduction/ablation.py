"""Ablation: what each family of evidence contributes to a scorecard."""

from collections.abc import Sequence
from typing import Any

from tlogic.analysis.reports.section import REALISTIC, Row, Section, Value
from tlogic.evidence.registry import DEFAULT_FAMILIES
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.scorecard_variants import SEED, Families, evaluate_variants, fit_variants
from tlogic.version import __version__

SPLITS = ("valid", "test")
_DATA = "icews14"
_FIRST = ("rules", "recurrence", "pair", "popularity", "habits", "constants", "paths", "chains", "acyclic")
"""Families are added in this order, then all others. What the paper uses comes first."""


def ablation(runner: ExperimentRunner) -> Section:
    """The MRR without each family, and with families added one by one."""
    variants = _variants()
    by_variant = _evaluated(runner, list(variants.values()))
    all_families = by_variant[0]
    rows = []
    for label, metrics in zip(variants, by_variant, strict=True):
        ours: dict[str, Value] = {f"{split} mrr": metrics[split]["mrr"] for split in SPLITS}
        ours |= {f"{split}, change": f"{metrics[split]['mrr'] - all_families[split]['mrr']:+.4f}" for split in SPLITS}
        rows.append(Row(label, {REALISTIC: ours}, "tlogic reproduce --only ablation"))
    return Section(
        "ablation",
        "Contribution of each family of evidence",
        "ICEWS14, scorecards fitted to the training facts only. The change is relative to all families. Evidence is "
        "extracted once, and each scorecard is fitted to the features of its families. Differences below 0.001 are "
        "not meaningful.",
        ("families", ""),
        ("valid mrr", "test mrr", "valid, change", "test, change"),
        tuple(rows),
    )


def _variants() -> dict[tuple[str, str], Families]:
    """Families by row label: all, then without each one, then added one by one."""
    variants: dict[tuple[str, str], Families] = {("all", ""): DEFAULT_FAMILIES}
    for name in DEFAULT_FAMILIES:
        variants["left out", name] = tuple(other for other in DEFAULT_FAMILIES if other != name)
    order = [*_FIRST, *(name for name in DEFAULT_FAMILIES if name not in _FIRST)]
    for n, name in enumerate(order, 1):
        variants["built up", name if n == 1 else f"+ {name}"] = tuple(x for x in DEFAULT_FAMILIES if x in order[:n])
    return variants


def _evaluated(runner: ExperimentRunner, variants: Sequence[Families]) -> list[dict[str, Any]]:
    """The metrics of each variant by split; variants that are not cached are evaluated together."""

    def key(families: Families) -> dict[str, Any]:
        return {
            "tlogic": __version__,
            "ablation": list(families),
            "data": runner.graph(_DATA).fingerprint,
            "seed": SEED,
        }

    missing = [families for families in dict.fromkeys(variants) if runner.results.find(key(families)) is None]
    if missing:
        graph = runner.graph(_DATA)
        fitted = fit_variants(graph, missing, runner.threads, runner.progress)
        by_split = {split: evaluate_variants(graph, fitted, split, runner.threads, runner.progress) for split in SPLITS}
        for i, families in enumerate(missing):
            runner.results.add(key(families), {split: metrics[i] for split, metrics in by_split.items()})
    return [runner.results.find(key(families)) for families in variants]
