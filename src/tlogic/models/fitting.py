"""Fitting: the weights of evidence, learned from queries whose answers are known.

Evidence for a query is what was known before it, so every query can be learned from as it was asked: nothing is
estimated on the facts that it scores.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from tlogic.errors import InputError, SettingsError
from tlogic.evidence.extraction import Extracted, extract, is_answer
from tlogic.evidence.histories import Histories, build_histories, half_lives
from tlogic.graph.arrays import Bools, Floats, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.model import Model
from tlogic.models.scorecard import Examples, Scorecard, bins_of, cut_into_bins, learn_weights
from tlogic.parallel import in_parallel

TrainOn = Literal["train", "train+valid"]

_LATE = 0.75  # the share of training time that is only counted, not learned from: early evidence is thin
_ENOUGH_QUERIES = 60_000
_ENOUGH_CANDIDATES = 60
_EPOCHS = 2


def fit(
    graph: TemporalGraph,
    *,
    train_on: TrainOn = "train+valid",
    seed: int = 12,
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
) -> Model:
    """Fit a scorecard to a graph's training facts, or to those and the validation facts.

    >>> import tlogic
    >>> fit(tlogic.sample())
    Model(62 kinds of evidence, fitted to 10,631 facts)
    """
    if train_on not in ("train", "train+valid"):
        raise SettingsError(f"train_on must be train or train+valid, not {train_on!r}.")
    known = graph.before(graph.valid_from if train_on == "train" else graph.test_from)
    lives = half_lives(known.end)
    histories = build_histories(known, lives, known.end)
    wanted_from = int(_LATE * min(known.end, graph.valid_from))
    start, evidence, right = _gather(known, histories, wanted_from, seed, threads, progress)
    if not right.any():
        raise InputError("There is nothing to learn from: no query has its answer among entities seen before.")
    edge_start, edge = cut_into_bins(evidence[_balanced(right, seed)])
    examples = Examples(start, bins_of(edge_start, edge, evidence), right)
    return Model(
        Scorecard(edge_start, edge, learn_weights(examples, _EPOCHS, seed)),
        lives,
        settings={"train_on": train_on, "seed": seed},
        data=known.describe(),
    )


def _gather(
    known: TemporalGraph,
    histories: Histories,
    wanted_from: int,
    seed: int,
    threads: int | None,
    progress: Callable[..., Any] | None,
) -> tuple[Ints, Floats, Ints]:
    """Evidence to learn from: where queries start, the evidence of their candidates, and which were right."""
    share = min(_ENOUGH_QUERIES / max(2 * len(known.facts.between(wanted_from, known.end).time), 1), 1.0)

    def work(relation: int) -> list[tuple[Ints, Floats, Ints]]:
        random = np.random.default_rng((seed, relation))
        return [_sampled(part, share, random) for part in extract(known, histories, relation, wanted_from)]

    relations = range(len(known.relations))
    done: Any = in_parallel(lambda: work, relations, threads)
    if progress:
        done = progress(done, total=len(relations), description="evidence")
    sizes, evidence, right = zip(*(part for parts in done for part in parts), strict=True)
    return np.append(0, np.cumsum(np.concatenate(sizes))), np.concatenate(evidence), np.concatenate(right)


def _sampled(part: Extracted, share: float, random: np.random.Generator) -> tuple[Ints, Floats, Ints]:
    """A share of the queries that have an answer among their candidates, each with its answers and some others."""
    right, n = is_answer(part), len(part.pairs.query)
    query = np.repeat(np.arange(n), np.diff(part.pairs.start))
    learned = (np.bincount(query, right, n) > 0) & (random.random(n) < share)
    kept = learned[query] & _some(query, right, random)
    return np.bincount(query[kept], minlength=n)[learned], part.evidence[kept], right[kept]


def _some(query: Ints, right: Ints, random: np.random.Generator) -> Bools:
    """All answers and, of each query's other candidates, as many as are enough, drawn at random."""
    draw = random.random(len(query)) - right  # answers come first
    order = np.lexsort((draw, query))
    first = np.searchsorted(query, query)
    chosen = np.zeros(len(query), np.bool_)
    chosen[order[np.arange(len(query)) - first < _ENOUGH_CANDIDATES]] = True
    return chosen


def _balanced(right: Ints, seed: int) -> Ints:
    """All answers and as many other candidates."""
    answers, others = np.flatnonzero(right), np.flatnonzero(right == 0)
    random = np.random.default_rng(seed)
    return np.concatenate([answers, random.choice(others, min(len(answers), len(others)), replace=False)])
