"""Backtest: how good the probabilities of events were, at every time step of a period, from the facts before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tlogic.checks import check_count
from tlogic.errors import InputError, SettingsError
from tlogic.evaluation.score_histogram import ScoreHistogram
from tlogic.evidence.groups import N_HALF_LIVES
from tlogic.evidence.occurrence_evidence import (
    COLUMNS,
    KNOWN_TRIPLE,
    OccurrenceEvidence,
)
from tlogic.evidence.triple_search import Pattern, triples_of
from tlogic.evidence.triples import Triples
from tlogic.execution import Execution
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.facts import indexes_from
from tlogic.graph.graph_protocol import Graph
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.occurrence.occurrence_forecaster import OccurrenceForecaster, OccurrenceStep
from tlogic.monitoring.period import check_period
from tlogic.monitoring.surprises import Surprises, SurpriseSearch
from tlogic.notebook import html_table

RECURRING, NEW = "recurring", "new"
_N_TOP = 100
_N_MISSES = 10
_N_GROUPS = 10  # of the reliability diagram
_LOG_ODDS = (-25.0, 10.0)
_LOG_COUNTS = (-40.0, 20.0)  # logarithms of decayed counts, to base 2
_FIRST_COUNT = COLUMNS.index(("history", "events 0"))


@dataclass(frozen=True)
class Backtest:
    """How good the probabilities of events were. ``tlogic.backtest`` measures it.

    Attributes:
        split: The split whose time steps were forecast from; None for those since a date.
        since: The first date that was forecast from.
        until: The last one.
        n_steps: How many time steps were forecast from.
        frame: One row per horizon and kind of event ("recurring": it happened before; "new": it did not): the horizon
            in time steps, the number of judged triples and of events, the average precision, that of the best decayed
            count, the precision of the 100 most probable triples per time step, the Brier skill against the base rate
            and against the best decayed count, whose frequencies are known with hindsight, and the calibration error
            weighted by events. There is no Brier skill if none of the triples, or all of them, happened, no
            calibration error if none happened, and no average precision if there are no events.
        reliability: One row per horizon, kind and group of probabilities: triples, the mean probability, the observed
            frequency and its standard error.
        misses: The least probable events that happened, and the most probable ones that did not.

    Example:
        >>> import tlogic
        >>> graph = tlogic.sample(days=60)
        >>> model = tlogic.fit(graph, evidence=["popularity"])
        >>> tlogic.backtest(graph, model, every=3)
        Backtest(test: 2 time steps, 2030-02-24 to 2030-02-27)
    """

    split: str | None
    since: str
    until: str
    n_steps: int
    frame: pl.DataFrame
    reliability: pl.DataFrame
    misses: Surprises

    def __repr__(self) -> str:
        return f"Backtest({self.title})"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.frame.columns, self.frame.iter_rows())

    @property
    def title(self) -> str:
        """The period, in a few words."""
        split = "" if self.split is None else f"{self.split}: "
        return f"{split}{self.n_steps:,} time steps, {self.since} to {self.until}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        about = {"split": self.split, "from": self.since, "until": self.until, "time_steps": self.n_steps}
        tables = {"figures": self.frame.to_dicts(), "reliability": self.reliability.to_dicts()}
        return {**about, **tables, "misses": self.misses.to_dict()}


@dataclass(frozen=True)
class Origins:
    """The time steps to forecast from.

    Attributes:
        first: The first time step of the period.
        end: The time step after the period: what happens from then on is not compared.
        every: Forecast from every n-th time step only.
        split: The split that the period is; None for a period since a date.

    Raises:
        SettingsError: If ``every`` is below 1.

    Example:
        >>> list(Origins(10, 20, every=4).steps)
        [10, 14, 18]
    """

    first: int
    end: int
    every: int = 1
    split: str | None = None

    def __post_init__(self) -> None:
        check_count(self.every, "every", SettingsError)

    @property
    def steps(self) -> range:
        """The time steps."""
        return range(self.first, self.end, self.every)

    @property
    def facts(self) -> str:
        """The facts of the period, in words."""
        return "facts of the period" if self.split is None else f"{self.split} facts"

    @classmethod
    def of_split(cls, graph: TemporalGraph, split: str, every: int) -> "Origins":
        """The time steps of a split, "valid" or "test".

        Raises:
            InputError: If the split has no facts, or none before it.
        """
        if len(graph.split(split).time) == 0:
            raise InputError(
                f"There are no {split} facts to forecast; set where the period begins: {split}_from=DATE "
                f"(--{split}-from DATE)."
            )
        first, end = (graph.valid_from, graph.test_from) if split == "valid" else (graph.test_from, graph.end)
        if first < 1:
            raise InputError(f"There are no facts before the {split} period.")
        return cls(first, end, every, split)

    @classmethod
    def since(cls, graph: Graph, first: int, every: int) -> "Origins":
        """The time steps from the first one until the last fact.

        Raises:
            InputError: If there are no facts before the period, or none in it.
        """
        check_period(graph, first, graph.end)
        return cls(first, graph.end, every)


def backtest_model(forecaster: OccurrenceForecaster, origins: Origins, execution: Execution = Execution()) -> Backtest:
    """Forecast from some time steps, each from the facts before it, and compare with what happened.

    Args:
        forecaster: The model over the graph that holds the period.
        origins: The time steps to forecast from.
        execution: How many threads to use, and who is shown the progress.

    Returns:
        The figures per horizon, for recurring and new events, with a reliability table and the largest misses.
    """
    graph: Any = forecaster.graph
    first, end, steps = origins.first, origins.end, origins.steps
    sums = [_Sums(horizon, kind) for horizon in forecaster.occurrence.horizons for kind in (RECURRING, NEW)]
    truth, misses = _Truth(graph, end), SurpriseSearch(forecaster, _N_MISSES)
    for now in execution.follow(steps, len(steps), "time steps"):
        with forecaster.at(now, execution) as step:
            _add_step(graph, step, truth, sums)
            misses.add(step)
    label = graph.timeline.label_of
    return Backtest(
        split=origins.split,
        since=label(first),
        until=label(steps[-1]),
        n_steps=len(steps),
        frame=pl.DataFrame([each.figures() for each in sums if each.n_steps]),
        reliability=pl.DataFrame([row for each in sums if each.n_steps for row in each.reliability()]),
        misses=misses.surprises(first, end),
    )


class _Truth:
    """What happened: the triples of each period."""

    def __init__(self, graph: TemporalGraph, end: int) -> None:
        self.end = end
        self._time = graph.facts.time
        self._key = Triples.of_facts(graph.facts).keys(graph)

    def within(self, first: int, end: int) -> Ints:
        """The distinct triples of a period."""
        low, high = indexes_from(self._time, [first, end])
        return np.unique(self._key[low:high])


def _add_step(graph: TemporalGraph, step: OccurrenceStep, truth: _Truth, sums: Sequence["_Sums"]) -> None:
    """Judge all known triples and the promising new ones at a time step, and count what happened."""
    horizons = step.occurrence.horizons
    happened = {h: truth.within(step.now, step.now + h) for h in horizons if step.now + h <= truth.end}

    def judge(triples: Triples, evidence: OccurrenceEvidence) -> tuple[Ints, Ints, Floats, Floats]:
        counts = evidence.values[:, _FIRST_COUNT : _FIRST_COUNT + N_HALF_LIVES]
        return triples.keys(graph), evidence.novelty, step.occurrence.probabilities(evidence), counts

    found = triples_of(graph, step.memory, step.now, horizons[-1], [Pattern(None, None, None)])
    parts = step.map(found, judge)
    keys, novelty, probability, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    known = keys[novelty == KNOWN_TRIPLE]
    for each in sums:
        if each.horizon not in happened:
            continue
        own = (novelty == KNOWN_TRIPLE) == (each.kind == RECURRING)
        events = happened[each.horizon]
        is_known = np.isin(events, known)
        n_events = int(is_known.sum() if each.kind == RECURRING else (~is_known).sum())
        column = horizons.index(each.horizon)
        each.add(probability[own, column], counts[own], np.isin(keys[own], events), n_events)


class _Sums:
    """Sums over time steps for one horizon and one kind of events."""

    def __init__(self, horizon: int, kind: str) -> None:
        self.horizon, self.kind, self.n_steps = horizon, kind, 0
        self._model = ScoreHistogram(*_LOG_ODDS)
        self._counts = [ScoreHistogram(*_LOG_COUNTS) for _ in range(N_HALF_LIVES)]
        self._n_events = self._n_top = self._n_top_happened = 0

    def add(self, probability: Floats, counts: Floats, happened: Bools, n_events: int) -> None:
        """Count the triples of a time step, of which more may have happened than were judged."""
        self.n_steps += 1
        self._n_events += n_events
        self._model.add(np.log(probability / (1 - probability)), probability, happened)
        if self.kind == RECURRING:
            for histogram, count in zip(self._counts, counts.T, strict=True):
                histogram.add(np.log2(np.maximum(count, 1e-12)), np.zeros(len(count)), happened)
        top = np.argsort(-probability, kind="stable")[:_N_TOP]
        self._n_top += len(top)
        self._n_top_happened += int(happened[top].sum())

    def figures(self) -> dict[str, Any]:
        """The figures, as a row of a table."""
        model, is_recurring = self._model, self.kind == RECURRING
        n_missed = self._n_events - model.n_happened.sum()
        best = max(self._counts, key=lambda each: each.average_precision() or 0.0) if is_recurring else None
        against_counts = None if best is None else _skill(model.brier, best.brier_with_hindsight())
        return {
            "horizon": self.horizon,
            "kind": self.kind,
            "triples": int(model.n.sum()),
            "events": self._n_events,
            "average_precision": model.average_precision(n_missed),
            "best_count": None if best is None else best.average_precision(),
            f"precision_at_{_N_TOP}": self._n_top_happened / max(self._n_top, 1),
            "brier_skill": _skill(model.brier, model.brier_of_base_rate),
            "brier_skill_over_counts": against_counts,
            "calibration_error": model.calibration_error(),
        }

    def reliability(self) -> list[dict[str, Any]]:
        """One row per group of probabilities with about equally many events."""
        rows = []
        for n, predicted, happened in self._model.groups(_N_GROUPS).tolist():
            if n:
                rate = happened / n
                about = {"horizon": self.horizon, "kind": self.kind, "triples": int(n), "predicted": predicted / n}
                rows.append({**about, "observed": rate, "standard_error": (rate * (1 - rate) / n) ** 0.5})
        return rows


def _skill(brier: float, reference: float) -> float | None:
    """The share of the squared error of a reference that forecasts avoid; None if the reference has no error.

    >>> _skill(0.03, 0.04), _skill(0.03, 0.0)
    (0.25, None)
    """
    return 1 - brier / reference if reference > 0 else None
