"""Evaluation: every fact of a split asked in both directions, and how high its answer ranks."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from tlogic.errors import InputError, SettingsError
from tlogic.evaluation.memory import peak_megabytes
from tlogic.evaluation.ranks import (
    RAW,
    STATIC,
    TIME_AWARE,
    Answers,
    Placings,
    Ranks,
    place_answers,
    summary,
)
from tlogic.forecasting.application import Queries
from tlogic.forecasting.fallback import object_distributions
from tlogic.forecasting.forecaster import Forecaster, query_chunks
from tlogic.forecasting.settings import ApplicationSettings
from tlogic.graph.arrays import Bools, Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.parallel import in_parallel
from tlogic.rules import RuleSet

Filter = Literal["time-aware", "static", "raw"]
_FILTERS = {"time-aware": TIME_AWARE, "static": STATIC, "raw": RAW}


@dataclass(frozen=True)
class Evaluation:
    """How well the true answers of a split ranked."""

    ranks: Ranks
    fell_back: Bools
    """Per answer: no rule gave its query a candidate, so the fallback did."""
    splits: dict[str, int]
    settings: dict[str, Any]
    seconds: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        return {
            "queries": len(self.fell_back),
            "no_candidates": int(self.fell_back.sum()),
            "optimistic": summary(self.ranks.optimistic),
            "realistic": summary(self.ranks.realistic),
            "pessimistic": summary(self.ranks.pessimistic),
            "splits": self.splits,
            "settings": self.settings,
            "seconds": self.seconds,
            "peak_mb": peak_megabytes(),
        }


def evaluate(
    graph: TemporalGraph,
    rules: RuleSet,
    settings: ApplicationSettings | None = None,
    *,
    split: str = "test",
    filter: Filter = "time-aware",
    multi_step: bool = False,
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
    **changes: Any,
) -> Evaluation:
    """Forecast every fact of a split in both directions and rank the true answers.

    Facts before a query's own time are visible; with ``multi_step`` only those before the split begins. Settings can be
    given whole or one by one: ``evaluate(graph, rules, window=200)``.

    >>> import tlogic
    >>> graph = tlogic.sample()
    >>> figures = tlogic.evaluate(graph, tlogic.learn(graph, lengths=(1,))).to_dict()
    >>> figures["queries"], 0.3 < figures["realistic"]["mrr"] < 1
    (2240, True)
    """
    settings = settings or ApplicationSettings(**changes)
    if filter not in _FILTERS:
        raise SettingsError(f"filter must be one of {', '.join(_FILTERS)}, not {filter!r}.")
    started = time.perf_counter()
    queries, answers = split_queries(graph, split, multi_step)
    forecaster = Forecaster(graph, rules, settings)
    fallback = object_distributions(graph.train)
    triples = graph.triples
    indexed = time.perf_counter()

    def new_worker() -> Callable[[Ints], Placings]:
        answer = forecaster.new_worker()

        def place(chunk: Ints) -> Placings:
            asked = Queries(*(column[chunk] for column in queries))
            return place_answers(triples, asked, _answers_of(answers, chunk), answer(asked), fallback, _FILTERS[filter])

        return place

    chunks = query_chunks(queries.relation)
    follow = progress or (lambda items, **_: items)
    placings = list(follow(in_parallel(new_worker, chunks, threads), total=len(chunks), description="queries"))
    order = np.argsort(np.concatenate([_answer_places(answers, chunk) for chunk in chunks]), kind="stable")
    higher, same, fell_back = (np.concatenate(column)[order] for column in zip(*placings, strict=True))
    return Evaluation(
        ranks=Ranks(higher, same),
        fell_back=fell_back,
        splits={name: len(graph.split(name).time) for name in ("train", "valid", "test")},
        settings=asdict(settings)
        | {"split": split, "filter": filter, "multi_step": multi_step}
        | {"rules": len(forecaster.rules), "rules_given": len(rules), "rules_foreign": forecaster.n_foreign},
        seconds={"index": indexed - started, "apply": time.perf_counter() - indexed},
    )


def split_queries(graph: TemporalGraph, split: str, multi_step: bool) -> tuple[Queries, Answers]:
    """The distinct queries of a split in both directions, sorted by time, and the true answers of each."""
    facts = graph.split(split)
    if len(facts.time) == 0:
        raise InputError(
            f"There are no {split} facts to evaluate on; give a folder with a {split} file, "
            "or say where the period begins."
        )
    half = len(graph.relations.base)
    subject = np.concatenate([facts.subject, facts.object]).astype(np.int64)
    relation = np.concatenate([facts.relation, facts.relation + half]).astype(np.int64)
    answer = np.concatenate([facts.object, facts.subject])
    when = np.concatenate([facts.time, facts.time]).astype(np.int64)
    order = np.lexsort((answer, relation, subject, when))
    subject, relation, answer, when = (column[order] for column in (subject, relation, answer, when))
    same = (when[1:] == when[:-1]) & (subject[1:] == subject[:-1]) & (relation[1:] == relation[:-1])
    first = np.flatnonzero(np.append(True, ~same))
    times = when[first]
    known_until = np.minimum(times, facts.time[0]) if multi_step else times
    queries = Queries(subject[first], relation[first], times, known_until)
    return queries, Answers(np.append(first, len(answer)), answer)


def _answer_places(answers: Answers, chunk: Ints) -> Ints:
    """Where the answers of some queries stand."""
    sizes = answers.start[chunk + 1] - answers.start[chunk]
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(answers.start[chunk], sizes) + offsets


def _answers_of(answers: Answers, chunk: Ints) -> Answers:
    sizes = answers.start[chunk + 1] - answers.start[chunk]
    return Answers(np.append(0, np.cumsum(sizes)), answers.entity[_answer_places(answers, chunk)])
