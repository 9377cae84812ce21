"""Many scorecards, each over some families of evidence, from evidence that is gathered once for all of them.

Columns of evidence are cut into bins one by one, and candidates do not depend on them, so each scorecard is the one
that `fit(graph, evidence=families, train_on="train")` gives.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tlogic.evaluation.ranks import RankCounts, Ranks, summary
from tlogic.evidence.extraction import Extracted
from tlogic.evidence.registry import DEFAULT_FAMILIES, evidence_columns
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats
from tlogic.models.bins import N_BINS, Bins
from tlogic.models.evaluating import Place, each_part
from tlogic.models.scorecard import learn_weights, scores_of
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
    data = collect_training_data(graph, DEFAULT_FAMILIES, "train", SEED, threads, progress)
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

    def judge(part: Extracted, place: Place) -> list[RankCounts]:
        bins = variants.bins.of(part.evidence)
        return [place(scores_of(weight, bins)) for weight in variants.weights]

    lives = variants.half_lives
    done = each_part(graph, lives, DEFAULT_FAMILIES, judge, split, threads=threads, progress=progress)
    return [_figures(rank_counts) for rank_counts in zip(*done, strict=True)]


def _figures(rank_counts: Sequence[RankCounts]) -> dict[str, float]:
    higher, same = (np.concatenate([part[place] for part in rank_counts]) for place in (0, 1))
    return summary(Ranks(higher, same).realistic)


def _follow(progress: Progress, items: Any, total: int, description: str) -> Any:
    return progress(items, total=total, description=description) if progress else items
