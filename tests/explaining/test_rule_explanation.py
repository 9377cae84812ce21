"""What an explanation cites is in the data, adds up to the score, and is what the score rests on."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tlogic
from tests import naive
from tests.datasets import Datasets
from tests.strategies import World, rule_lists, worlds
from tests.worlds import as_graph, as_rules, entity, facts_of, relation, without
from tlogic.explaining.rule_explanation import Reason, by_strength, noisy_or, wilson_bound
from tlogic.forecasting import RuleForecaster
from tlogic.graph import TemporalGraph
from tlogic.rules import Rule

NOW = 9
EVERY_RULE: dict[str, Any] = {"k": 1000, "min_confidence": 0.0, "min_support": 1}
ALL = 10_000


@st.composite
def explained(draw: st.DrawFn, **application: Any) -> tuple[World, tlogic.Forecast[tlogic.RuleExplanation], str]:
    """A world, a forecast in it, and one of its candidates."""
    world = draw(worlds())
    assume(world.facts)
    graph = as_graph(world)
    rules = as_rules(draw(rule_lists(world)), world, graph)
    assume(len(rules))
    head = draw(st.sampled_from([rule.head for rule in rules]))
    subject = draw(st.sampled_from([name for name in graph.entities if name != "nobody"]))
    forecast = tlogic.forecast(graph, rules, [(subject, head, None, NOW)], top=None, **(EVERY_RULE | application))
    assume(forecast.by(0) == "rules")
    return world, forecast, draw(st.sampled_from([candidate.name for candidate in forecast[0]]))


@settings(max_examples=150)
@given(explained())
def test_the_score_is_the_sum_of_the_reasons(case: tuple[World, tlogic.Forecast[tlogic.RuleExplanation], str]) -> None:
    _, forecast, candidate = case
    why = forecast.explain(0, candidate)
    [shown] = [each for each in forecast[0] if each.name == candidate]
    assert why.score == shown.score == noisy_or([reason.score for reason in why.reasons])
    assert why.rank == shown.rank
    for reason in why.reasons:
        assert reason.score == np.float32(reason.confidence_part + reason.recency_part)
        assert reason.age == NOW - int(reason.facts[0].time)


@settings(max_examples=100)
@given(explained(window=4))
def test_cited_facts_are_in_the_data_in_order_and_in_the_window(
    case: tuple[World, tlogic.Forecast[tlogic.RuleExplanation], str],
) -> None:
    world, forecast, candidate = case
    known = facts_of(world)
    reasons = forecast.explain(0, candidate, groundings=ALL).reasons
    assert reasons
    for reason in reasons:
        assert reason.groundings
        for grounding in reason.groundings:
            times = [int(fact.time) for fact in grounding]
            assert all((*fact[:3], int(fact.time)) in known for fact in grounding)
            assert times == sorted(times)
            assert NOW - 4 <= times[0] <= times[-1] < NOW


@settings(max_examples=100)
@given(explained())
def test_all_groundings_are_found_the_latest_first(
    case: tuple[World, tlogic.Forecast[tlogic.RuleExplanation], str],
) -> None:
    world, forecast, candidate = case
    subject = forecast.queries[0].subject
    reasons = forecast.explain(0, candidate, groundings=ALL).reasons
    assert reasons
    for reason in reasons:
        found = [tuple((*fact[:3], int(fact.time)) for fact in grounding) for grounding in reason.groundings]
        assert len(set(found)) == len(found)
        assert set(found) == every_grounding(world, reason.rule, str(subject), candidate)
        first_times = [grounding[0][3] for grounding in found]
        assert first_times == sorted(first_times, reverse=True)


def every_grounding(
    world: World, rule: tlogic.Rule, subject: str, candidate: str
) -> set[tuple[tuple[str, str, str, int], ...]]:
    """Every fact is tried after every walk so far."""
    edges = naive.add_inverses(world.facts, world.n_base)
    steps = [[edge for edge in edges if relation(edge[1], world.n_base) == name] for name in rule.body]
    walks: list[tuple[naive.Edge, ...]] = [(edge,) for edge in steps[0]]
    for step in steps[1:]:
        linked = [(walk, edge) for walk in walks for edge in step if walk[-1][2] == edge[0] and walk[-1][3] <= edge[3]]
        walks = [(*walk, edge) for walk, edge in linked]
    found = set()
    for walk in walks:
        entities = [walk[0][0], *(edge[2] for edge in walk)]
        values: dict[int, int] = {}
        bound = all(
            values.setdefault(number, value) == value for number, value in zip(rule.variables, entities, strict=True)
        )
        ends = (entity(entities[0]), entity(entities[-1])) == (subject, candidate)
        if bound and ends and walk[-1][3] < NOW:
            found.add(tuple(_recorded(edge, world.n_base) for edge in walk))
    return found


def _recorded(edge: naive.Edge, n_base: int) -> tuple[str, str, str, int]:
    s, r, o, t = edge
    return (entity(s), f"r{r}", entity(o), t) if r < n_base else (entity(o), f"r{r - n_base}", entity(s), t)


@settings(max_examples=100)
@given(explained(), st.data())
def test_removing_cited_facts_lowers_the_score_as_predicted(
    case: tuple[World, tlogic.Forecast[tlogic.RuleExplanation], str], data: st.DataObject
) -> None:
    world, forecast, candidate = case
    why = forecast.explain(0, candidate, groundings=ALL)
    cited = data.draw(st.sampled_from(why.reasons)).facts
    removed = {(*fact[:3], int(fact.time)) for fact in cited}
    rest = [
        reason.score if intact == reason.facts else rescored(forecast, reason.rule, NOW - int(intact[0].time))
        for reason in why.reasons
        if (intact := next((g for g in reason.groundings if not set(cited) & set(g)), None)) is not None
    ]
    left = as_graph(without(world, removed))
    assume(str(forecast.queries[0].subject) in left.entities and candidate in left.entities)
    rules = tlogic.RuleSet(rule_forecaster(forecast).rules)
    assume(all(name in left.relations for rule in rules for name in (rule.head, *rule.body)))
    again = tlogic.forecast(left, rules, forecast.queries, top=None, **EVERY_RULE)
    scores = {each.name: each.score for each in again[0]} if again.by(0) == "rules" else {}
    assert scores.get(candidate, 0.0) == noisy_or(rest)
    assert scores.get(candidate, 0.0) <= why.score


def rule_forecaster(forecast: tlogic.Forecast[tlogic.RuleExplanation]) -> RuleForecaster:
    assert isinstance(forecast.forecaster, RuleForecaster)
    return forecast.forecaster


def rescored(forecast: tlogic.Forecast[tlogic.RuleExplanation], rule: tlogic.Rule, age: int) -> float:
    how = rule_forecaster(forecast).settings
    return float(np.float32(how.alpha * rule.confidence + (1 - how.alpha) * np.exp(-how.decay * age)))


# The same on real data, and how it is told


@pytest.fixture(scope="module")
def icews14(dataset: Datasets) -> TemporalGraph:
    return tlogic.read(dataset("icews14"))


@pytest.fixture(scope="module")
def answers(icews14: TemporalGraph) -> tlogic.Forecast:
    facts = icews14.split("test")
    name = icews14.entities.name_of
    places = np.linspace(0, len(facts.time) - 1, 30).astype(int)
    queries = [
        (
            name(facts.subject[i]),
            icews14.relations.name_of(facts.relation[i]),
            None,
            icews14.timeline.label_of(facts.time[i]),
        )
        for i in places
    ]
    return tlogic.forecast(icews14, tlogic.learn(icews14, walks=50), queries)


def test_explanations_on_icews14_hold(icews14: TemporalGraph, answers: tlogic.Forecast) -> None:
    names = (icews14.entities.names, icews14.relations.names, icews14.entities.names)
    facts = zip(*(column.tolist() for column in icews14.facts), strict=True)
    known = {(names[0][s], names[1][r], names[2][o], icews14.timeline.label_of(t)) for s, r, o, t in facts}
    cited = 0
    for place in range(len(answers)):
        for candidate in answers[place][:2] if answers.by(place) == "rules" else []:
            why = answers.explain(place, candidate.name)
            assert why.score == candidate.score == noisy_or([reason.score for reason in why.reasons])
            for reason in (*why.reasons, *why.untried):
                assert known.issuperset(reason.facts)
                assert reason.facts[-1].time < str(why.query.at)
                cited += len(reason.facts)
    assert cited > 1000


def test_it_says_why_the_true_answer_ranked_where_it_did(answers: tlogic.Forecast) -> None:
    told = []
    for place in range(len(answers)):
        for truth in answers.true_answers(place):
            why = answers.explain(place, truth)
            text = why.text()
            if why.rank is None:
                assert "not among the" in text
            elif why.rank > 1:
                assert f"Rank {why.rank} of" in text
                assert "Above it" in text
                assert all(score > why.score for _, score in why.above)
            told.append(why.rank)
    assert None in told
    assert 1 in told
    assert any(rank is not None and rank > 1 for rank in told)


def test_rules_that_came_too_late_are_told(answers: tlogic.Forecast) -> None:
    late = [
        why
        for place in range(len(answers))
        for truth in answers.true_answers(place)
        if (why := answers.explain(place, truth)).untried and why.rank != 1
    ]
    assert late
    for why in late:
        assert "enough candidates" in why.text()
        assert why.n_rules_tried < why.n_rules


def test_text_and_json_say_the_same(answers: tlogic.Forecast) -> None:
    place = next(place for place in range(len(answers)) if answers.by(place) == "rules")
    why = answers.explain(place, answers[place][0].name)
    told = json.loads(json.dumps(why.to_dict()))
    assert told["candidate"] == why.candidate
    assert len(told["reasons"]) == len(why.reasons) > 0
    text = why.text(n_reasons=None)
    for reason in told["reasons"]:
        assert reason["rule"] in text
        assert reason["score_without"] <= told["score"]
        for fact in reason["groundings"][0]:
            assert f"{fact['time']}  {fact['subject']} — {fact['relation']} → {fact['object']}" in text


def test_the_fallback_is_explained_too(icews14: TemporalGraph) -> None:
    query = ("Angela_Merkel", "Consult", None, "2014-08-09")
    answers = tlogic.forecast(icews14, tlogic.RuleSet(()), [query], top=3)
    assert answers.by(0) == "fallback"
    why = answers.explain(0, answers[0][0].name)
    assert why.fallback_share == why.score == answers[0][0].score
    assert "no rule leads to any candidate" in why.text()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_pictures_are_drawn_and_the_same_twice(
    answers: tlogic.Forecast[tlogic.RuleExplanation], tmp_path: Path, kind: str
) -> None:
    place = next(place for place in range(len(answers)) if answers.by(place) == "rules")
    why = answers.explain(place, answers[place][0].name)
    for name in ("one", "two"):
        why.draw(tmp_path / f"{name}.{kind}")
    content = (tmp_path / f"one.{kind}").read_bytes()
    assert content == (tmp_path / f"two.{kind}").read_bytes()
    assert content.startswith(b"\x89PNG" if kind == "png" else b"<?xml")


def test_a_picture_needs_a_known_kind(answers: tlogic.Forecast[tlogic.RuleExplanation], tmp_path: Path) -> None:
    why = answers.explain(0, answers[0][0].name)
    with pytest.raises(tlogic.InputError, match=r"\.svg or \.png"):
        why.draw(tmp_path / "why.pdf")


def test_a_rule_with_a_single_case_never_leads() -> None:
    def reason(hits: int, n: int, recency: float) -> Reason:
        return Reason(Rule("sue", ("meet",), (0, 1), hits, n), 0.0, 1, 0.5 * hits / n, recency, ())

    once, often, seldom = reason(1, 1, 0.5), reason(80, 100, 0.1), reason(9, 10, 0.1)
    assert sorted([once, seldom, often], key=by_strength) == [often, seldom, once]


def test_a_lower_bound_grows_with_the_number_of_cases() -> None:
    bounds = [wilson_bound(hits, 4 * hits // 3) for hits in (3, 30, 300, 30_000)]
    assert bounds == sorted(bounds)
    assert bounds[-1] == pytest.approx(0.75, abs=0.01)
    for hits, n in ((0, 5), (5, 5), (1, 2)):
        share = wilson_bound(hits, n)
        spread = 1.96 * np.sqrt(share * (1 - share) / n)
        assert hits / n == pytest.approx(share + spread)  # the bound is the share whose interval just reaches hits / n


def test_explanations_by_rules_say_that_scores_are_not_probabilities() -> None:
    graph = tlogic.sample(days=60)
    forecast = tlogic.forecast(graph, tlogic.learn(graph, lengths=(1,)), [("Kite Aviation", "sue")])
    why = forecast.explain(0, forecast[0][0].name)
    assert "they are not probabilities" in why.text()
    assert why.to_dict()["note"] == forecast.to_dict(0)["note"]


def test_texts_by_rules_list_each_fact_once() -> None:
    graph = tlogic.sample(days=200)
    forecast = tlogic.forecast(graph, tlogic.learn(graph), [("Kite Aviation", "sue"), ("Orchard Foods", "sue")])
    n_repeated = 0
    for index in range(2):
        why = forecast.explain(index, forecast[index][0].name, groundings=2)
        lines = [line.removeprefix("      or ") for line in why.text(None).splitlines()]
        listed = [line.strip() for line in lines if " → " in line]
        assert len(set(listed)) == len(listed)
        assert set(listed) >= {
            str(fact) for reason in why.reasons for grounding in reason.groundings for fact in grounding
        }
        n_repeated += sum("from above" in line for line in lines)
    assert n_repeated > 0
