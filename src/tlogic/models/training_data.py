"""Training data of models: past queries with the binned evidence of their candidates.

The evidence of a query depends on earlier facts only, so every past query is a valid example: nothing is estimated on
the facts that it scores.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.answer_history import HISTORY_COLUMNS
from tlogic.evidence.groups import half_lives
from tlogic.evidence.memory_cache import MemoryCache
from tlogic.evidence.memory_settings import MemorySettings
from tlogic.evidence.query_evidence import QueryEvidence
from tlogic.execution import Execution
from tlogic.forecasting.application import QueryBatch
from tlogic.graph.arrays import Floats, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.bins import Bins
from tlogic.models.counted_rules import CountsByName, most_frequent_rules
from tlogic.models.occurrence.occurrence_training import OccurrenceCollector
from tlogic.models.sampling import MAX_PER_QUERY, AnswerCounts, Sample, Sampler, Samples
from tlogic.models.settings import FitSettings
from tlogic.models.softmax import Examples
from tlogic.process_memory import give_back

_WARM_UP_SHARE = 0.75  # of the training time, in which rules are counted but no examples taken: evidence is still thin
_SHORT_WARM_UP_SHARE, _MIN_FACTS = 0.5, 1000  # with fewer facts after that time, examples are taken earlier, too
_MAX_QUERIES = 60_000
_MIN_FACTS_OF_TREES, _MAX_QUERIES_OF_TREES = 60_000, 160_000  # trees learn more from more examples
_MIN_STEPS = 2  # one to learn from, and one before it
_SAMPLES_PER_GIVE_BACK = 50  # after so many, freed memory is given back: else 80 MB of it are kept on ICEWS18
_QUERIES_FOR_BINS = 6000  # the first ones, by which the edges of bins are chosen


class TrainingData(NamedTuple):
    """Queries with the binned evidence of their candidates."""

    graph: TemporalGraph
    """The facts that the queries come from."""
    bins: Bins
    examples: Examples
    to_calibrate: Examples
    """Queries for calibration, with all their candidates."""
    counts: AnswerCounts
    memory_settings: MemorySettings
    """How the evidence was remembered."""
    counted: CountsByName
    """The rules that families of evidence counted."""
    occurrences: OccurrenceCollector
    """Past triples that occurred and that did not, for the occurrence model."""


def collect_training_data(
    graph: TemporalGraph, settings: FitSettings, execution: Execution = Execution()
) -> TrainingData:
    """Collect queries from a graph's training facts, or from those and the validation facts.

    Raises:
        InputError: If all facts are of one time step, or if no query has an answer among its candidates.
    """
    known = graph.before(graph.valid_from if settings.train_on == "train" else graph.test_from)
    if known.end < _MIN_STEPS:
        raise InputError("There is nothing to learn from: the facts to learn from are all of the same time step.")
    of_memory = MemorySettings(settings.families, half_lives(known.end), settings.max_events)
    evidence = QueryEvidence(known, of_memory)
    occurrences = OccurrenceCollector(known, _after(known, _WARM_UP_SHARE), settings.seed)
    evidence.visit(occurrences.origins, occurrences)
    has_trees = settings.model == "boosted"
    facts = known.facts.between(_learn_from(known, has_trees), known.end)
    sampler = Sampler(known, facts, _MAX_QUERIES_OF_TREES if has_trees else _MAX_QUERIES, settings.seed)
    first, rest = _in_two(sampler.queries())
    samples = list(chain.from_iterable(evidence.map(first, sampler, execution, "evidence")))
    sampler.bins = Bins.cut(_rows_for_bins([sample.example for sample in samples], settings.seed))
    later = evidence.map(rest, sampler, execution, "evidence") if len(rest.time) else iter(())
    all_binned = chain(_binned(sampler.bins, samples), chain.from_iterable(later))
    examples, to_calibrate, counts = _collect(all_binned, len(first.time) + len(rest.time), len(sampler.bins.sizes))
    if not examples.is_true.any():
        raise InputError("There is nothing to learn from: no query has its answer among entities seen before.")
    memory = evidence.complete_memory(execution)
    MemoryCache(graph, of_memory).store(memory, known.end)
    families = memory.families
    del memory, evidence  # before the rules are sorted, which takes memory, too
    counted = most_frequent_rules(families, known.relations)
    del families
    give_back()
    return TrainingData(known, sampler.bins, examples, to_calibrate, counts, of_memory, counted, occurrences)


def _learn_from(known: TemporalGraph, has_trees: bool) -> int:
    """The first time step to take examples from."""
    late = _after(known, _WARM_UP_SHARE)
    n_facts = len(known.facts.between(late, known.end).time)
    has_enough = n_facts >= (_MIN_FACTS_OF_TREES if has_trees else _MIN_FACTS)
    return late if has_enough else _after(known, _SHORT_WARM_UP_SHARE)


def _after(known: TemporalGraph, share: float) -> int:
    """The time step after a share of the training time."""
    return int(share * min(known.end, known.valid_from))


def _in_two(queries: QueryBatch) -> tuple[QueryBatch, QueryBatch]:
    """The first time steps, with enough queries to choose the edges of bins, and the rest."""
    n = len(queries.time)
    if n > _QUERIES_FOR_BINS:
        n = int(np.searchsorted(queries.time, queries.time[_QUERIES_FOR_BINS], "right"))
    return QueryBatch(*(column[:n] for column in queries)), QueryBatch(*(column[n:] for column in queries))


def _binned(bins: Bins, samples: list[Samples]) -> Iterator[Samples]:
    """Samples with bins instead of evidence. The list is emptied, to free their memory one by one."""
    samples.reverse()
    while samples:
        both = samples.pop()
        example, to_calibrate = (sample._replace(values=bins.of(sample.values)) for sample in both[:2])
        yield Samples(example, to_calibrate, both.counts)
    give_back()


def _collect(samples: Iterable[Samples], n_queries: int, n_columns: int) -> tuple[Examples, Examples, AnswerCounts]:
    """The examples, the queries for calibration, and the numbers of answers, of all samples."""
    examples, to_calibrate = _Collection(n_queries * MAX_PER_QUERY, n_columns), _Collection(n_queries, n_columns)
    counts = []
    for number, sample in enumerate(samples):
        if number % _SAMPLES_PER_GIVE_BACK == 0:
            give_back()
        examples.add(sample.example)
        to_calibrate.add(sample.to_calibrate)
        counts.append(sample.counts)
    return examples.as_examples(), to_calibrate.as_examples(), _all_counts(counts)


def _all_counts(counts: list[AnswerCounts]) -> AnswerCounts:
    if not counts:
        return AnswerCounts(np.empty((0, len(HISTORY_COLUMNS))), np.empty(0, np.int64), np.empty(0))
    return AnswerCounts(*(np.concatenate(column) for column in zip(*counts, strict=True)))


class _Collection:
    """Samples, one behind the other in one array, which is as large as they can become: what is unused is not touched.

    Args:
        n_rows: The number of candidates at most; it is doubled when it is exceeded.
        n_columns: The number of columns of evidence.
    """

    def __init__(self, n_rows: int, n_columns: int) -> None:
        self._bins, self._n = np.empty((n_rows, n_columns), np.uint8), 0
        self._sizes: list[Ints] = [np.zeros(0, np.int64)]
        self._is_true: list[Ints] = [np.zeros(0, np.int8)]

    def add(self, sample: Sample) -> None:
        """Append a sample, whose values are bins."""
        end = self._n + len(sample.values)
        if end > len(self._bins):
            self._bins = np.concatenate([self._bins[: self._n], np.empty((end, self._bins.shape[1]), np.uint8)])
        self._bins[self._n : end], self._n = sample.values, end
        self._sizes.append(sample.sizes)
        self._is_true.append(sample.is_true)

    def as_examples(self) -> Examples:
        """All samples as one."""
        start = np.append(0, np.cumsum(np.concatenate(self._sizes)))
        return Examples(start, self._bins[: self._n], np.concatenate(self._is_true))


def _rows_for_bins(samples: list[Sample], seed: int) -> Floats:
    """The evidence of all answers and of as many other candidates."""
    random = np.random.default_rng(seed)
    is_true = np.concatenate([sample.is_true for sample in samples])
    answers, others = (np.flatnonzero(is_true == value) for value in (1, 0))
    chosen = np.zeros(len(is_true), np.bool_)
    chosen[answers] = True
    chosen[random.choice(others, min(len(answers) or len(others), len(others)), replace=False)] = True
    parts = np.split(chosen, np.cumsum([len(sample.is_true) for sample in samples])[:-1])
    return np.concatenate([sample.values[own] for sample, own in zip(samples, parts, strict=True)])
