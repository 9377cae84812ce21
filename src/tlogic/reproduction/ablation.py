"""Ablation: what each family of evidence contributes to a scorecard, and what tables of two kinds of evidence do."""

from collections.abc import Sequence
from typing import Any

from tlogic.analysis.reports.section import REALISTIC, Chart, Row, Section, Value
from tlogic.evidence.registry import DEFAULT_FAMILIES
from tlogic.models.pair_learning import MAX_TABLES
from tlogic.reproduction.experiment_runner import ExperimentRunner
from tlogic.reproduction.scorecard_variants import SEED, Variant, evaluate_variants, fit_variants
from tlogic.version import __version__

SPLITS = ("valid", "test")
_COLUMNS = ("valid mrr", "test mrr", "valid, change", "test, change")
_DATA = "icews14"
_FIRST = ("rules", "recurrence", "pair", "popularity", "habits", "constants", "paths", "chains", "acyclic")
"""Families are added in this order, then all others. What the paper uses comes first."""
_MAX_TABLES = (0, 5, 10, 20, 30, 40, 60, 80)


def ablation(runner: ExperimentRunner) -> Section:
    """The MRR without each family, and with families added one by one."""
    variants = _variants()
    by_variant = _evaluated(runner, list(variants.values()))
    return Section(
        "ablation",
        "Contribution of each family of evidence",
        "ICEWS14, scorecards fitted to the training facts only. The change is relative to all families. Evidence is "
        "extracted once, and each scorecard is fitted to the features of its families. Differences below 0.001 are "
        "not meaningful.",
        ("families", ""),
        _COLUMNS,
        _rows(list(variants), by_variant, "tlogic reproduce --only ablation"),
    )


def pair_tables(runner: ExperimentRunner) -> Section:
    """The MRR by number of tables of two kinds of evidence."""
    by_variant = _evaluated(runner, [Variant(max_tables=n) for n in _MAX_TABLES])
    curves = {split: tuple(metrics[split]["mrr"] for metrics in by_variant) for split in SPLITS}
    return Section(
        "pairs",
        "Tables of two kinds of evidence",
        "ICEWS14, scorecards fitted to the training facts only, by their largest number of tables of two kinds of "
        f"evidence; models have up to {MAX_TABLES}. The change is relative to no tables. Evidence is extracted once. "
        "Differences below 0.001 are not meaningful.",
        ("tables",),
        _COLUMNS,
        _rows([(str(n),) for n in _MAX_TABLES], by_variant, "tlogic reproduce --only pairs"),
        charts=(
            Chart(
                "pairs-mrr",
                "MRR by number of tables of two kinds of evidence, ICEWS14",
                "tables",
                "MRR, realistic ties",
                _MAX_TABLES,
                curves,
            ),
        ),
    )


def _rows(labels: Sequence[tuple[str, ...]], by_variant: Sequence[dict[str, Any]], command: str) -> tuple[Row, ...]:
    """One row per variant, with its change from the first one."""
    first, rows = by_variant[0], []
    for label, metrics in zip(labels, by_variant, strict=True):
        ours: dict[str, Value] = {f"{split} mrr": metrics[split]["mrr"] for split in SPLITS}
        ours |= {f"{split}, change": f"{metrics[split]['mrr'] - first[split]['mrr']:+.4f}" for split in SPLITS}
        rows.append(Row(label, {REALISTIC: ours}, command))
    return tuple(rows)


def _variants() -> dict[tuple[str, str], Variant]:
    """Families by row label: all, then without each one, then added one by one."""
    variants = {("all", ""): Variant()}
    for name in DEFAULT_FAMILIES:
        variants["left out", name] = Variant(tuple(other for other in DEFAULT_FAMILIES if other != name))
    order = [*_FIRST, *(name for name in DEFAULT_FAMILIES if name not in _FIRST)]
    for n, name in enumerate(order, 1):
        families = tuple(each for each in DEFAULT_FAMILIES if each in order[:n])
        variants["built up", name if n == 1 else f"+ {name}"] = Variant(families)
    return variants


def _evaluated(runner: ExperimentRunner, variants: Sequence[Variant]) -> list[dict[str, Any]]:
    """The metrics of each variant by split; variants that are not cached are evaluated together."""

    def key(variant: Variant) -> dict[str, Any]:
        return {
            "tlogic": __version__,
            "ablation": list(variant.families),
            "max_tables": variant.max_tables,
            "data": runner.graph(_DATA).fingerprint,
            "seed": SEED,
        }

    missing = [variant for variant in dict.fromkeys(variants) if runner.results.find(key(variant)) is None]
    if missing:
        graph = runner.graph(_DATA)
        fitted = fit_variants(graph, missing, runner.threads, runner.progress)
        by_split = {split: evaluate_variants(graph, fitted, split, runner.threads, runner.progress) for split in SPLITS}
        for i, variant in enumerate(missing):
            runner.results.add(key(variant), {split: metrics[i] for split, metrics in by_split.items()})
    return [runner.results.find(key(variant)) for variant in variants]
