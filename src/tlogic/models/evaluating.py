"""Evaluation of a model: every fact of a split as a query in both directions, as for rules."""

import time
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from tlogic.errors import InputError
from tlogic.evaluation.evaluation import Evaluation, describe_evaluation
from tlogic.evaluation.ranks import RankCounts, TrueAnswers, rank_answers
from tlogic.evaluation.split_queries import FILTERS, Filter
from tlogic.evidence.extraction import Extracted, Extraction, is_answer
from tlogic.evidence.histories import build_histories
from tlogic.evidence.history_queries import relation_queries
from tlogic.forecasting.application import QueryBatch, Scored
from tlogic.forecasting.fallback import object_distributions
from tlogic.graph.arrays import Floats
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.calibration import Reliability
from tlogic.models.model import Model
from tlogic.models.training_data import each_relation

Result = TypeVar("Result")
Place = Callable[[Floats], RankCounts]
"""From the scores of all candidates to where the true answers stand."""


def evaluate_model(
    graph: TemporalGraph,
    model: Model,
    *,
    split: str = "test",
    filter: Filter = "time-aware",
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[..., Any] | None = None,
) -> Evaluation:
    """Forecast every fact of a split in both directions with a model and rank the true answers.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> figures = evaluate_model(graph, tlogic.fit(graph)).to_dict()
    >>> figures["queries"], 0.5 < figures["realistic"]["mrr"] < 1
    (2240, True)
    """

    def judge(part: Extracted, place: Place) -> tuple[RankCounts, Reliability]:
        scores = model.scores(part.evidence)
        said = model.probabilities(part.pairs.start, scores)
        return place(scores), Reliability.of(said, is_answer(part))

    started = time.perf_counter()
    done = each_part(graph, model.half_lives, model.families, judge, split, filter, threads, progress, cluster)
    parts, reliabilities = zip(*done, strict=True)
    rank_counts = RankCounts(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    settings = {"split": split, "filter": filter, **model.settings}
    seconds = {"apply": time.perf_counter() - started}
    return describe_evaluation(graph, rank_counts, settings, seconds, reduce(Reliability.plus, reliabilities))


def each_part(
    graph: TemporalGraph,
    lives: Floats,
    families: Sequence[str],
    judge: Callable[[Extracted, Place], Result],
    split: str = "test",
    filter: Filter = "time-aware",
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
    cluster: str | None = None,
) -> list[Result]:
    """What comes of judging the evidence for all queries of a split, some at a time."""
    facts = graph.split(split)
    if len(facts.time) == 0:
        raise InputError(f"There are no {split} facts to evaluate on.")
    known = graph.before(int(facts.time[-1]) + 1)
    histories, fallback = build_histories(known, lives, known.end), object_distributions(graph, graph.valid_from)

    def judged(part: Extracted) -> Result:
        batch, answers = _query_batch(part)
        nothing = np.zeros(len(part.pairs.query), np.int64)

        def place(scores: Floats) -> RankCounts:
            scored = Scored(part.pairs.start, part.pairs.candidate, scores, nothing)
            return rank_answers(known.triples, batch, answers, scored, fallback, FILTERS[filter])

        return judge(part, place)

    def work(relation: int) -> list[Result]:
        queries = relation_queries(known.facts, len(known.relations.base), relation, int(facts.time[0]))
        parts = Extraction(families, len(known.relations)).advance(histories, queries)
        return [judged(part) for part in parts]

    done: Any = each_relation(known, work, threads, cluster)
    if progress:
        done = progress(done, total=len(known.relations), description=f"{split} queries")
    return [result for results in done for result in results]


def _query_batch(part: Extracted) -> tuple[QueryBatch, TrueAnswers]:
    """The queries that are evaluated, and their answers."""
    queries, pairs, _ = part
    subject, time = (column[pairs.query].astype(np.int64) for column in (queries.subject, queries.time))
    n_answers = np.diff(queries.answer_start)
    starts = np.append(0, np.cumsum(n_answers[pairs.query]))
    answers = TrueAnswers(starts, queries.answer[np.repeat(queries.scored, n_answers)])
    return QueryBatch(subject, np.full_like(subject, queries.relation), time, time), answers
