"""Evaluation: how high a forecaster ranks the true answers of a split."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import polars as pl

from tlogic.errors import SettingsError
from tlogic.evaluation.ranks import RankCounts, Ranks, summary
from tlogic.evaluation.reliability import Reliability
from tlogic.evaluation.split_queries import Filter, Protocol, SplitQueries
from tlogic.execution import Execution, Progress
from tlogic.forecasting.answers import ScoredQueries
from tlogic.forecasting.forecaster import Forecaster
from tlogic.forecasting.queries import part_of
from tlogic.forecasting.rule_forecaster import RuleForecaster
from tlogic.forecasting.settings import ApplicationSettings
from tlogic.graph.arrays import Bools, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.notebook import html_table
from tlogic.process_memory import peak_megabytes
from tlogic.rules import RuleSet

_QUERIES_PER_GROUNDED_CHUNK = 1000
"""Queries whose groundings each worker holds in memory at a time."""


@dataclass(frozen=True)
class Evaluation:
    """How high the true answers of a split rank.

    Attributes:
        ranks: The rank of each true answer, with ties resolved in three ways.
        fell_back: Per answer: whether its query had no candidate, so that the fallback ranked it.
        splits: The number of facts in each split.
        settings: The settings of the forecaster and of the evaluation.
        seconds: How long each stage took.
        reliability: How far the probabilities of a model came true; None for rules.
        peak_mb: The peak memory of the process when the evaluation ended, in megabytes, if the system reports it.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample()
        >>> evaluation = tlogic.evaluate(graph, tlogic.learn(graph, lengths=(1,)))
        >>> evaluation.mrr == evaluation.to_dict()["realistic"]["mrr"], evaluation.hits(1) < evaluation.hits(10)
        (True, True)
    """

    ranks: Ranks
    fell_back: Bools
    splits: dict[str, int]
    settings: dict[str, Any]
    seconds: dict[str, float]
    reliability: Reliability | None = None
    peak_mb: float | None = None

    @property
    def mrr(self) -> float:
        """The mean reciprocal rank under realistic ties."""
        return summary(self.ranks.realistic)["mrr"]

    def hits(self, k: int) -> float:
        """The share of true answers that rank ``k`` or better, under realistic ties."""
        ranks = self.ranks.realistic
        return float((ranks <= k).mean()) if len(ranks) else 0.0

    @property
    def frame(self) -> pl.DataFrame:
        """MRR and hits@1, 3 and 10 as a polars data frame, one way to resolve ties per row."""
        rows = [{"ties": ties, **figures} for ties, figures in self._figures().items()]
        return pl.DataFrame(rows)

    def __repr__(self) -> str:
        figures = ", ".join(
            f"{name.replace('mrr', 'MRR')} {value:.4f}" for name, value in summary(self.ranks.realistic).items()
        )
        return f"Evaluation({len(self.fell_back):,} queries: {figures})"

    def _repr_html_(self) -> str:
        return html_table(f"{len(self.fell_back):,} queries", self.frame.columns, self.frame.iter_rows())

    def to_dict(self) -> dict[str, Any]:
        """All figures, for JSON."""
        return {
            "queries": len(self.fell_back),
            "no_candidates": int(self.fell_back.sum()),
            **self._figures(),
            "splits": self.splits,
            "settings": self.settings,
            "seconds": self.seconds,
            "peak_mb": self.peak_mb,
        } | ({"reliability": self.reliability.to_dict()} if self.reliability else {})

    def _figures(self) -> dict[str, dict[str, float]]:
        """By way to resolve ties: the metrics."""
        return {ties: summary(getattr(self.ranks, ties)) for ties in ("optimistic", "realistic", "pessimistic")}


class _Part(NamedTuple):
    """The ranks of the answers of some queries, and how far the probabilities of their candidates came true."""

    query: Ints
    counts: RankCounts
    reliability: Reliability | None


def evaluate_forecaster(
    graph: TemporalGraph,
    forecaster: Forecaster,
    split: str,
    filter: Filter,
    multi_step: bool,
    execution: Execution = Execution(),
    protocol: Protocol = "paper",
) -> Evaluation:
    """Rank the true answers of every fact in a split, in both directions."""
    started = time.perf_counter()
    queries = SplitQueries(graph, split, filter, multi_step, protocol)

    def measure(part: ScoredQueries) -> _Part:
        counts = queries.rank(part.query, part.scored)
        if part.probability is None or part.expected_answers is None:
            return _Part(part.query, counts, None)
        is_true = queries.is_true(part.query, part.scored)
        found = Reliability.of(part.scored.start, part.probability, is_true, part.expected_answers)
        return _Part(part.query, counts, found)

    indexes, all_counts, reliability = [], [], None
    for part in forecaster.map_scored(queries.batch, measure, execution):
        indexes.append(part.query)
        all_counts.append(part.counts)
        if part.reliability is not None:
            reliability = part.reliability if reliability is None else reliability.plus(part.reliability)
    counts = queries.in_order(indexes, all_counts)
    return _evaluation(
        graph,
        counts,
        queries.description | forecaster.description,
        {"apply": time.perf_counter() - started},
        reliability,
    )


def evaluate_many(
    graph: TemporalGraph,
    rules: RuleSet,
    settings: Sequence[ApplicationSettings],
    *,
    split: str = "test",
    filter: Filter = "time-aware",
    multi_step: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Evaluation]:
    """Evaluate rules under many settings, each as ``tlogic.evaluate`` does, with rules grounded once for all of them.

    Args:
        graph: The graph that holds the split and the history before it.
        rules: The rules to apply.
        settings: The settings to compare. They may differ in all but ``max_groundings``.
        split: "valid" or "test".
        filter: Which other true answers do not count as candidates: "time-aware", "static" or "raw".
        multi_step: Whether the facts of the split are hidden from its queries.
        threads: How many threads to use; None for one per core.
        progress: Shows how many of the chunks of queries are done.

    Returns:
        One evaluation per settings.

    Raises:
        SettingsError: If the settings differ in ``max_groundings``.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample()
        >>> rules = tlogic.learn(graph, lengths=(1,))
        >>> some = [tlogic.ApplicationSettings(alpha=alpha) for alpha in (0.0, 0.5, 1.0)]
        >>> [evaluation.settings["alpha"] for evaluation in evaluate_many(graph, rules, some)]
        [0.0, 0.5, 1.0]
    """
    started = time.perf_counter()
    queries = SplitQueries(graph, split, filter, multi_step)
    forecaster = RuleForecaster(graph, rules, _widest(settings))
    scorings = [forecaster.scoring(each) for each in settings]
    indexed = time.perf_counter()

    def new_worker() -> Callable[[Ints], list[RankCounts]]:
        worker = forecaster.new_worker()

        def rank(chunk: Ints) -> list[RankCounts]:
            own = part_of(queries.batch, chunk)
            grounded = worker.ground(own)
            return [queries.rank(chunk, worker.score(grounded, scoring, own)) for scoring in scorings]

        return rank

    chunks = forecaster.chunks(queries.batch.relation, _QUERIES_PER_GROUNDED_CHUNK)
    ranked = list(Execution(threads, progress=progress).run(new_worker, chunks, "queries"))
    seconds = {"index": indexed - started, "apply": time.perf_counter() - indexed}
    evaluations = []
    for each, scoring, counts in zip(settings, scorings, zip(*ranked, strict=True), strict=True):
        applied = forecaster.description | asdict(each) | {"rules": int(scoring.admitted.sum())}
        evaluations.append(_evaluation(graph, queries.in_order(chunks, counts), queries.description | applied, seconds))
    return evaluations


def _widest(settings: Sequence[ApplicationSettings]) -> ApplicationSettings:
    """Settings that ground everything that any of the given ones needs."""
    if len({each.max_groundings for each in settings}) != 1:
        raise SettingsError("Settings that are evaluated together must be one or more, and agree in max_groundings.")
    return replace(
        settings[0],
        window=None,
        lengths=None,
        min_confidence=min(each.min_confidence for each in settings),
        min_support=min(each.min_support for each in settings),
    )


def _evaluation(
    graph: TemporalGraph,
    counts: RankCounts,
    settings: dict[str, Any],
    seconds: dict[str, float],
    reliability: Reliability | None = None,
) -> Evaluation:
    return Evaluation(
        ranks=Ranks(counts.higher, counts.same),
        fell_back=counts.fell_back,
        splits={name: len(graph.split(name).time) for name in ("train", "valid", "test")},
        settings=settings,
        seconds=seconds,
        reliability=reliability,
        peak_mb=peak_megabytes(),
    )
