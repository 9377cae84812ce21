"""Small random worlds for Hypothesis, and the way from their facts to the kernels."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

import numpy as np
from hypothesis import strategies as st

from tests.naive import Edge, Query, Rule
from tlogic.graph.facts import Facts
from tlogic.graph.triples import TripleIndex, build_triple_index
from tlogic.graph.views import Views, build_views

LAST_TIME = 8

# One pattern of variables for every way to follow a body, and their near misses.
SINGLE_PATTERNS = [(0, 1), (0, 0)]
TRIANGLES = [(0, 1, 2), (0, 1, 0), (0, 0, 1), (0, 1, 1)]
JOIN_PATTERNS = [
    (0, 1, 2, 3),
    (0, 1, 2, 1),
    (0, 1, 0, 2),
    (0, 1, 0, 0),
    (0, 1, 0, 1),
    (0, 1, 2, 0),
    (0, 1, 1, 2),
]
LONG_PATTERNS = [
    (0, 1, 2, 3, 4),
    (0, 1, 0, 2, 3),
    (0, 1, 0, 2, 0),
    (0, 1, 0, 0, 2),
    (0, 1, 0, 2, 1),
    (0, 1, 2, 1, 3),
]
PATTERNS = SINGLE_PATTERNS + TRIANGLES + 2 * JOIN_PATTERNS + LONG_PATTERNS


@dataclass(frozen=True)
class World:
    """A set of facts over numbered entities and relations."""

    facts: frozenset[Edge]
    n_entities: int
    n_base: int

    @property
    def n_relations(self) -> int:
        return 2 * self.n_base

    @property
    def end(self) -> int:
        """The step after the last fact."""
        return max((t for *_, t in self.facts), default=0) + 1

    def in_order(self) -> Facts:
        """The facts in order of time."""
        rows = sorted(self.facts, key=lambda fact: (fact[3], *fact[:3]))
        return Facts(*np.array(rows, np.int32).reshape(-1, 4).T.copy())

    def triples(self) -> TripleIndex:
        return build_triple_index(self.in_order(), self.n_entities, self.n_base)

    def views(self, until: int | None = None) -> Views:
        return build_views(self.in_order(), self.n_entities, self.n_base, self.end if until is None else until)


def random_world(seed: int, n_entities: int = 4, n_base: int = 2, n_facts: int = 24, last: int = 6) -> World:
    """A fixed world for tests of sampling, dense enough to have ties, self-loops and repeated pairs."""
    random = Random(seed)
    facts: set[Edge] = set()
    while len(facts) < n_facts:
        s, o = random.randrange(n_entities), random.randrange(n_entities)
        facts.add((s, random.randrange(n_base), o, random.randint(0, last)))
    return World(frozenset(facts), n_entities, n_base)


@st.composite
def fact_sets(draw: st.DrawFn, n_entities: int, n_base: int, first: int = 0) -> frozenset[Edge]:
    """Up to 25 facts between few entities: times, pairs and self-loops repeat often."""
    entity = st.integers(0, n_entities - 1)
    fact = st.tuples(entity, st.integers(0, n_base - 1), entity, st.integers(first, LAST_TIME))
    n_facts = draw(st.integers(0, 25))  # a size of its own: lists without one are mostly short
    return frozenset(draw(st.lists(fact, min_size=n_facts, max_size=n_facts)))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    n_entities, n_base = draw(st.integers(2, 6)), draw(st.sampled_from([1, 1, 2, 3]))
    return World(draw(fact_sets(n_entities, n_base)), n_entities, n_base)


@st.composite
def variable_patterns(draw: st.DrawFn) -> tuple[int, ...]:
    """Any pattern of repeated variables of a body of length 1 to 4; half of them from the list above."""
    if draw(st.booleans()):
        return draw(st.sampled_from(PATTERNS))
    variables = [0]
    for _ in range(draw(st.integers(1, 4))):
        variables.append(draw(st.integers(0, max(variables) + 1)))
    return tuple(variables)


def heads_of(world: World) -> range:
    """Few heads, so that each has several rules; the last is an inverse relation."""
    return range(world.n_base - 1, world.n_base + 1)


@st.composite
def rule_lists(draw: st.DrawFn, world: World, max_size: int = 8) -> list[Rule]:
    """Rules in order of head, best first; confidences repeat, so that scores tie."""
    relation = st.integers(0, world.n_relations - 1)
    rules = []
    for _ in range(draw(st.integers(1, max_size))):
        variables = draw(variable_patterns())
        body = tuple(draw(relation) for _ in variables[1:])
        confidence = draw(st.sampled_from([0.1, 0.3, 0.75, 1.0]))
        rules.append(Rule(draw(st.sampled_from(heads_of(world))), body, variables, confidence))
    return sorted(rules, key=lambda rule: (rule.head, -rule.confidence))


@st.composite
def query_streams(draw: st.DrawFn, world: World, last: int = LAST_TIME + 2) -> list[Query]:
    """Queries in order of time, several at some times, none at others, answered from all that came before."""
    query = st.tuples(st.integers(0, last), st.integers(0, world.n_entities - 1), st.sampled_from(heads_of(world)))
    n_queries = draw(st.integers(1, 40))
    return [Query(s, r, t, t) for t, s, r in sorted(draw(st.lists(query, min_size=n_queries, max_size=n_queries)))]


@st.composite
def delayed_streams(draw: st.DrawFn, world: World) -> list[Query]:
    """Queries for which facts are known up to an earlier time only; what is known grows as time goes on."""
    stream = draw(query_streams(world))
    known = sorted(draw(st.lists(st.integers(0, LAST_TIME + 1), min_size=len(stream), max_size=len(stream))))
    return [query._replace(visible_until=min(until, query.time)) for query, until in zip(stream, known, strict=True)]


def shifted(facts: Iterable[Edge], entity: int, relation: int) -> frozenset[Edge]:
    """The same facts under larger ids."""
    return frozenset((s + entity, r + relation, o + entity, t) for s, r, o, t in facts)
