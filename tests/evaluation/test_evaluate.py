"""Evaluation gives each answer the rank that the definitions give it."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import naive
from tests.naive import Application, Query
from tests.strategies import World, rule_lists, worlds
from tlogic.api import evaluate, sample
from tlogic.errors import SettingsError
from tlogic.evaluation import evaluate_many
from tlogic.evaluation.evaluation import Evaluation
from tlogic.evaluation.ranks import Ranks
from tlogic.evaluation.split_queries import Filter
from tlogic.events.timeline import Timeline
from tlogic.forecasting import ApplicationSettings
from tlogic.graph.facts import Facts
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.graph.vocabulary import Relations, Vocabulary
from tlogic.rules import Rule, RuleSet


def in_time(facts: frozenset[naive.Edge]) -> list[naive.Edge]:
    return sorted(facts, key=lambda fact: (fact[3], *fact[:3]))


def named_graph(world: World, valid_from: int, test_from: int) -> TemporalGraph:
    return TemporalGraph(
        entities=Vocabulary([f"e{i}" for i in range(world.n_entities)], kind="entity"),
        relations=Relations([f"r{i}" for i in range(world.n_base)]),
        timeline=Timeline("integer", 1, "0"),
        facts=Facts(*np.array(in_time(world.facts), np.int32).T.copy()),
        valid_from=valid_from,
        test_from=test_from,
    )


def named_rules(rules: list[naive.Rule], graph: TemporalGraph) -> RuleSet:
    name = graph.relations.name_of
    return RuleSet(
        [
            Rule(name(head), tuple(map(name, body)), variables, round(100 * confidence), 100)
            for head, body, variables, confidence in rules
        ]
    )


@settings(deadline=None, max_examples=100)
@given(
    data=st.data(),
    world=worlds(),
    k=st.integers(1, 4),
    filter=st.sampled_from(["raw", "static", "time-aware"]),
    multi_step=st.booleans(),
)
def test_ranks(data: st.DataObject, world: World, k: int, filter: Filter, multi_step: bool) -> None:
    assume(world.facts)
    test_from = data.draw(st.integers(0, max(t for *_, t in world.facts)))
    valid_from = data.draw(st.integers(0, test_from))
    graph = named_graph(world, valid_from, test_from)
    rules = data.draw(rule_lists(world))
    train = {fact for fact in world.facts if fact[3] < valid_from}
    test = {fact for fact in world.facts if fact[3] >= test_from}
    first = min(t for *_, t in test)
    how = Application(alpha=0.5, rate=0.1, window=math.inf, limit=math.inf, k=k, published_stop=True)

    ranks, fell_back = [], []
    for t, s, r, o in sorted((t, s, r, o) for s, r, o, t in naive.add_inverses(test, world.n_base)):
        query = Query(s, r, t, visible_until=first if multi_step else t)
        scores, _ = naive.apply_rules(rules, query, world.facts, world.n_base, how)
        fell_back.append(not scores)
        scores = scores or naive.object_distribution(train, world.n_base, r)
        removed = naive.other_answers(query, o, world.facts, world.n_base, filter)
        ranks.append(naive.ranks(scores, o, removed, world.n_entities))

    found = evaluate(graph, named_rules(rules, graph), k=k, filter=filter, multi_step=multi_step, threads=1)
    assert found.fell_back.tolist() == fell_back
    for i, kind in enumerate(naive.Ranks._fields):
        assert getattr(found.ranks, kind).tolist() == [row[i] for row in ranks]


@settings(deadline=None, max_examples=60)
@given(data=st.data(), world=worlds(), limit=st.sampled_from([None, 1, 2]))
def test_many_settings_at_once_give_what_each_gives_alone(data: st.DataObject, world: World, limit: int | None) -> None:
    facts = in_time(world.facts)
    assume(len({fact[3] for fact in facts}) > 2)
    test_from = facts[-1][3]
    graph = named_graph(world, test_from - 1, test_from)
    rules = named_rules(data.draw(rule_lists(world)), graph)
    each = st.builds(
        ApplicationSettings,
        window=st.sampled_from([None, 1, 2, 5]),
        k=st.integers(1, 4),
        alpha=st.sampled_from([0.0, 0.5, 1.0]),
        decay=st.sampled_from([0.1, 1.0]),
        stop=st.sampled_from(["published", "text"]),
        min_confidence=st.sampled_from([0.0, 0.2, 0.5]),
        lengths=st.sampled_from([None, (1,), (1, 3)]),
        max_groundings=st.just(limit),
    )
    some = data.draw(st.lists(each, min_size=1, max_size=5))
    together = evaluate_many(graph, rules, some, threads=1)
    for settings_, evaluation in zip(some, together, strict=True):
        alone = evaluate(graph, rules, settings_, threads=1)
        assert np.array_equal(alone.ranks.higher, evaluation.ranks.higher)
        assert np.array_equal(alone.ranks.same, evaluation.ranks.same)
        assert np.array_equal(alone.fell_back, evaluation.fell_back)
        assert alone.settings == evaluation.settings


def test_an_evaluation_is_shown_in_a_line() -> None:
    ranks = Ranks(np.array([0, 1, 9]), np.array([0, 0, 2]))
    shown = repr(Evaluation(ranks, np.zeros(3, bool), {}, {"alpha": 0.5}, {}))
    assert shown == "Evaluation(3 queries: MRR 0.5303, hits@1 0.3333, hits@3 0.6667, hits@10 0.6667)"


def test_settings_that_differ_in_what_is_grounded_are_refused() -> None:
    graph = sample()
    some = [ApplicationSettings(max_groundings=limit) for limit in (None, 3)]
    for settings_ in (some, []):
        with pytest.raises(SettingsError, match="agree in max_groundings"):
            evaluate_many(graph, RuleSet(()), settings_)
