"""Training data of models: past queries with the binned evidence of their candidates.

The evidence of a query depends on earlier facts only, so every past query is a valid example: nothing is estimated on
the facts that it scores.
"""

from typing import NamedTuple

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.groups import half_lives
from tlogic.evidence.memory import Evidence, Memory
from tlogic.evidence.memory_cache import MemoryCache
from tlogic.evidence.query_evidence import QueryEvidence
from tlogic.evidence.relation_numbers import decode_relations, encode_relations
from tlogic.execution import Execution
from tlogic.forecasting.application import QueryBatch
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.facts import Facts
from tlogic.graph.hashing import mixed_hashes
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.bins import Bins
from tlogic.models.scorecard import Examples
from tlogic.models.settings import FitSettings
from tlogic.names import name_keys

_WARM_UP_SHARE = 0.75  # of the training time, in which rules are counted but no examples taken: evidence is still thin
_MAX_QUERIES = 75_000  # about as many examples are drawn
_MAX_OTHERS_PER_QUERY, _MAX_ANSWERS_PER_QUERY = 60, 20
_CALIBRATION_SHARE = 0.1  # of the queries, which are held back for calibration
_MAX_ANSWERS_FOR_BINS = 100_000  # and as many other candidates, to choose the edges of bins


_CHOSEN, _HELD_BACK, _DRAWN = range(3)  # what random numbers are for


class TrainingData(NamedTuple):
    """Queries with the binned evidence of their candidates."""

    graph: TemporalGraph
    """The facts that the queries come from."""
    bins: Bins
    examples: Examples
    held_back: Examples
    """Queries for calibration, with all their candidates."""
    memory: Memory
    """All facts of the graph, and what families learned from them."""


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
    scored_from = int(_WARM_UP_SHARE * min(known.end, graph.valid_from))
    evidence = QueryEvidence(known, settings.families, half_lives(known.end))
    facts = known.facts.between(scored_from, known.end)
    sampler = _Sampler(known, facts, settings.seed)
    parts = evidence.map(sampler.queries(), sampler, execution, "evidence")
    samples = [sample for part in parts for sample in part]
    examples, held_back = ([pair[kind] for pair in samples] for kind in (0, 1))
    del samples  # so that the memory of each is freed when it is no longer needed
    if not any(sample.is_true.any() for sample in examples):
        raise InputError("There is nothing to learn from: no query has its answer among entities seen before.")
    bins = Bins.cut(_rows_for_bins(examples, settings.seed))
    memory = evidence.complete_memory(execution)
    MemoryCache(graph, settings.families, memory.half_lives).store(memory, known.end)
    return TrainingData(known, bins, _binned(bins, examples), _binned(bins, held_back), memory)


class _Sampler:
    """Chooses queries and candidates at random, by hashes of their names: whatever their ids and their order."""

    def __init__(self, graph: TemporalGraph, facts: Facts, seed: int) -> None:
        self._graph, self._facts, self._seed = graph, facts, seed
        self._entity_key, self._relation_key = name_keys(graph.entities.names), name_keys(graph.relations.names)

    def queries(self) -> QueryBatch:
        """About as many queries as are to be drawn, sorted by time."""
        facts, half = self._facts, len(self._graph.relations.base)
        subject = np.concatenate([facts.subject, facts.object]).astype(np.int64)
        relation = np.concatenate([facts.relation, facts.relation + half]).astype(np.int64)
        time = np.concatenate([facts.time, facts.time]).astype(np.int64)
        order = np.lexsort((encode_relations(relation, half), subject, time))  # as evidence is: blocks keep the order
        subject, relation, time = subject[order], relation[order], time[order]
        new = np.append(True, (np.diff(subject) != 0) | (np.diff(relation) != 0) | (np.diff(time) != 0))[: len(time)]
        share = min(_MAX_QUERIES / max(len(time), 1), 1.0)
        kept = new & (self._random(_CHOSEN, subject, relation, time) < share)
        return QueryBatch(subject[kept], relation[kept], time[kept], time[kept])

    def __call__(self, part: Evidence) -> tuple["Sample", "Sample"]:
        """Examples, which have an answer, with some candidates; and queries that are held back, with all of them."""
        context, n = part.context, len(part.query)
        query = np.repeat(np.arange(n), np.diff(context.start))
        is_true = self._is_answer(part, query)
        relation = decode_relations(context.relation, len(self._graph.relations.base))
        time = np.full(n, context.now)
        held_back = self._random(_HELD_BACK, context.subject, relation, time) < _CALIBRATION_SHARE
        draw = self._random(_DRAWN, context.subject[query], relation[query], time[query], context.candidate)
        example = ~held_back & (np.bincount(query, is_true, n) > 0)
        chosen = (example, example[query] & _some(query, is_true, draw)), (held_back, held_back[query])
        first, second = (
            Sample(np.bincount(query[rows], minlength=n)[own], _in_half_precision(part.values[rows]), is_true[rows])
            for own, rows in chosen
        )
        return first, second

    def _is_answer(self, part: Evidence, query: Ints) -> Ints:
        """Per candidate: 1 if it is a true answer to its query, else 0."""
        now, context = part.context.now, part.context
        facts, half = self._graph.facts.between(now, now + 1), len(self._graph.relations.base)
        subject = np.concatenate([facts.subject, facts.object])
        relation = encode_relations(np.concatenate([facts.relation, facts.relation + half]), half)
        answers = self._edge(subject, relation, np.concatenate([facts.object, facts.subject]))
        found = np.isin(self._edge(context.subject[query], context.relation[query], context.candidate), answers)
        return found.astype(np.int8)

    def _edge(self, source: Ints, relation: Ints, target: Ints) -> Ints:
        n = np.int64(len(self._graph.entities))
        return (relation * n + source) * n + target

    def _random(self, what: int, subject: Ints, relation: Ints, time: Ints, candidate: Ints | None = None) -> Floats:
        """Numbers between 0 and 1 for queries, or for their candidates."""
        keys = [np.full(len(time), self._seed), np.full(len(time), what), self._entity_key[subject]]
        keys += [self._relation_key[relation], time]
        if candidate is not None:
            keys.append(self._entity_key[candidate])
        return mixed_hashes(keys) / 2.0**64


def _in_half_precision(evidence: Floats) -> Floats:
    """Evidence in half the memory; the precision is finer than that of bins."""
    largest = np.finfo(np.float16).max
    return np.clip(evidence, -largest, largest).astype(np.float16)


def _some(query: Ints, is_true: Ints, draw: Floats) -> Bools:
    """A random choice among each query's answers and among its other candidates: those with the smallest numbers."""
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
    """All samples as one, with bins instead of evidence. The list is emptied, to free their memory one by one."""
    sizes, is_true = (np.concatenate([sample[field] for sample in samples]) for field in (0, 2))
    binned = np.empty((len(is_true), len(bins.sizes)), np.uint8)
    end = len(is_true)
    while samples:
        evidence = samples.pop().evidence
        binned[end - len(evidence) : end] = bins.of(evidence)
        end -= len(evidence)
    return Examples(np.append(0, np.cumsum(sizes)), binned, is_true)
