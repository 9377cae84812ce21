"""Evaluation: how high the true answers of a split rank."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from tlogic.errors import SettingsError
from tlogic.evaluation.ranks import RankCounts, Ranks, summary
from tlogic.evaluation.split_queries import Filter, SplitQueries
from tlogic.forecasting.forecaster import Forecaster
from tlogic.forecasting.settings import ApplicationSettings
from tlogic.graph.arrays import Bools, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.memory import peak_megabytes
from tlogic.parallel import in_parallel
from tlogic.rules import RuleSet

if TYPE_CHECKING:
    from tlogic.models.calibration import Reliability
    from tlogic.models.model import Model

_GROUNDED_TOGETHER = 1000  # queries whose groundings are held in memory at a time, by each worker


@dataclass(frozen=True)
class Evaluation:
    """How well the true answers of a split ranked."""

    ranks: Ranks
    fell_back: Bools
    """Per answer: no rule gave its query a candidate, so the fallback did."""
    splits: dict[str, int]
    settings: dict[str, Any]
    seconds: dict[str, float]
    reliability: "Reliability | None" = None
    """Of a model: how far its probabilities came true."""

    def __repr__(self) -> str:
        figures = summary(self.ranks.realistic)
        told = ", ".join(f"{name.replace('mrr', 'MRR')} {value:.4f}" for name, value in figures.items())
        return f"Evaluation({len(self.fell_back):,} queries: {told})"

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "queries": len(self.fell_back),
            "no_candidates": int(self.fell_back.sum()),
            "optimistic": summary(self.ranks.optimistic),
            "realistic": summary(self.ranks.realistic),
            "pessimistic": summary(self.ranks.pessimistic),
            "splits": self.splits,
            "settings": self.settings,
            "seconds": self.seconds,
            "peak_mb": peak_megabytes(),
        } | ({"reliability": self.reliability.to_dict()} if self.reliability else {})


def evaluate(
    graph: TemporalGraph,
    rules: "RuleSet | Model",
    settings: ApplicationSettings | None = None,
    *,
    split: str = "test",
    filter: Filter = "time-aware",
    multi_step: bool = False,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[..., Any] | None = None,
    **changes: Any,
) -> Evaluation:
    """Forecast every fact of a split in both directions with rules, or a model, and rank the true answers.

    Facts before a query's own time are visible; with ``multi_step`` only those before the split begins. Settings can be
    given whole or one by one: ``evaluate(graph, rules, window=200)``. With ``cluster``, the address of a Ray cluster or
    ``auto``, it runs there; the ranks are the same.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> figures = tlogic.evaluate(graph, tlogic.learn(graph, lengths=(1,))).to_dict()
    >>> figures["queries"], 0.3 < figures["realistic"]["mrr"] < 1
    (2240, True)
    """
    if not isinstance(rules, RuleSet):
        from tlogic.models.evaluating import evaluate_model

        if settings or multi_step or changes:
            raise SettingsError("A model has its settings in itself, and forecasts a single step.")
        how: dict[str, Any] = {"threads": threads, "cluster": cluster, "progress": progress}
        return evaluate_model(graph, rules, split=split, filter=filter, **how)
    settings = settings or ApplicationSettings(**changes)
    started = time.perf_counter()
    questions = SplitQueries(graph, split, filter, multi_step)
    forecaster = Forecaster(graph, rules, settings)
    indexed = time.perf_counter()

    def new_worker() -> Callable[[Ints], RankCounts]:
        worker = forecaster.new_worker()

        def place(chunk: Ints) -> RankCounts:
            queries = questions.of(chunk)
            return questions.place(chunk, queries, worker(queries))

        return place

    chunks = questions.chunks(forecaster)
    placed = in_parallel(new_worker, chunks, threads, cluster)
    rank_counts = questions.together(chunks, list(_follow(progress, placed, len(chunks))))
    seconds = {"index": indexed - started, "apply": time.perf_counter() - indexed}
    n_rules = {"rules": len(forecaster.rules), "rules_given": len(rules), "rules_foreign": forecaster.n_foreign}
    return describe_evaluation(graph, rank_counts, asdict(settings) | questions.described | n_rules, seconds)


def evaluate_many(
    graph: TemporalGraph,
    rules: RuleSet,
    settings: Sequence[ApplicationSettings],
    *,
    split: str = "test",
    filter: Filter = "time-aware",
    multi_step: bool = False,
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
) -> list[Evaluation]:
    """Evaluate under many settings, each as ``evaluate`` does, with rules grounded once for all of them.

    Settings may differ in all but ``max_groundings``.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> rules = tlogic.learn(graph, lengths=(1,))
    >>> some = [tlogic.ApplicationSettings(alpha=alpha) for alpha in (0.0, 0.5, 1.0)]
    >>> [evaluation.settings["alpha"] for evaluation in evaluate_many(graph, rules, some)]
    [0.0, 0.5, 1.0]
    """
    started = time.perf_counter()
    questions = SplitQueries(graph, split, filter, multi_step)
    forecaster = Forecaster(graph, rules, _widest(settings))
    scorings = [forecaster.scoring(each) for each in settings]
    indexed = time.perf_counter()

    def new_worker() -> Callable[[Ints], list[RankCounts]]:
        worker = forecaster.new_worker()

        def place(chunk: Ints) -> list[RankCounts]:
            queries = questions.of(chunk)
            grounded = worker.ground(queries)
            return [questions.place(chunk, queries, worker.score(grounded, scoring, queries)) for scoring in scorings]

        return place

    chunks = questions.chunks(forecaster, size=_GROUNDED_TOGETHER)
    placed = list(_follow(progress, in_parallel(new_worker, chunks, threads), len(chunks)))
    seconds = {"index": indexed - started, "apply": time.perf_counter() - indexed}
    evaluations = []
    for each, scoring, rank_counts in zip(settings, scorings, zip(*placed, strict=True), strict=True):
        n_rules = {"rules": int(scoring.admitted.sum()), "rules_given": len(rules)}
        described = asdict(each) | questions.described | n_rules | {"rules_foreign": forecaster.n_foreign}
        evaluations.append(describe_evaluation(graph, questions.together(chunks, rank_counts), described, seconds))
    return evaluations


def _widest(settings: Sequence[ApplicationSettings]) -> ApplicationSettings:
    """Settings under which everything is grounded that any of the given ones asks for."""
    if len({each.max_groundings for each in settings}) != 1:
        raise SettingsError("Settings that are evaluated together must be one or more, and agree in max_groundings.")
    return replace(
        settings[0],
        window=None,
        lengths=None,
        min_confidence=min(each.min_confidence for each in settings),
        min_support=min(each.min_support for each in settings),
    )


def _follow(progress: Callable[..., Any] | None, items: Any, total: int) -> Any:
    return progress(items, total=total, description="queries") if progress else items


def describe_evaluation(
    graph: TemporalGraph,
    rank_counts: RankCounts,
    settings: dict[str, Any],
    seconds: dict[str, float],
    reliability: "Reliability | None" = None,
) -> Evaluation:
    """An evaluation from where the true answers were placed."""
    return Evaluation(
        ranks=Ranks(rank_counts.higher, rank_counts.same),
        fell_back=rank_counts.fell_back,
        splits={name: len(graph.split(name).time) for name in ("train", "valid", "test")},
        settings=settings,
        seconds=seconds,
        reliability=reliability,
    )
