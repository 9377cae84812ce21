"""Evaluation of a model: every fact of a split asked in both directions, as for rules."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tlogic.errors import InputError
from tlogic.evaluation.evaluator import Evaluation, describe_evaluation
from tlogic.evaluation.questions import FILTERS, Filter
from tlogic.evaluation.ranks import Answers, Placings, place_answers
from tlogic.evidence.extraction import Extracted, extract
from tlogic.evidence.histories import build_histories
from tlogic.forecasting.application import Queries, Scored
from tlogic.forecasting.fallback import object_distributions
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.model import Model
from tlogic.parallel import in_parallel


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

    def place(part: Extracted) -> Placings:
        asked, pairs, evidence = part
        queries = Queries(asked.subject, np.full_like(asked.subject, asked.relation), asked.time, asked.time)
        wanted = Queries(*(column[pairs.query].astype(np.int64) for column in queries))
        sizes = np.diff(asked.answer_start)[pairs.query]
        own = np.repeat(asked.wanted, np.diff(asked.answer_start))
        answers = Answers(np.append(0, np.cumsum(sizes)), asked.answer[own])
        scored = Scored(pairs.start, pairs.candidate, model.scores(evidence), np.zeros(len(sizes), np.int64))
        return place_answers(known.triples, wanted, answers, scored, fallback, FILTERS[filter])

    def work(relation: int) -> list[Placings]:
        return [place(part) for part in extract(known, histories, relation, int(facts.time[0]))]

    relations = range(len(graph.relations))
    done: Any = in_parallel(lambda: work, relations, threads)
    if progress:
        done = progress(done, total=len(relations), description="queries")
    parts = [part for parts in done for part in parts]
    placings = Placings(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    seconds = {"index": indexed - started, "apply": time.perf_counter() - indexed}
    return describe_evaluation(graph, placings, {"split": split, "filter": filter, **model.settings}, seconds)
