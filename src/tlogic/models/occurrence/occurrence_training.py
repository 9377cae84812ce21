"""Fitting an occurrence model: past time steps, with triples that occurred soon after and triples that did not."""

from typing import Any, NamedTuple

import numpy as np

from tlogic.evidence.memory import Memory
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.evidence.occurrence_evidence import (
    KNOWN_PAIR,
    KNOWN_TRIPLE,
    NEW_PAIR,
    NOVELTIES,
    RULES_FAMILY,
    OccurrenceEvidence,
    occurrence_evidence,
)
from tlogic.execution import Execution
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.bins import Bins
from tlogic.models.occurrence.horizons import fitted_horizons
from tlogic.models.occurrence.logistic import Cases, Logistic, fit_logistic
from tlogic.models.occurrence.occurrence_model import OccurrenceModel, OccurrenceTables
from tlogic.models.occurrence.triple_draws import FactKeys, TripleDraws

_MAX_ORIGINS = 100  # past time steps to learn from
_MAX_STEPS = 1_000_000  # to choose them from; with more, most have no facts
_MAX_PER_DELAY = 400  # triples per time step that occur within a horizon, but not within a shorter one
_N_DRAWN = {KNOWN_TRIPLE: 1200, KNOWN_PAIR: 600, NEW_PAIR: 600}  # triples per time step, of each novelty
_NEVER = np.iinfo(np.int64).max


class _Rows(NamedTuple):
    """Triples at past time steps, with their evidence and what happened."""

    values: Floats
    novelty: Ints
    delay: Ints
    """After how many time steps the triple occurred."""
    weight: Floats
    """How many triples it stands for."""
    n_steps: Ints
    """How many time steps of facts there are from its time step on."""

    def part(self, index: Ints) -> "_Rows":
        columns: Any = (column[index] for column in self)
        return _Rows(*columns)


def occurrence_settings(settings: MemorySettings) -> MemorySettings:
    """The settings of a memory with what occurrence models need, for a model with some settings."""
    families = tuple(name for name in settings.families if name == RULES_FAMILY)
    return MemorySettings(families, settings.half_lives, settings.max_events)


class OccurrenceCollector:
    """Collects past triples, with the evidence from before and what happened, while a memory passes by.

    Args:
        known: The facts to learn from.
        first: The first time step to learn from; earlier facts are evidence only.
        seed: The seed of what is drawn.
    """

    def __init__(self, known: TemporalGraph, first: int, seed: int) -> None:
        self.horizons = fitted_horizons(known.timeline)
        self.origins = _origins(known, max(first, 1), seed)
        """The time steps to learn from."""
        self._known, self._seed = known, seed
        self._facts = FactKeys(known)
        self._parts: list[_Rows] = []

    def __call__(self, memory: Memory, now: int) -> None:
        """Collect triples at a time step, given a memory of all facts before it."""
        self._parts += _rows_at(self._known, self._facts, memory, now, self.horizons, self._seed)

    def rows(self) -> _Rows:
        """All that was collected."""
        return _Rows(*(np.concatenate(column) for column in zip(*self._parts, strict=True)))


def fit_occurrence(collected: OccurrenceCollector, execution: Execution = Execution()) -> OccurrenceModel:
    """Fit an occurrence model to what was collected.

    Args:
        collected: Triples at all origins.
        execution: How many threads to use, and who is shown the progress.
    """
    rows, horizons = collected.rows(), collected.horizons
    tables = [_binned(rows.part(np.flatnonzero(rows.novelty == novelty))) for novelty in range(len(NOVELTIES))]
    tasks = [(*table, horizon) for table in tables for horizon in horizons]
    fitted = iter(list(execution.run(lambda: _fit, tasks, "occurrence")))
    return OccurrenceModel(
        horizons, tuple(OccurrenceTables(bins, tuple(next(fitted) for _ in horizons)) for bins, *_ in tables)
    )


def _origins(known: TemporalGraph, first: int, seed: int) -> list[int]:
    """Time steps to learn from, at random: regular ones could all be the same day of the week.

    If there are far more time steps than facts, only those with facts are considered.
    """
    first = min(first, known.end - 1)
    if known.end - first <= _MAX_STEPS:
        steps = np.arange(first, known.end)
    else:
        steps = np.unique(known.facts.between(first, known.end).time).astype(np.int64)
    chosen = np.random.default_rng(seed).permutation(len(steps))[:_MAX_ORIGINS]
    return sorted(steps[chosen].tolist())


def _rows_at(
    known: TemporalGraph, facts: FactKeys, memory: Memory, now: int, horizons: tuple[int, ...], seed: int
) -> list[_Rows]:
    """Triples at one time step: some that occur within the horizons, and some that do not."""
    reach, phase = horizons[-1], known.timeline.phase_of(now)
    since, start, end = np.searchsorted(known.facts.time, [now - reach, now, now + reach]).tolist()
    random = np.random.default_rng([seed, now])
    soon, index = np.unique(facts.key[start:end], return_index=True)
    delay = known.facts.time[start:end][index].astype(np.int64) - now
    chosen, weight = _some_per_delay(delay, horizons, random)
    found = occurrence_evidence(memory, now, phase, facts.triples(start + index[chosen]))
    rows = [_rows(found, delay[chosen], weight, known.end - now)]
    draws = TripleDraws(facts, memory, start, since, random)
    for novelty, n in _N_DRAWN.items():
        triples = draws.draw(novelty, n)
        found = occurrence_evidence(memory, now, phase, triples)
        probability = draws.probabilities(novelty, triples, found)
        own = (found.novelty == novelty) & ~np.isin(triples.keys(known), soon) & ~np.isnan(probability)
        never = np.full(n, _NEVER)
        rows.append(_rows(found, never, 1 / (n * probability), known.end - now).part(np.flatnonzero(own)))
    return rows


def _rows(found: OccurrenceEvidence, delay: Ints, weight: Floats, n_steps: int) -> _Rows:
    return _Rows(found.values, found.novelty, delay, weight, np.full(len(delay), n_steps))


def _some_per_delay(delay: Ints, horizons: tuple[int, ...], random: np.random.Generator) -> tuple[Ints, Floats]:
    """Some triples within each horizon that are not within a shorter one, and how many each stands for."""
    group = np.searchsorted(horizons, delay, "right")
    order = random.permutation(len(delay))
    parts = [order[group[order] == each] for each in range(len(horizons))]
    kept = [part[:_MAX_PER_DELAY] for part in parts]
    weight = [np.full(len(some), len(part) / max(len(some), 1)) for part, some in zip(parts, kept, strict=True)]
    return np.concatenate(kept), np.concatenate(weight)


def _binned(rows: _Rows) -> tuple[Bins, Ints, _Rows]:
    """The bins of some triples' evidence, the binned evidence, and the rest of the rows."""
    occurred, others = np.flatnonzero(rows.delay < _NEVER), np.flatnonzero(rows.delay == _NEVER)
    some = others[:: max(len(others) // max(len(occurred), 1), 1)]
    bins = Bins.cut(rows.values[np.concatenate([occurred, some])])
    return bins, bins.of(rows.values), rows


def _fit(task: tuple[Bins, Ints, _Rows, int]) -> Logistic:
    """The log-odds of an event within a horizon, from the time steps that are followed by so many."""
    bins, binned, rows, horizon = task
    used = np.flatnonzero(rows.n_steps >= horizon)
    happened = (rows.delay[used] < horizon).astype(np.float64)
    return fit_logistic(Cases(binned[used], happened, rows.weight[used]), bins.sizes)
