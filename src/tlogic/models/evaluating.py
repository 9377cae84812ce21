"""Evaluation of a model: every fact of a split asked in both directions, as for rules."""

import time
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from tlogic.errors import InputError
from tlogic.evaluation.evaluator import Evaluation, describe_evaluation
from tlogic.evaluation.questions import FILTERS, Filter
from tlogic.evaluation.ranks import Answers, Placings, place_answers
from tlogic.evidence.extraction import Extracted, Extraction, each_relation, is_answer, questions_of
from tlogic.evidence.histories import build_histories
from tlogic.forecasting.application import Queries, Scored
from tlogic.forecasting.fallback import object_distributions
from tlogic.graph.arrays import Floats
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.calibration import Reliability
from tlogic.models.model import Model


def evaluate_model(
    graph: TemporalGraph,
    model: Model,
    *,
    split: str = "test",
    filter: Filter = "time-aware",
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
) -> Evaluation:
    """Forecast every fact of a split in both directions with a model and rank the true answers.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> figures = evaluate_model(graph, tlogic.fit(graph)).to_dict()
    >>> figures["queries"], 0.5 < figures["realistic"]["mrr"] < 1
    (2240, True)
    """
    facts = graph.split(split)
    if len(facts.time) == 0:
        raise InputError(f"There are no {split} facts to evaluate on.")
    started = time.perf_counter()
    known = graph.before(int(facts.time[-1]) + 1)
    histories, fallback = build_histories(known, model.half_lives, known.end), object_distributions(graph.train)
    indexed = time.perf_counter()

    def place(part: Extracted) -> tuple[Placings, Reliability]:
        asked, pairs, evidence = part
        queries = Queries(asked.subject, np.full_like(asked.subject, asked.relation), asked.time, asked.time)
        wanted = Queries(*(column[pairs.query].astype(np.int64) for column in queries))
        sizes = np.diff(asked.answer_start)[pairs.query]
        own = np.repeat(asked.wanted, np.diff(asked.answer_start))
        answers = Answers(np.append(0, np.cumsum(sizes)), asked.answer[own])
        scores = model.scores(evidence)
        scored = Scored(pairs.start, pairs.candidate, scores, np.zeros(len(sizes), np.int64))
        placings = place_answers(known.triples, wanted, answers, scored, fallback, FILTERS[filter])
        return placings, _reliability(model, part, scores)

    def work(relation: int) -> list[tuple[Placings, Reliability]]:
        asked = questions_of(known.facts, len(known.relations.base), relation, int(facts.time[0]))
        parts = Extraction(model.families, len(known.relations)).advance(histories, asked)
        return [place(part) for part in parts]

    done: Any = each_relation(known, work, threads)
    if progress:
        done = progress(done, total=len(known.relations), description="queries")
    parts, reliabilities = zip(*(part for parts in done for part in parts), strict=True)
    placings = Placings(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    seconds = {"index": indexed - started, "apply": time.perf_counter() - indexed}
    settings = {"split": split, "filter": filter, **model.settings}
    return describe_evaluation(graph, placings, settings, seconds, reduce(Reliability.plus, reliabilities))


def _reliability(model: Model, part: Extracted, scores: Floats) -> Reliability:
    """How far probabilities came true."""
    return Reliability.of(model.probabilities(part.pairs.start, scores), is_answer(part))
