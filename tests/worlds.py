"""Random worlds as graphs with names, for tests of what people see."""

from dataclasses import replace
from functools import cache

import polars as pl

import tlogic
from tests.naive import Edge
from tests.naive import Rule as EncodedRule
from tests.strategies import World
from tlogic.events import read_events
from tlogic.events.event_table import EventTable
from tlogic.graph import TemporalGraph
from tlogic.graph.building import build_graph


def entity(number: int) -> str:
    return f"e{number}"


def relation(number: int, n_base: int) -> str:
    return f"r{number}" if number < n_base else f"r{number - n_base}^-1"


ALONE = ("nobody", "never", "nobody", 0)
"""A fact apart from all others, so that time 0 is the first step."""


def as_graph(world: World) -> TemporalGraph:
    """The graph that `tlogic.read` builds from the world's facts; built faster, because tests build thousands."""
    rows = [ALONE] + [(entity(s), f"r{r}", entity(o), t) for s, r, o, t in sorted(world.facts)]
    frame = pl.DataFrame(rows, ["subject", "relation", "object", "step"], orient="row")
    return build_graph(replace(_table_of_one_fact(), frame=frame))


@cache
def _table_of_one_fact() -> EventTable:
    return read_events(pl.DataFrame([ALONE], ["subject", "relation", "object", "time"], orient="row"), step=1)


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
