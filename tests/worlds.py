"""Random worlds as graphs with names, for tests of what people see."""

import polars as pl

import tlogic
from tests.naive import Edge
from tests.naive import Rule as EncodedRule
from tests.strategies import World
from tlogic.graph import TemporalGraph


def entity(number: int) -> str:
    return f"e{number}"


def relation(number: int, n_base: int) -> str:
    return f"r{number}" if number < n_base else f"r{number - n_base}^-1"


def as_graph(world: World) -> TemporalGraph:
    """The world's facts; time 0 is the first step, because a fact apart from all others is of time 0."""
    rows = [("nobody", "never", "nobody", 0)] + [
        (entity(s), f"r{r}", entity(o), t) for s, r, o, t in sorted(world.facts)
    ]
    return tlogic.read(pl.DataFrame(rows, ["subject", "relation", "object", "time"], orient="row"), step=1)


def as_rules(rules: list[EncodedRule], world: World, graph: TemporalGraph) -> tlogic.RuleSet:
    """The rules whose relations occur in the graph."""
    named = [
        tlogic.Rule(
            relation(rule.head, world.n_base),
            tuple(relation(number, world.n_base) for number in rule.body),
            rule.variables,
            round(rule.confidence * 100),
            100,
        )
        for rule in rules
    ]
    return tlogic.RuleSet([rule for rule in named if all(name in graph.relations for name in (rule.head, *rule.body))])


def facts_of(world: World) -> set[tuple[str, str, str, int]]:
    return {(entity(s), f"r{r}", entity(o), t) for s, r, o, t in world.facts}


def without(world: World, facts: set[tuple[str, str, str, int]]) -> World:
    kept: set[Edge] = {
        edge for edge in world.facts if (entity(edge[0]), f"r{edge[1]}", entity(edge[2]), edge[3]) not in facts
    }
    return World(frozenset(kept), world.n_entities, world.n_base)
