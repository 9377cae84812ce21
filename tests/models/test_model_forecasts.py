"""Forecasts by a model: what evaluation ranks, from the past alone, whatever else is asked; and sums that add up."""

import json
from dataclasses import replace

import numpy as np
import pytest

import tlogic
from tlogic import Query
from tlogic.graph import Facts, TemporalGraph


@pytest.fixture(scope="module")
def graph() -> TemporalGraph:
    return tlogic.sample(days=200)


@pytest.fixture(scope="module")
def model(graph: TemporalGraph) -> tlogic.Model:
    return tlogic.fit(graph)


def asked_of_test(graph: TemporalGraph) -> tuple[list[Query], list[str]]:
    """All test facts asked in both directions, and their answers."""
    name, queries, truths = graph.entities.name_of, [], []
    for s, r, o, t in zip(*(column.tolist() for column in graph.split("test")), strict=True):
        at = graph.timeline.label_of(t)
        queries += [
            Query(name(s), graph.relations.name_of(r), at=at),
            Query(None, graph.relations.name_of(r), name(o), at),
        ]
        truths += [name(o), name(s)]
    return queries, truths


def test_forecasts_rank_true_answers_as_evaluation_does(graph: TemporalGraph, model: tlogic.Model) -> None:
    queries, truths = asked_of_test(graph)
    answers = tlogic.forecast(graph, model, queries, top=None)
    ranks = [
        next((rank for rank, candidate, _ in found if candidate == truth), len(graph.entities))
        for found, truth in zip(answers, truths, strict=True)
    ]
    evaluation = tlogic.evaluate(graph, model, filter="raw")
    assert sorted(ranks) == sorted(evaluation.ranks.optimistic.tolist())


def test_other_queries_and_threads_do_not_matter(graph: TemporalGraph, model: tlogic.Model) -> None:
    queries, _ = asked_of_test(graph)
    some = queries[::9]
    together = tlogic.forecast(graph, model, some, threads=2)
    backwards = tlogic.forecast(graph, model, some[::-1], threads=1)
    assert list(together) == list(backwards)[::-1]
    for place in range(0, len(some), 5):
        assert tlogic.forecast(graph, model, [some[place]])[0] == together[place]


def test_nothing_from_the_time_of_a_query_on_matters(graph: TemporalGraph, model: tlogic.Model) -> None:
    queries, _ = asked_of_test(graph)
    for query in queries[::25]:
        past = graph.before(graph.timeline.step_of(str(query.at)))
        assert tlogic.forecast(past, model, [query])[0] == tlogic.forecast(graph, model, [query])[0]


def test_beyond_the_data_the_same_facts_are_older(graph: TemporalGraph, model: tlogic.Model) -> None:
    queries = [("Kite Aviation", "sue", None, at) for at in (None, "2031-09-01")]
    answers = tlogic.forecast(graph, model, queries)
    assert answers.queries[0].at == graph.timeline.label_of(graph.end)
    assert answers[0] != answers[1]
    assert answers.by(1) == "model"


def test_contributions_add_up_to_the_score(graph: TemporalGraph, model: tlogic.Model) -> None:
    queries, _ = asked_of_test(graph)
    answers = tlogic.forecast(graph, model, queries[::15])
    for place, found in enumerate(answers):
        for candidate in found[:2]:
            why = answers.explain(place, candidate.name)
            assert why.score == candidate.score
            assert why.rank == candidate.rank
            columns = [weight for each in why.contributions for _, weight in each.columns.values()]
            assert sum(each.weight for each in why.contributions) == pytest.approx(why.score, abs=1e-9)
            assert sum(columns) == pytest.approx(why.score, abs=1e-9)
            assert json.loads(json.dumps(why.to_dict()))["score"] == why.score
            assert all(each.sentence in why.text() for each in why.contributions)


def test_sentences_tell_what_the_data_holds(graph: TemporalGraph, model: tlogic.Model) -> None:
    answers = tlogic.forecast(graph, model, asked_of_test(graph)[0][:40:2])
    told = 0
    for place, query in enumerate(answers.queries):
        candidate = answers[place][0].name
        s, r, c = (
            graph.entities.id_of(str(query.subject)),
            graph.relations.id_of(query.relation),
            graph.entities.id_of(candidate),
        )
        now = graph.timeline.step_of(str(query.at))
        facts = graph.facts.between(0, now)
        times = facts.time[(facts.subject == s) & (facts.relation == r) & (facts.object == c)]
        text = answers.explain(place, candidate).text()
        if len(times):
            assert f"happened {len(times)} times, last {graph.timeline.span_of(now - int(times[-1]))} before" in text
            told += 1
        else:
            assert "never happened before" in text
    assert told > 3


def test_who_is_no_candidate_has_no_sum(graph: TemporalGraph, model: tlogic.Model) -> None:
    answers = tlogic.forecast(graph, model, [("Kite Aviation", "sue", None, "2030-01-02")], top=None)
    names = {candidate.name for candidate in answers[0]}
    why = answers.explain(0, next(name for name in graph.entities if name not in names))
    assert why.rank is None
    assert why.contributions == ()
    assert "not among the" in why.text()


def test_an_unseen_relation_and_an_empty_past_are_no_trouble(graph: TemporalGraph, model: tlogic.Model) -> None:
    first = Facts(*(column[:1] for column in graph.facts))
    answers = tlogic.forecast(replace(graph, facts=first), model, [("Kite Aviation", "sue", None, "2030-01-05")])
    assert all(np.isfinite(candidate.score) for candidate in answers[0])
