"""Evaluation gives each answer the rank that the definitions give it."""

import math

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import naive
from tests.naive import Application, Query
from tests.strategies import World, rule_lists, worlds
from tlogic.evaluation import evaluate
from tlogic.evaluation.evaluator import Filter
from tlogic.events.timeline import Timeline
from tlogic.graph.temporal_graph import Facts, TemporalGraph
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
        query = Query(s, r, t, known_until=first if multi_step else t)
        scores, _ = naive.apply_rules(rules, query, world.facts, world.n_base, how)
        fell_back.append(not scores)
        scores = scores or naive.object_distribution(train, world.n_base, r)
        removed = naive.other_answers(query, o, world.facts, world.n_base, filter)
        ranks.append(naive.ranks(scores, o, removed, world.n_entities))

    found = evaluate(graph, named_rules(rules, graph), k=k, filter=filter, multi_step=multi_step, threads=1)
    assert found.fell_back.tolist() == fell_back
    for i, kind in enumerate(naive.Ranks._fields):
        assert getattr(found.ranks, kind).tolist() == [row[i] for row in ranks]
