"""Rule application equals the reference bit for bit, over whole streams of queries."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.forecasting.running import Answer, Worker
from tests.naive import Application, Query, Rule
from tests.strategies import (
    LAST_TIME,
    PATTERNS,
    World,
    delayed_streams,
    fact_sets,
    heads_of,
    query_streams,
    random_world,
    rule_lists,
    shifted,
    worlds,
)
from tlogic.forecasting.grounding.rule_plans import CHAIN, CLOSED, LOOP, OPEN, SINGLE, EncodedRule, plan_rules

EVERY_RULE = Application(alpha=0.5, rate=0.1, window=math.inf, limit=math.inf, k=100, published_stop=True)

applications = st.builds(
    Application,
    alpha=st.sampled_from([0.0, 0.5, 1.0]),
    rate=st.sampled_from([0.1, 0.7]),
    window=st.sampled_from([math.inf, 1, 2, 3, 5]),
    limit=st.just(math.inf),
    k=st.integers(1, 4),
    published_stop=st.booleans(),
)


def expected(world: World, rules: Sequence[Rule], queries: Sequence[Query], how: Application) -> list[Answer]:
    return [naive.apply_rules(rules, query, world.facts, world.n_base, how) for query in queries]


@settings(deadline=None, max_examples=150)
@given(st.data(), worlds(), st.sampled_from([math.inf, 1, 2, 3, 5]))
def test_every_rule_of_a_stream(data: st.DataObject, world: World, window: float) -> None:
    rules, queries = data.draw(rule_lists(world)), data.draw(query_streams(world))
    how = EVERY_RULE._replace(window=window)
    answers = expected(world, rules, queries, how)
    assert Worker(world, rules, how).answer(queries) == answers
    assert Worker(world, rules, how, only_chains=True).answer(queries) == answers
    assert Worker(world, rules, how, small_cache=True).answer(queries) == answers


@settings(deadline=None, max_examples=150)
@given(st.data(), worlds(), applications)
def test_stream_with_stop(data: st.DataObject, world: World, how: Application) -> None:
    rules, queries = data.draw(rule_lists(world)), data.draw(query_streams(world))
    answers = expected(world, rules, queries, how)
    assert Worker(world, rules, how).answer(queries) == answers
    assert Worker(world, rules, how, only_chains=True).answer(queries) == answers


@settings(deadline=None, max_examples=100)
@given(st.data(), worlds(), applications)
def test_groundings_of_every_rule_have_their_ages(data: st.DataObject, world: World, how: Application) -> None:
    rules, queries = data.draw(rule_lists(world)), data.draw(query_streams(world))
    worker = Worker(world, rules, how)
    assert worker.ground(queries) == [
        [
            {c: query.time - t_1 for c, t_1 in naive.ground(rule, query, world.facts, world.n_base, how).items()}
            for rule in rules
            if rule.head == query.relation
        ]
        for query in queries
    ]
    assert worker.answer(queries) == expected(world, rules, queries, how)  # the workspace is reset


@settings(deadline=None, max_examples=100)
@given(st.data(), worlds(), applications, st.integers(1, 3))
def test_stream_with_limit(data: st.DataObject, world: World, how: Application, limit: int) -> None:
    rules, queries = data.draw(rule_lists(world)), data.draw(query_streams(world))
    how = how._replace(limit=limit)
    answers = expected(world, rules, queries, how)
    assert Worker(world, rules, how, only_chains=True).answer(queries) == answers


@settings(deadline=None, max_examples=80)
@given(st.data(), worlds(), st.sampled_from([math.inf, 2, 4]), st.integers(0, LAST_TIME))
def test_stream_over_fixed_facts(data: st.DataObject, world: World, window: float, until: int) -> None:
    """Forecasts many steps ahead: no more facts become visible."""
    rules, queries = data.draw(rule_lists(world)), data.draw(query_streams(world))
    queries = [query._replace(visible_until=min(until, query.time)) for query in queries]
    how = EVERY_RULE._replace(window=window)
    answers = expected(world, rules, queries, how)
    assert Worker(world, rules, how).answer(queries) == answers
    assert Worker(world, rules, how, only_chains=True).answer(queries) == answers


@settings(deadline=None, max_examples=150)
@given(st.data(), worlds(), st.sampled_from([math.inf, 2, 4]))
def test_stream_with_delayed_facts(data: st.DataObject, world: World, window: float) -> None:
    """The visible facts lag behind the queries, and catch up."""
    rules, queries = data.draw(rule_lists(world)), data.draw(delayed_streams(world))
    how = EVERY_RULE._replace(window=window)
    answers = expected(world, rules, queries, how)
    assert Worker(world, rules, how).answer(queries) == answers
    assert Worker(world, rules, how, only_chains=True).answer(queries) == answers


@settings(deadline=None, max_examples=60)
@given(st.data(), worlds(), applications)
def test_stream_in_two_parts(data: st.DataObject, world: World, how: Application) -> None:
    rules, queries = data.draw(rule_lists(world)), data.draw(query_streams(world))
    cut = data.draw(st.integers(0, len(queries)))
    worker = Worker(world, rules, how)
    assert worker.answer(queries[:cut]) + worker.answer(queries[cut:]) == Worker(world, rules, how).answer(queries)


@settings(deadline=None, max_examples=100)
@given(st.data(), worlds(), applications, st.integers(1, LAST_TIME))
def test_nothing_leaks_from_the_time_of_a_query_on(
    data: st.DataObject, world: World, how: Application, cut: int
) -> None:
    rules, queries = data.draw(rule_lists(world)), data.draw(query_streams(world, last=cut))
    past = {fact for fact in world.facts if fact[3] < cut}
    other_future = data.draw(fact_sets(world.n_entities, world.n_base, first=cut))
    rewritten = World(frozenset(past | other_future), world.n_entities, world.n_base)
    past_alone = World(frozenset(past), world.n_entities, world.n_base)
    answers = Worker(world, rules, how).answer(queries)
    assert Worker(rewritten, rules, how).answer(queries) == answers
    assert Worker(past_alone, rules, how).answer(queries) == answers


@pytest.mark.parametrize("published_stop", [True, False])
@pytest.mark.parametrize("k", [1, 2, 4, 8, 20])
def test_many_rules_and_candidates(k: int, published_stop: bool) -> None:
    """Long score lists, many ties and many contenders for the top: more than a small world has."""
    world = random_world(seed=k, n_entities=30, n_base=2, n_facts=150, last=LAST_TIME)
    patterns = [variables for variables in PATTERNS if len(variables) < 5]
    rules = [
        Rule(
            head,
            tuple((i >> j) % world.n_relations for j in range(len(variables) - 1)),
            variables,
            0.9 - 0.1 * (i // 8),
        )
        for head in heads_of(world)
        for i, variables in enumerate(patterns)
    ]
    how = EVERY_RULE._replace(k=k, published_stop=published_stop)
    queries = [Query(s, r, t, t) for t in (3, 5, 6, 9) for s in range(0, 30, 4) for r in heads_of(world)]
    answers = expected(world, rules, queries, how)
    assert Worker(world, rules, how).answer(queries) == answers
    assert any(n_tried < len(patterns) for _, n_tried in answers) == (k < 20 or not published_stop)


def test_ids_beyond_sixteen_bits_and_pairs_beyond_thirty_two() -> None:
    """70,000 entities and 32,000 relations: more than 2^31 pairs of either kind."""
    small = random_world(seed=3, n_entities=5, n_base=2, n_facts=40, last=LAST_TIME)
    n_entities, n_base = 70_000, 16_000
    facts = shifted(small.facts, n_entities - small.n_entities, n_base - small.n_base)
    world = World(facts | {(0, 0, n_entities - 1, 4), (n_entities - 1, 0, 0, 2)}, n_entities, n_base)
    relations = [n_base - 1, n_base - 2, 2 * n_base - 1, 2 * n_base - 2]
    rules = [
        Rule(relations[2], tuple(relations[(i + j) % 4] for j in range(len(variables) - 1)), variables, 0.5)
        for i, variables in enumerate(PATTERNS)
    ]
    queries = [Query(s, relations[2], t, t) for t in (3, 6, 9) for s in (0, *range(n_entities - 5, n_entities))]
    answers = expected(world, rules, queries, EVERY_RULE)
    assert any(scores for scores, _ in answers)
    assert Worker(world, rules, EVERY_RULE).answer(queries) == answers
    assert Worker(world, rules, EVERY_RULE, only_chains=True).answer(queries) == answers


def test_every_grounding_method_is_covered() -> None:
    """The patterns that the other tests draw from use every grounding method."""
    rules = [EncodedRule(0, (0,) * (len(variables) - 1), variables, 0.5) for variables in PATTERNS]
    assert set(plan_rules(rules, 1).kind.tolist()) == {SINGLE, CHAIN, OPEN, CLOSED, LOOP}
    assert set(plan_rules(rules, 1, only_chains=True).kind.tolist()) == {SINGLE, CHAIN}


def test_window_begins_at_its_first_step() -> None:
    """A fact exactly w steps before the query is in the window [t_q - w, t_q); one step more is not."""
    world = World(frozenset({(0, 0, 1, 2), (0, 0, 2, 1)}), 3, 1)
    how = EVERY_RULE._replace(window=3)
    [(scores, _)] = Worker(world, [Rule(0, (0,), (0, 1), 0.5)], how).answer([Query(0, 0, 5, 5)])
    assert set(scores) == {1}


def test_best_lists_must_differ_before_rules_stop() -> None:
    """Two candidates with equal scores are enough for the text's stop, not for the published one."""
    world = World(frozenset({(0, 0, 1, 2), (0, 0, 2, 2), (0, 1, 1, 1)}), 3, 2)
    rules = [Rule(0, (0,), (0, 1), 0.9), Rule(0, (1,), (0, 1), 0.5), Rule(0, (0,), (0, 1), 0.1)]
    tried = {}
    for published_stop in (True, False):
        how = EVERY_RULE._replace(k=2, published_stop=published_stop)
        [(_, tried[published_stop])] = Worker(world, rules, how).answer([Query(0, 0, 3, 3)])
    assert tried == {True: 2, False: 1}
