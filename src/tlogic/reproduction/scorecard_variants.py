"""Many scorecards, each over some families of evidence, from evidence that is gathered once for all of them.

Columns of evidence are cut into bins one by one, and candidates do not depend on them, so each scorecard is the one
that `fit(graph, evidence=families, train_on="train")` gives.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tlogic.evaluation.ranks import RankCounts, Ranks, summary
from tlogic.evaluation.split_queries import SplitQueries
from tlogic.evidence.query_evidence import EvidencePart, QueryEvidence
from tlogic.evidence.registry import DEFAULT_FAMILIES, evidence_columns
from tlogic.execution import Execution
from tlogic.forecasting.application import Scored
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats
from tlogic.models.bins import N_BINS, Bins
from tlogic.models.scorecard import learn_weights, scores_of
from tlogic.models.settings import FitSettings
from tlogic.models.training_data import collect_training_data

Families = tuple[str, ...]
Progress = Callable[..., Any] | None

SEED = 12


class Variants(NamedTuple):
    """Scorecards over the same columns; the weights of families that are left out are zero."""

    half_lives: Floats
    bins: Bins
    weights: list[Floats]


def fit_variants(
    graph: TemporalGraph, variants: Sequence[Families], threads: int | None = None, progress: Progress = None
) -> Variants:
    """A scorecard for each choice of families, with weights from the training facts."""
    data = collect_training_data(graph, FitSettings(train_on="train", seed=SEED), Execution(threads, progress=progress))
    bins, examples = data.bins, data.examples
    families = np.array([family for family, _ in evidence_columns(DEFAULT_FAMILIES)])
    weights: list[Floats] = []
    for chosen in _follow(progress, variants, len(variants), "scorecards"):
        own = np.isin(families, chosen)
        some = examples._replace(bins=np.ascontiguousarray(examples.bins[:, own]))
        weight = np.zeros((len(families), N_BINS + 1))
        weight[own] = learn_weights(some, bins.sizes[own], threads)
        weights.append(weight)
    return Variants(data.half_lives, bins, weights)


def evaluate_variants(
    graph: TemporalGraph, variants: Variants, split: str, threads: int | None = None, progress: Progress = None
) -> list[dict[str, float]]:
    """The figures of each scorecard on a split, realistic ties, time-aware filter."""

    queries = SplitQueries(graph, split, "time-aware", multi_step=False)

    def rank(part: EvidencePart) -> list[RankCounts]:
        _, pairs, evidence = part.extracted
        bins, no_rules = variants.bins.of(evidence), np.zeros(len(part.query), np.int64)
        scored = (Scored(pairs.start, pairs.candidate, scores_of(each, bins), no_rules) for each in variants.weights)
        return [queries.rank(part.query, each) for each in scored]

    evidence = QueryEvidence(graph, DEFAULT_FAMILIES, variants.half_lives)
    execution = Execution(threads, progress=progress)
    parts = [part for parts in evidence.map(queries.batch, rank, execution, keep=False) for part in parts]
    return [_figures(rank_counts) for rank_counts in zip(*parts, strict=True)]


def _figures(rank_counts: Sequence[RankCounts]) -> dict[str, float]:
    higher, same = (np.concatenate([part[place] for part in rank_counts]) for place in (0, 1))
    return summary(Ranks(higher, same).realistic)


def _follow(progress: Progress, items: Any, total: int, description: str) -> Any:
    return progress(items, total=total, description=description) if progress else items
