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
from tlogic.evidence.triple_search import promising_triples
from tlogic.evidence.triples import Triples
from tlogic.execution import Execution
from tlogic.graph.arrays import Bools, Floats, Ints, is_in
from tlogic.graph.facts import indexes_from
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.bins import Bins
from tlogic.models.occurrence.correction import learn_correction
from tlogic.models.occurrence.horizons import fitted_horizons
from tlogic.models.occurrence.logistic import Cases, Logistic, fit_logistic
from tlogic.models.occurrence.occurrence_model import OccurrenceModel, OccurrenceTables
from tlogic.models.occurrence.triple_draws import MAX_PAST, FactKeys, TripleDraws

_MAX_ORIGINS = 100  # past time steps to learn from
_MAX_STEPS = 1_000_000  # to choose them from; with more, most have no facts
_MAX_PER_DELAY = 400  # triples per time step that occur within a horizon, but not within a shorter one
_N_DRAWN = {KNOWN_TRIPLE: 1200, KNOWN_PAIR: 600, NEW_PAIR: 600}  # triples per time step, of each novelty
_N_PROMISING = 1200  # triples per time step, of those that combine recent parts: few new ones are as probable
_CORRECTION_SHARE = 1 / 3  # of the time steps, the last ones
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
    is_listed: Bools
    """Whether an outlook over the whole graph considers it."""

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
        self._facts = FactKeys(known, _first_looked_up(known, self.origins[0], self.horizons[-1]))
        self._parts: list[_Rows] = []

    def __call__(self, memory: Memory, now: int) -> None:
        """Collect triples at a time step, given a memory of all facts before it."""
        self._parts += _rows_at(self._known, self._facts, memory, now, self.horizons, self._seed)

    def take_rows(self) -> _Rows:
        """All that was collected, which is then removed."""
        parts, self._parts = self._parts, []
        return _Rows(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def fit_occurrence(collected: OccurrenceCollector, execution: Execution = Execution()) -> OccurrenceModel:
    """Fit an occurrence model to what was collected.

    Args:
        collected: Triples at all origins.
        execution: How many threads to use, and who is shown the progress.
    """
    rows, horizons = collected.take_rows(), collected.horizons
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


def _first_looked_up(known: TemporalGraph, first: int, reach: int) -> int:
    """The first fact that draws look up, if a time step is the first to learn from."""
    recent, n = indexes_from(known.facts.time, [first - reach, first]).tolist()
    return min(recent, max(n - MAX_PAST, 0))


def _rows_at(
    known: TemporalGraph, facts: FactKeys, memory: Memory, now: int, horizons: tuple[int, ...], seed: int
) -> list[_Rows]:
    """Triples at one time step: some that occur within the horizons, and some that do not."""
    reach, phase = horizons[-1], known.timeline.phase_of(now)
    since, start, end = indexes_from(known.facts.time, [now - reach, now, now + reach]).tolist()
    random = np.random.default_rng([seed, now])
    soon, index = np.unique(facts.triples(slice(start, end)).keys(known), return_index=True)
    delay = known.facts.time[start:end][index].astype(np.int64) - now
    chosen, weight = _some_per_delay(delay, horizons, random)
    found = occurrence_evidence(memory, now, phase, facts.triples(start + index[chosen]))
    promising = promising_triples(known, now, reach)
    listed = promising.keys(known)
    is_listed = (found.novelty == KNOWN_TRIPLE) | is_in(listed, soon[chosen])
    rows = [_rows(found, delay[chosen], weight, known.end - now, is_listed)]

    def add(triples: Triples, found: OccurrenceEvidence, n_each: Floats, used: Bools, is_listed: bool) -> None:
        """Add those that are used and do not occur."""
        own = np.flatnonzero(used & ~is_in(soon, triples.keys(known)))
        never, all_listed = np.full(len(n_each), _NEVER), np.full(len(n_each), is_listed)
        rows.append(_rows(found, never, n_each, known.end - now, all_listed).part(own))

    some = promising.part(random.permutation(len(promising.subject))[:_N_PROMISING])
    found, n_some = occurrence_evidence(memory, now, phase, some), len(some.subject)
    add(some, found, np.full(n_some, len(promising.subject) / max(n_some, 1)), found.novelty != KNOWN_TRIPLE, True)
    draws = TripleDraws(facts, memory, start, since, random)
    for novelty, n in _N_DRAWN.items():
        triples = draws.draw(novelty, n)
        found = occurrence_evidence(memory, now, phase, triples)
        probability = draws.probabilities(novelty, triples, found)
        used = (found.novelty == novelty) & ~np.isnan(probability)
        if novelty != KNOWN_TRIPLE:
            used &= ~is_in(listed, triples.keys(known))
        add(triples, found, 1 / (n * probability), used, novelty == KNOWN_TRIPLE)
    return rows


def _rows(found: OccurrenceEvidence, delay: Ints, weight: Floats, n_steps: int, is_listed: Bools) -> _Rows:
    return _Rows(found.values, found.novelty, delay, weight, np.full(len(delay), n_steps), is_listed)


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
    """The log-odds of an event within a horizon, from the time steps that are followed by so many.

    The log-odds of new triples are far too high in some regions, and each period is new in its own way: weights from
    the first time steps show by how much, at the last ones. Those of known triples are only held back by penalties.
    """
    bins, binned, rows, horizon = task
    is_used, happened = rows.n_steps >= horizon, (rows.delay < horizon).astype(np.float64)

    def fitted(chosen: Bools) -> Logistic:
        return fit_logistic(Cases(binned[chosen], happened[chosen], rows.weight[chosen]), bins.sizes)

    logistic, judged = fitted(is_used), is_used & rows.is_listed
    judge = logistic
    if (rows.novelty != KNOWN_TRIPLE).any():
        is_late = _is_late(rows.n_steps, is_used)
        judge, judged = fitted(is_used & ~is_late), judged & is_late
    correction = learn_correction(judge.log_odds(binned[judged]), happened[judged], rows.weight[judged])
    return logistic._replace(correction=correction)


def _is_late(n_steps: Ints, is_used: Bools) -> Bools:
    """Whether rows belong to the last of the time steps that are used."""
    steps = np.unique(n_steps[is_used])
    return n_steps < steps[int(_CORRECTION_SHARE * len(steps))] if len(steps) else np.zeros(len(n_steps), np.bool_)
