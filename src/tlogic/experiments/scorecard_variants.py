"""Many scorecards, each over some families of evidence, from evidence that is gathered once for all of them.

Columns of evidence are cut into bins one by one, and candidates do not depend on them, so each scorecard is the one
that `fit(graph, evidence=families, train_on="train")` gives.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tlogic.evaluation.questions import FILTERS
from tlogic.evaluation.ranks import Answers, Placings, Ranks, place_answers, summary
from tlogic.evidence.extraction import WITHOUT_NAMES, Extracted, Extraction, columns_of, each_relation, questions_of
from tlogic.evidence.histories import build_histories, half_lives
from tlogic.forecasting.application import Queries, Scored
from tlogic.forecasting.fallback import object_distributions
from tlogic.graph import TemporalGraph
from tlogic.graph.arrays import Floats
from tlogic.models import fitting
from tlogic.models.bins import N_BINS, Bins
from tlogic.models.scorecard import learn_weights, scores_of

Families = tuple[str, ...]
Progress = Callable[..., Any] | None

SEED = 12


class Variants(NamedTuple):
    """Scorecards over the same columns; the weights of families that are left out are zero."""

    half_lives: Floats
    bins: Bins
    weights: list[Floats]


def fit_variants(
    graph: TemporalGraph, variants: Sequence[Families], threads: int | None = None, progress: Progress = None
) -> Variants:
    """A scorecard for each choice of families, with weights from the training facts."""
    known = graph.before(graph.valid_from)
    lives = half_lives(known.end)
    late = int(fitting._LATE * known.end)
    samples, _ = fitting._gather(known, lives, WITHOUT_NAMES, late, SEED, threads, progress)
    learned = [sample for sample, _ in samples]
    bins = Bins.cut(fitting._some_rows(learned, SEED))
    examples = fitting._binned(bins, learned)
    families = np.array([family for family, _ in columns_of(WITHOUT_NAMES)])
    weights: list[Floats] = []
    for chosen in _follow(progress, variants, len(variants), "scorecards"):
        own = np.isin(families, chosen)
        some = examples._replace(bins=np.ascontiguousarray(examples.bins[:, own]))
        weight = np.zeros((len(families), N_BINS + 1))
        weight[own] = learn_weights(some, bins.sizes[own], threads)
        weights.append(weight)
    return Variants(lives, bins, weights)


def evaluate_variants(
    graph: TemporalGraph, variants: Variants, split: str, threads: int | None = None, progress: Progress = None
) -> list[dict[str, float]]:
    """The figures of each scorecard on a split, realistic ties, time-aware filter."""
    facts = graph.split(split)
    known = graph.before(int(facts.time[-1]) + 1)
    histories, fallback = build_histories(known, variants.half_lives, known.end), object_distributions(graph.train)

    def place(part: Extracted) -> list[Placings]:
        wanted, answers = _asked(part)
        bins, nothing = variants.bins.of(part.evidence), np.zeros(len(part.pairs.query), np.int64)
        scored = (
            Scored(part.pairs.start, part.pairs.candidate, scores_of(weight, bins), nothing)
            for weight in variants.weights
        )
        return [place_answers(known.triples, wanted, answers, each, fallback, FILTERS["time-aware"]) for each in scored]

    def work(relation: int) -> list[list[Placings]]:
        asked = questions_of(known.facts, len(known.relations.base), relation, int(facts.time[0]))
        extraction = Extraction(WITHOUT_NAMES, len(known.relations))
        return [place(part) for part in extraction.advance(histories, asked)]

    done = _follow(progress, each_relation(known, work, threads), len(known.relations), f"{split} queries")
    by_variant = zip(*(part for parts in done for part in parts), strict=True)
    return [_figures(placings) for placings in by_variant]


def _asked(part: Extracted) -> tuple[Queries, Answers]:
    """The queries that are evaluated, and their answers."""
    asked, pairs, _ = part
    subject, time = (column[pairs.query].astype(np.int64) for column in (asked.subject, asked.time))
    n_answers = np.diff(asked.answer_start)
    starts = np.append(0, np.cumsum(n_answers[pairs.query]))
    answers = Answers(starts, asked.answer[np.repeat(asked.wanted, n_answers)])
    return Queries(subject, np.full_like(subject, asked.relation), time, time), answers


def _figures(placings: Sequence[Placings]) -> dict[str, float]:
    higher, same = (np.concatenate([part[place] for part in placings]) for place in (0, 1))
    return summary(Ranks(higher, same).realistic)


def _follow(progress: Progress, items: Any, total: int, description: str) -> Any:
    return progress(items, total=total, description=description) if progress else items
