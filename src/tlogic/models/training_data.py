"""What models are fitted to: past queries with the evidence for their candidates, gathered once and cut into bins.

Evidence for a query is what was known before it, so every query can be learned from as it was queries: nothing is
estimated on the facts that it scores.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.extraction import Extracted, Extraction, is_answer, relation_queries
from tlogic.evidence.histories import build_histories, half_lives
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.bins import Bins
from tlogic.models.counted_rules import Counts, kept
from tlogic.models.scorecard import Examples
from tlogic.parallel import in_parallel

_LATE = 0.75  # the share of training time that is only counted, not learned from: early evidence is thin
_ENOUGH_QUERIES = 75_000
_ENOUGH_CANDIDATES, _ENOUGH_ANSWERS = 60, 20
_HELD_BACK = 0.1  # the share of queries that calibration is learned from, and nothing else
_ENOUGH_ROWS = 100_000  # to see where bins should be cut


class Gathered(NamedTuple):
    """Queries with the bins of their candidates' evidence."""

    known: TemporalGraph
    """The facts they come from."""
    half_lives: Floats
    bins: Bins
    learned: Examples
    held_back: Examples
    """To see what scores mean for queries that were not learned from."""
    counted: list[Counts]
    """The rules that were counted on the way."""


class Sample(NamedTuple):
    """Queries with the evidence of their candidates."""

    sizes: Ints
    """Per query: its number of candidates."""
    evidence: Floats
    right: Ints


def gather(
    graph: TemporalGraph,
    families: Sequence[str],
    train_on: str,
    seed: int,
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
    cluster: str | None = None,
) -> Gathered:
    """Queries from a graph's training facts, or from those and the validation facts."""
    known = graph.before(graph.valid_from if train_on == "train" else graph.test_from)
    lives = half_lives(known.end)
    scored_from = int(_LATE * min(known.end, graph.valid_from))
    samples, counted = _samples(known, lives, families, scored_from, seed, threads, progress, cluster)
    learned, held_back = (list(kind) for kind in zip(*samples, strict=True))
    if not any(sample.right.any() for sample in learned):
        raise InputError("There is nothing to learn from: no query has its answer among entities seen before.")
    bins = Bins.cut(_some_rows(learned, seed))
    return Gathered(known, lives, bins, _binned(bins, learned), _binned(bins, held_back), counted)


def _samples(
    known: TemporalGraph,
    lives: Floats,
    families: Sequence[str],
    scored_from: int,
    seed: int,
    threads: int | None,
    progress: Callable[..., Any] | None,
    cluster: str | None,
) -> tuple[list[tuple[Sample, Sample]], list[Counts]]:
    """Per part of the queries: some to learn from, and some that are held back; and the rules that were counted."""
    histories = build_histories(known, lives, known.end)
    share = min(_ENOUGH_QUERIES / max(2 * len(known.facts.between(scored_from, known.end).time), 1), 1.0)

    def work(relation: int) -> tuple[list[tuple[Sample, Sample]], list[Counts]]:
        random = np.random.default_rng((seed, relation))
        queries = relation_queries(known.facts, len(known.relations.base), relation, scored_from)
        queries = queries._replace(scored=queries.scored & (random.random(len(queries.time)) < share))
        extraction = Extraction(families, len(known.relations))
        samples = [_sampled(part, random) for part in extraction.advance(histories, queries)]
        return samples, kept(relation, extraction.states)

    done: Any = each_relation(known, work, threads, cluster)
    if progress:
        done = progress(done, total=len(known.relations), description="evidence")
    samples, counted = zip(*done, strict=True)
    return [part for parts in samples for part in parts], [counts for each in counted for counts in each]


def each_relation(
    graph: TemporalGraph, work: Callable[[int], Any], threads: int | None, cluster: str | None
) -> Iterator[Any]:
    """The results of some work on every relation, those with most facts first, so that workers end together."""
    sizes = np.bincount(graph.facts.relation, minlength=len(graph.relations.base))
    largest_first = np.argsort(-np.tile(sizes, 2), kind="stable")
    return in_parallel(lambda: work, largest_first.tolist(), threads, cluster)


def _sampled(part: Extracted, random: np.random.Generator) -> tuple[Sample, Sample]:
    """Queries with an answer among their candidates and some of the others; and any queries with all candidates."""
    right, n = is_answer(part), len(part.pairs.query)
    query = np.repeat(np.arange(n), np.diff(part.pairs.start))
    held_back = random.random(n) < _HELD_BACK
    learned = ~held_back & (np.bincount(query, right, n) > 0)
    chosen = (learned, learned[query] & _some(query, right, random)), (held_back, held_back[query])
    first, second = (
        Sample(np.bincount(query[rows], minlength=n)[own], _in_half_precision(part.evidence[rows]), right[rows])
        for own, rows in chosen
    )
    return first, second


def _in_half_precision(evidence: Floats) -> Floats:
    """Half the memory, and more exact than bins are."""
    most = np.finfo(np.float16).max
    return np.clip(evidence, -most, most).astype(np.float16)


def _some(query: Ints, right: Ints, random: np.random.Generator) -> Bools:
    """Of each query's answers and other candidates as many as are enough, drawn at random."""
    draw = random.random(len(query))
    chosen = np.zeros(len(query), np.bool_)
    for value, enough in ((1, _ENOUGH_ANSWERS), (0, _ENOUGH_CANDIDATES)):
        own = np.flatnonzero(right == value)
        order = own[np.lexsort((draw[own], query[own]))]
        place = np.arange(len(own)) - np.searchsorted(query[own], query[own])
        chosen[order[place < enough]] = True
    return chosen


def _some_rows(samples: list[Sample], seed: int) -> Floats:
    """Evidence of answers and of as many other candidates."""
    random = np.random.default_rng(seed)
    right = np.concatenate([sample.right for sample in samples])
    answers, others = (np.flatnonzero(right == value) for value in (1, 0))
    n = min(len(answers), _ENOUGH_ROWS)
    chosen = np.zeros(len(right), np.bool_)
    chosen[random.choice(answers, n, replace=False)] = True
    chosen[random.choice(others, min(n, len(others)), replace=False)] = True
    parts = np.split(chosen, np.cumsum([len(sample.right) for sample in samples])[:-1])
    return np.concatenate([sample.evidence[own] for sample, own in zip(samples, parts, strict=True)])


def _binned(bins: Bins, samples: list[Sample]) -> Examples:
    sizes, right = (np.concatenate([sample[place] for sample in samples]) for place in (0, 2))
    binned = np.concatenate([bins.of(sample.evidence) for sample in samples])
    return Examples(np.append(0, np.cumsum(sizes)), binned, right)
