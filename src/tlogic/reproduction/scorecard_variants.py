"""Scorecards for several choices of evidence and numbers of pair tables, from evidence that is extracted only once.

Features are binned independently, and the candidates do not depend on them. Each scorecard with the default number of
pair tables therefore equals the one from `fit(graph, evidence=families, train_on="train")`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tlogic.evaluation.ranks import RankCounts, Ranks, summary
from tlogic.evaluation.split_queries import SplitQueries
from tlogic.evidence.memory import Evidence
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.evidence.query_evidence import QueryEvidence
from tlogic.evidence.registry import DEFAULT_FAMILIES, evidence_columns
from tlogic.execution import Execution
from tlogic.forecasting.application import Scored
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.bins import N_BINS, Bins
from tlogic.models.pair_learning import MAX_TABLES, learn_pairs
from tlogic.models.pair_tables import PairTables, groups_of
from tlogic.models.scorecard import learn_weights
from tlogic.models.settings import FitSettings
from tlogic.models.softmax import scores_of
from tlogic.models.training_data import collect_training_data

Progress = Callable[..., Any] | None

SEED = 12


class Variant(NamedTuple):
    """A scorecard that uses some families of evidence and at most some number of pair tables."""

    families: tuple[str, ...] = DEFAULT_FAMILIES
    max_tables: int = MAX_TABLES


class Variants(NamedTuple):
    """Scorecards over the same features; features of omitted families have zero weights."""

    memory_settings: MemorySettings
    bins: Bins
    weights: list[Floats]
    pairs: list[PairTables]


def fit_variants(
    graph: TemporalGraph, variants: Sequence[Variant], threads: int | None = None, progress: Progress = None
) -> Variants:
    """Fit each scorecard to the training facts."""
    data = collect_training_data(graph, FitSettings(train_on="train", seed=SEED), Execution(threads, progress=progress))
    bins, examples = data.bins, data.examples
    families = np.array([family for family, _ in evidence_columns(DEFAULT_FAMILIES)])
    weights: list[Floats] = []
    pairs: list[PairTables] = []
    for chosen, max_tables in _track(progress, variants, len(variants), "scorecards"):
        is_chosen = np.isin(families, chosen)
        chosen_examples = examples._replace(bins=np.ascontiguousarray(examples.bins[:, is_chosen]))
        weight = np.zeros((len(families), N_BINS + 1))
        weight[is_chosen] = learn_weights(chosen_examples, bins.sizes[is_chosen], threads)
        weights.append(weight)
        scores = scores_of(weight[is_chosen], chosen_examples.bins)
        family = np.unique(families[is_chosen], return_inverse=True)[1]
        own = learn_pairs(chosen_examples, scores, bins.sizes[is_chosen], family, threads, max_tables)
        pairs.append(own._replace(column=np.flatnonzero(is_chosen)[own.column], group=groups_of(bins.sizes)))
    return Variants(data.memory_settings, bins, weights, pairs)


def evaluate_variants(
    graph: TemporalGraph, variants: Variants, split: str, threads: int | None = None, progress: Progress = None
) -> list[dict[str, float]]:
    """The metrics of each scorecard on a split, with realistic ties and the time-aware filter."""
    queries = SplitQueries(graph, split, "time-aware", multi_step=False)

    def rank(part: Evidence) -> tuple[Ints, list[RankCounts]]:
        query, context, evidence, _ = part
        bins, no_rules = variants.bins.of(evidence), np.zeros(len(query), np.int64)
        scores = (
            scores_of(weight, bins) + pairs.scores(bins)
            for weight, pairs in zip(variants.weights, variants.pairs, strict=True)
        )
        scored = (Scored(context.start, context.candidate, each, no_rules) for each in scores)
        return part.query, [queries.rank(part.query, each) for each in scored]

    evidence = QueryEvidence(graph, variants.memory_settings)
    execution = Execution(threads, progress=progress)
    parts = [part for parts in evidence.map(queries.batch, rank, execution) for part in parts]
    index, counts = zip(*parts, strict=True)
    in_order = [queries.in_order(index, of_variant) for of_variant in zip(*counts, strict=True)]
    return [summary(Ranks(each.higher, each.same).realistic) for each in in_order]


def _track(progress: Progress, items: Any, total: int, description: str) -> Any:
    return progress(items, total=total, description=description) if progress else items
