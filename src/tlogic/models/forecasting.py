"""Forecasts by a model: queries in, ranked candidates and their scoresheets out."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tlogic.errors import InputError
from tlogic.evidence.asked import Asked
from tlogic.evidence.extraction import COLUMNS, FAMILIES, Extracted, extract_asked, questions_of
from tlogic.evidence.histories import Histories, build_histories
from tlogic.evidence.telling import Names
from tlogic.forecasting.forecast import Answered, Answers, best_answers
from tlogic.forecasting.queries import IntegerQuery, Query, number_queries
from tlogic.graph.arrays import Floats
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.models.model import Model
from tlogic.models.scorecard import bins_of
from tlogic.models.scoresheet import Contribution, Scoresheet
from tlogic.parallel import in_parallel


class ModelForecast(Answered):
    """The answers of a model to some queries. Made by ``tlogic.forecast``."""

    def __init__(self, model: Model, histories: Histories, graph: TemporalGraph, *answered: Any) -> None:
        super().__init__(graph, *answered)
        self._model, self._histories = model, histories

    def explain(self, query: int | Query, candidate: str, *, groundings: int = 1) -> Scoresheet:  # noqa: ARG002
        """Why a candidate of a query has its score and its rank: the sum of what evidence says."""
        asked = self._find(query)
        [numbered] = number_queries(self.graph, [asked])
        if numbered.time > len(self._histories.decay[0]) - 1:
            raise InputError("Explain queries of this forecast, or none later than them.")
        entity = self.graph.entities.id_of(candidate)
        [part] = _evidence(self.graph, self._histories, numbered.relation, [numbered])
        scores = self._model.scores(part.evidence)
        own = next(iter(np.flatnonzero(part.pairs.candidate == entity).tolist()), None)
        names = Names(*_told(self.graph, numbered, candidate), self.graph.timeline.span_of)
        return Scoresheet(
            query=asked,
            candidate=self.graph.entities.name_of(entity),
            score=0.0 if own is None else float(scores[own]),
            rank=None if own is None else int((scores > scores[own]).sum()) + 1,
            n_candidates=len(scores),
            contributions=() if own is None else _contributions(self._model, part.evidence[own : own + 1], names),
        )


def forecast_with_model(
    graph: TemporalGraph,
    model: Model,
    queries: Sequence[Query],
    numbered: Sequence[IntegerQuery],
    top: int | None,
    threads: int | None,
) -> ModelForecast:
    """Answer queries with a model; those of one relation together, because they learn from the same past queries."""
    histories = build_histories(graph, model.half_lives, max([graph.end, *(query.time for query in numbered)]))
    by_relation: dict[int, list[int]] = {}
    for place, query in enumerate(numbered):
        by_relation.setdefault(query.relation, []).append(place)

    def work(places: list[int]) -> list[tuple[int, Answers]]:
        own = sorted(places, key=lambda place: numbered[place].time)
        parts = _evidence(graph, histories, numbered[own[0]].relation, [numbered[place] for place in own])
        found: list[tuple[int, Answers]] = []
        for part in parts:
            scores = model.scores(part.evidence)
            for start, end in zip(part.pairs.start[:-1].tolist(), part.pairs.start[1:].tolist(), strict=True):
                answers = best_answers(part.pairs.candidate[start:end], scores[start:end], top, by="model")
                found.append((own[len(found)], answers))
        return found

    done = in_parallel(lambda: work, list(by_relation.values()), threads)
    answers = dict(pair for pairs in done for pair in pairs)
    return ModelForecast(model, histories, graph, queries, numbered, [answers[place] for place in range(len(queries))])


def _evidence(
    graph: TemporalGraph, histories: Histories, relation: int, queries: Sequence[IntegerQuery]
) -> list[Extracted]:
    """The evidence of queries of one relation that are sorted by time, after all that was asked of it before them."""
    past = questions_of(graph.facts.between(0, queries[-1].time), len(graph.relations.base), relation, graph.end + 1)
    subject = np.concatenate([past.subject, [query.subject for query in queries]])
    time = np.concatenate([past.time, [query.time for query in queries]])
    n_answers = np.concatenate([np.diff(past.answer_start), np.zeros(len(queries), np.int64)])
    order = np.argsort(time, kind="stable")
    answer = [past.answer[past.answer_start[q] : past.answer_start[q + 1]] for q in order if q < len(past.time)]
    asked = Asked(
        relation,
        past.inverse,
        subject[order].astype(np.int32),
        time[order].astype(np.int32),
        np.append(0, np.cumsum(n_answers[order])).astype(np.int64),
        np.concatenate([*answer, np.empty(0, np.int32)]).astype(np.int32),
        order >= len(past.time),
    )
    return [part for part in extract_asked(histories, asked, len(graph.relations)) if len(part.pairs.query)]


def _told(graph: TemporalGraph, query: IntegerQuery, candidate: str) -> tuple[str, str, str]:
    return graph.entities.name_of(query.subject), graph.relations.name_of(query.relation), candidate


def _contributions(model: Model, evidence: Floats, names: Names) -> tuple[Contribution, ...]:
    """What each family adds, the largest first, whether for or against."""
    card = model.scorecard
    bins = bins_of(card.edge_start, card.edge, evidence)[0]
    columns: dict[str, dict[str, tuple[float | None, float]]] = {}
    for place, (family, name) in enumerate(COLUMNS):
        value = float(evidence[0, place])
        weight = float(card.weight[place, bins[place]])
        columns.setdefault(family, {})[name] = (None if np.isnan(value) else value, weight)
    found = [
        Contribution(
            family,
            sum(weight for _, weight in own.values()),
            FAMILIES[family].sentence({name: value for name, (value, _) in own.items() if value is not None}, names),
            own,
        )
        for family, own in columns.items()
    ]
    return tuple(sorted(found, key=lambda each: -abs(each.weight)))
