"""A graph that grows forecasts as one does that was built at once."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tlogic
from tests.naive import Rule
from tests.strategies import LAST_TIME, World, rule_lists, worlds
from tests.worlds import as_rules, entity, relation
from tlogic.events.timeline import Timeline
from tlogic.explaining import RuleExplanation, explain_by_rules
from tlogic.forecasting import RuleForecaster
from tlogic.forecasting.forecast import Forecast, forecast_queries
from tlogic.forecasting.live_forecaster import LiveRuleForecaster
from tlogic.graph import Facts, TemporalGraph
from tlogic.graph.live_graph import LiveGraph
from tlogic.graph.vocabulary import Relations, Vocabulary

Edge = tuple[int, int, int, int]
FROM = 100
"""The steps of a world begin here, so that there is an earlier time."""


def columns(facts: list[Edge], first: int) -> Facts:
    s, r, o, t = np.array(facts, np.int64).reshape(-1, 4).T
    return Facts(s, r, o, t - first)


def built_at_once(world: World, facts: set[Edge]) -> TemporalGraph:
    """The same names, numbered in the same way, in a graph that was built at once."""
    first, end = min(fact[3] for fact in facts), max(fact[3] for fact in facts) + 1
    in_order = sorted(facts, key=lambda fact: (fact[3], *fact[:3]))
    return TemporalGraph(
        Vocabulary(map(entity, range(world.n_entities)), kind="entity"),
        Relations(f"r{number}" for number in range(world.n_base)),
        Timeline("integer", 1, str(first + FROM)),
        Facts(*(column.astype(np.int32) for column in columns(in_order, first))),
        valid_from=end - first,
        test_from=end - first,
    )


class Grown:
    """A live graph to which batches come in any order, with names that are told as they are needed."""

    def __init__(self, first: list[Edge]) -> None:
        self.origin = min(fact[3] for fact in first)
        self.graph = LiveGraph(Timeline("integer", 1, str(self.origin + FROM)))

    def add(self, facts: list[Edge]) -> int:
        n_entities = max(max(fact[0], fact[2]) for fact in facts) + 1
        n_relations = max(fact[1] for fact in facts) + 1
        entities = [entity(number) for number in range(len(self.graph.entities), n_entities)]
        relations = [f"r{number}" for number in range(len(self.graph.relations.base), n_relations)]
        new = self.graph.add(columns(facts, self.origin), entities, relations)
        self.origin = min(self.origin, *(fact[3] for fact in facts))
        return new

    def merge(self) -> None:
        taken = self.graph.snapshot()
        assert self.graph.replace_index(taken, taken.compact_index())


@st.composite
def batches(draw: st.DrawFn, world: World) -> list[list[Edge]]:
    """The facts of a world in any order, in batches of any size, some of them again; none of them empty."""
    facts = draw(st.permutations(sorted(world.facts) or [(0, 0, 0, 0)]))
    again = draw(st.lists(st.sampled_from(facts), max_size=5))
    everything = [*facts, *again]
    cuts = sorted(draw(st.sets(st.integers(1, max(len(everything) - 1, 1)), max_size=4)))
    return [everything[a:b] for a, b in zip([0, *cuts], [*cuts, len(everything)], strict=True) if b > a]


@settings(max_examples=120)
@given(st.data(), worlds())
def test_every_batch_counts_at_once(data: st.DataObject, world: World) -> None:
    parts = data.draw(batches(world))
    rules = data.draw(rule_lists(world))
    merged_after = data.draw(st.sets(st.integers(0, len(parts) - 1)))
    grown, so_far = Grown(parts[0]), set[Edge]()
    forecaster: LiveRuleForecaster | None = None
    for place, part in enumerate(parts):
        assert grown.add(part) == len(set(part) - so_far)
        so_far |= set(part)
        if place in merged_after:
            grown.merge()
        forecaster = answers_agree(world, so_far, grown.graph, rules, forecaster)


def answers_agree(
    world: World, facts: set[Edge], live: LiveGraph, rules: list[Rule], forecaster: LiveRuleForecaster | None
) -> LiveRuleForecaster:
    """All queries at all times have the same answers and the same reasons; workers of earlier rounds serve again."""
    known = World(frozenset(facts), len(live.entities), len(live.relations.base))
    graph = built_at_once(known, facts)
    named = as_rules(rules, world, graph)
    settings_ = tlogic.ApplicationSettings(window=5, k=2, min_confidence=0.0, min_support=0)
    if forecaster is None or not forecaster.is_up_to_date:
        forecaster = LiveRuleForecaster(live, named, settings_)
    assert live.timeline == graph.timeline
    assert live.end == graph.end
    queries = [
        tlogic.Query(entity(subject), relation(head, known.n_base), at=graph.timeline.label_of(time))
        for time in (*range(1, graph.end + 2, 3), LAST_TIME + 200)
        for subject in range(known.n_entities)
        for head in {0, known.n_base - 1, known.n_base}
    ]
    at_once = tlogic.forecast(graph, named, queries, settings_, threads=1)
    as_it_grew = forecast_queries(forecaster, explain_by_rules, queries)
    assert as_it_grew.frame.equals(at_once.frame)
    assert [as_it_grew.true_answers(i) for i in range(0, len(queries), 5)] == [
        at_once.true_answers(i) for i in range(0, len(queries), 5)
    ]
    reasons_agree(at_once, as_it_grew)
    return forecaster


def reasons_agree(one: Forecast[RuleExplanation], other: Forecast[RuleExplanation]) -> None:
    asked = [place for place in range(len(one)) if one[place]][:3]
    for place in asked:
        whys = [each.explain(place, one[place][0].name, groundings=3).to_dict() for each in (one, other)]
        assert whys[0] == whys[1]


def test_rules_that_are_switched_off_are_as_if_they_were_not_there() -> None:
    world = LiveGraph.of(tlogic.sample()).snapshot().graph()  # without splits, so that the fallback counts all facts
    rules = tlogic.learn(world, walks=30, lengths=(1, 2))
    off = [rule for rule in rules if rule.head == "sue"][::2]
    queries = [("Kite Aviation", "sue"), (None, "sue", "Kite Aviation"), ("Kite Aviation", "fine")]
    fewer = LiveRuleForecaster(LiveGraph.of(world), rules).without(off)
    rest = tlogic.RuleSet(tuple(rule for rule in rules if rule not in off))
    same = RuleForecaster(world, rest, tlogic.ApplicationSettings())
    answers = forecast_queries(fewer, explain_by_rules, queries)
    assert answers.frame.equals(tlogic.forecast(world, rest, queries).frame)
    best = answers[0][0].name
    assert answers.explain(0, best).to_dict() == explain_by_rules(same, answers.queries[0], best).to_dict()
    assert len(off) > 1
    assert not answers.frame.equals(tlogic.forecast(world, rules, queries).frame)
