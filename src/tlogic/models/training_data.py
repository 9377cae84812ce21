"""Training data of models: past queries with the binned evidence of their candidates.

The evidence of a query depends on earlier facts only, so every past query is a valid example: nothing is estimated on
the facts that it scores.
"""

from typing import NamedTuple

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.extraction import Extracted, Extraction, is_answer
from tlogic.evidence.histories import build_histories, half_lives
from tlogic.evidence.history_queries import relation_queries
from tlogic.execution import Execution
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.bins import Bins
from tlogic.models.counted_rules import Counts, most_frequent_rules
from tlogic.models.scorecard import Examples
from tlogic.models.settings import FitSettings

_WARM_UP_SHARE = 0.75  # of the training time, in which rules are counted but no examples taken: evidence is still thin
_MAX_QUERIES = 75_000  # about as many examples are drawn
_MAX_OTHERS_PER_QUERY, _MAX_ANSWERS_PER_QUERY = 60, 20
_CALIBRATION_SHARE = 0.1  # of the queries, which are held back for calibration
_MAX_ANSWERS_FOR_BINS = 100_000  # and as many other candidates, to choose the edges of bins


class TrainingData(NamedTuple):
    """Queries with the binned evidence of their candidates."""

    graph: TemporalGraph
    """The facts that the queries come from."""
    half_lives: Floats
    bins: Bins
    examples: Examples
    held_back: Examples
    """Queries for calibration, with all their candidates."""
    counted: list[Counts]
    """The rules that the families counted."""


class Sample(NamedTuple):
    """Queries with the evidence of their candidates."""

    sizes: Ints
    """Per query: its number of candidates."""
    evidence: Floats
    is_true: Ints
    """Per candidate: 1 if it is an answer, else 0."""


def collect_training_data(
    graph: TemporalGraph, settings: FitSettings, execution: Execution = Execution()
) -> TrainingData:
    """Collect queries from a graph's training facts, or from those and the validation facts.

    Raises:
        InputError: If no query has an answer among its candidates.
    """
    known = graph.before(graph.valid_from if settings.train_on == "train" else graph.test_from)
    lives = half_lives(known.end)
    scored_from = int(_WARM_UP_SHARE * min(known.end, graph.valid_from))
    samples, counted = _samples(known, lives, settings, scored_from, execution)
    examples, held_back = (list(kind) for kind in zip(*samples, strict=True))
    if not any(sample.is_true.any() for sample in examples):
        raise InputError("There is nothing to learn from: no query has its answer among entities seen before.")
    bins = Bins.cut(_rows_for_bins(examples, settings.seed))
    return TrainingData(known, lives, bins, _binned(bins, examples), _binned(bins, held_back), counted)


def _samples(
    known: TemporalGraph,
    lives: Floats,
    settings: FitSettings,
    scored_from: int,
    execution: Execution,
) -> tuple[list[tuple[Sample, Sample]], list[Counts]]:
    """Per chunk of queries: examples and queries that are held back; and the counted rules."""
    histories = build_histories(known, lives, known.end)
    share = min(_MAX_QUERIES / max(2 * len(known.facts.between(scored_from, known.end).time), 1), 1.0)

    def work(relation: int) -> tuple[list[tuple[Sample, Sample]], list[Counts]]:
        random = np.random.default_rng((settings.seed, relation))
        queries = relation_queries(known.facts, len(known.relations.base), relation, scored_from)
        queries = queries._replace(scored=queries.scored & (random.random(len(queries.time)) < share))
        extraction = Extraction(settings.families, len(known.relations))
        samples = [_sampled(part, random) for part in extraction.advance(histories, queries)]
        return samples, most_frequent_rules(relation, extraction.families)

    samples, counted = zip(*execution.run(lambda: work, _largest_first(known), "evidence"), strict=True)
    return [part for parts in samples for part in parts], [counts for each in counted for counts in each]


def _largest_first(graph: TemporalGraph) -> list[int]:
    """All relations, those with most facts first, so that workers finish at about the same time."""
    sizes = np.bincount(graph.facts.relation, minlength=len(graph.relations.base))
    return np.argsort(-np.tile(sizes, 2), kind="stable").tolist()


def _sampled(part: Extracted, random: np.random.Generator) -> tuple[Sample, Sample]:
    """Examples: queries with an answer, and some of their candidates. Held back: any queries with all candidates."""
    is_true, n = is_answer(part), len(part.pairs.query)
    query = np.repeat(np.arange(n), np.diff(part.pairs.start))
    held_back = random.random(n) < _CALIBRATION_SHARE
    example = ~held_back & (np.bincount(query, is_true, n) > 0)
    chosen = (example, example[query] & _some(query, is_true, random)), (held_back, held_back[query])
    first, second = (
        Sample(np.bincount(query[rows], minlength=n)[own], _in_half_precision(part.evidence[rows]), is_true[rows])
        for own, rows in chosen
    )
    return first, second


def _in_half_precision(evidence: Floats) -> Floats:
    """Evidence in half the memory; the precision is finer than that of bins."""
    largest = np.finfo(np.float16).max
    return np.clip(evidence, -largest, largest).astype(np.float16)


def _some(query: Ints, is_true: Ints, random: np.random.Generator) -> Bools:
    """A random choice among each query's answers and among its other candidates."""
    draw = random.random(len(query))
    chosen = np.zeros(len(query), np.bool_)
    for value, n_most in ((1, _MAX_ANSWERS_PER_QUERY), (0, _MAX_OTHERS_PER_QUERY)):
        own = np.flatnonzero(is_true == value)
        order = own[np.lexsort((draw[own], query[own]))]
        rank = np.arange(len(own)) - np.searchsorted(query[own], query[own])
        chosen[order[rank < n_most]] = True
    return chosen


def _rows_for_bins(samples: list[Sample], seed: int) -> Floats:
    """The evidence of some answers and of as many other candidates."""
    random = np.random.default_rng(seed)
    is_true = np.concatenate([sample.is_true for sample in samples])
    answers, others = (np.flatnonzero(is_true == value) for value in (1, 0))
    n = min(len(answers), _MAX_ANSWERS_FOR_BINS)
    chosen = np.zeros(len(is_true), np.bool_)
    chosen[random.choice(answers, n, replace=False)] = True
    chosen[random.choice(others, min(n, len(others)), replace=False)] = True
    parts = np.split(chosen, np.cumsum([len(sample.is_true) for sample in samples])[:-1])
    return np.concatenate([sample.evidence[own] for sample, own in zip(samples, parts, strict=True)])


def _binned(bins: Bins, samples: list[Sample]) -> Examples:
    sizes, is_true = (np.concatenate([sample[field] for sample in samples]) for field in (0, 2))
    binned = np.concatenate([bins.of(sample.evidence) for sample in samples])
    return Examples(np.append(0, np.cumsum(sizes)), binned, is_true)
