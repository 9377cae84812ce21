"""The evidence for the occurrence of events equals what a slow reference counts, and uses earlier facts only."""

from math import nan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.evidence import twin
from tests.evidence.extraction import LIVES, data_of, facts_of, settings_of
from tests.naive import Edge
from tests.strategies import LAST_TIME, World, fact_sets, worlds
from tests.worlds import as_graph
from tlogic.evidence.memory import Memory
from tlogic.evidence.occurrence_evidence import (
    COLUMNS,
    KNOWN_PAIR,
    KNOWN_TRIPLE,
    NEW_PAIR,
    OccurrenceEvidence,
    known_triples,
    occurrence_evidence,
)
from tlogic.evidence.triples import Triples
from tlogic.graph import TemporalGraph


@settings(max_examples=25)
@given(worlds(), st.integers(1, LAST_TIME + 2))
def test_it_equals_what_the_twin_counts(world: World, now: int) -> None:
    graph = as_graph(world)
    found = _evidence(graph, now, with_the_day=False)
    data, n_base = data_of(graph), len(graph.relations.base)
    tallies = [_tally(data, relation, now) for relation in range(n_base)]
    firings = [twin.rule_firings(twin.World(data, now), s) for s in range(len(graph.entities))]
    for row, novelty, triple in zip(found.values, found.novelty, _all_triples(graph), strict=True):
        s, r, o = triple
        led = [firing for firing, _, _ in firings[s] if firing.candidate == o and firing.rule != r]
        rates = [tallies[r].chance(firing) for firing in led]
        expected, expected_novelty = _naive(facts_of(graph), rates, triple, now)
        assert novelty == expected_novelty
        assert row.tolist() == pytest.approx([expected[column] for column in COLUMNS], rel=1e-5, nan_ok=True)


@settings(max_examples=30)
@given(worlds(), st.data(), st.integers(2, LAST_TIME))
def test_another_future_changes_nothing(world: World, data: st.DataObject, cut: int) -> None:
    """Not even where the memory has the events of the very time step."""
    other = data.draw(fact_sets(world.n_entities, world.n_base, first=cut))
    past = frozenset(fact for fact in world.facts if fact[3] < cut)
    everything = frozenset((s, r, s, 0) for s in range(world.n_entities) for r in range(world.n_base))
    assume(any(fact[3] == cut for fact in world.facts))
    both = (World(facts | everything, world.n_entities, world.n_base) for facts in (world.facts, past | other))
    graph, changed = (as_graph(each) for each in both)
    found = _evidence(graph, cut, with_the_day=False)
    assert found.values.tobytes() == _evidence(changed, cut, with_the_day=False).values.tobytes()
    assert found.values.tobytes() == _evidence(graph, cut, with_the_day=True).values.tobytes()


@given(worlds(), st.integers(1, LAST_TIME + 1))
def test_known_triples_are_those_of_earlier_facts(world: World, now: int) -> None:
    graph = as_graph(world)
    memory = _memory(graph, now, with_the_day=True)
    found = known_triples(memory, now)
    expected = {fact[:3] for fact in facts_of(graph) if fact[3] < now}
    assert sorted(zip(*(column.tolist() for column in found), strict=True)) == sorted(expected)


def _memory(graph: TemporalGraph, now: int, *, with_the_day: bool) -> Memory:
    memory = Memory(settings_of("rules"))
    memory.add_names(graph.entities.names, graph.relations.base)
    memory.add(graph.facts.between(0, now + with_the_day))
    return memory


def _evidence(graph: TemporalGraph, now: int, *, with_the_day: bool) -> OccurrenceEvidence:
    memory = _memory(graph, now, with_the_day=with_the_day)
    triples = Triples.of(*np.array(_all_triples(graph)).T)
    with memory.before(now, np.arange(len(graph.relations))):
        return occurrence_evidence(memory, now, 3, triples)


def _all_triples(graph: TemporalGraph) -> list[tuple[int, int, int]]:
    n, half = len(graph.entities), len(graph.relations.base)
    return [(s, r, o) for s in range(n) for r in range(half) for o in range(n)]


def _naive(
    facts: list[Edge], rates: list[float], triple: tuple[int, int, int], now: int
) -> tuple[dict[tuple[str, str], float], int]:
    """Every column by its definition, from all facts before the time step."""
    s, r, o = triple
    before = [fact for fact in facts if fact[3] < now]
    own = [t for *fact, t in before if tuple(fact) == triple]
    pair = [t for a, _, b, t in before for _ in range(1 + (a == b)) if {a, b} == {s, o}]
    found = _counts("history", own, now, 4) | _counts("pair", pair, now, 4)
    found |= _counts("subject", [t for a, b, _, t in before if (a, b) == (s, r)], now, 4)
    found |= _counts("object", [t for _, b, a, t in before if (a, b) == (o, r)], now, 4)
    for end, entity in (("subject", s), ("object", o)):
        times = [t for a, _, b, t in before for one in (a, b) if one == entity]
        counts = _counts("activity", times, now, 3)
        found |= {(family, f"{name} of {end}"): value for (family, name), value in counts.items()}
    found["relation", "events 2"] = _counts("", [t for _, b, _, t in before if b == r], now, 3)["", "events 2"]
    first, last, n = min(own, default=0), max(own, default=0), len(own)
    found["history", "events in all"] = n or nan
    found["history", "age by mean gap"] = (now - last) * (n - 1) / (last - first) if n > 1 else nan
    found["history", "events per time step"] = n / (now - first) if n else nan
    found["calendar", "phase"] = 3
    found["rules", "largest"] = max(rates, default=nan)
    found["rules", "sum"] = -sum(np.log(1 - rate) for rate in rates) if rates else nan
    return found, KNOWN_TRIPLE if own else KNOWN_PAIR if pair else NEW_PAIR


def _counts(family: str, times: list[int], now: int, n: int) -> dict[tuple[str, str], float]:
    if not times:
        return {(family, "age"): nan} | {(family, f"events {h}"): nan for h in range(n)}
    counts = {(family, f"events {h}"): sum(2 ** ((t - now) / LIVES[h]) for t in times) for h in range(n)}
    return {(family, "age"): now - max(times), **counts}


def _tally(data: twin.Data, relation: int, now: int) -> twin.Tally:
    """How often the rules of a relation came true before a time step."""
    tally = twin.Tally(20)
    for world, query in twin.Past(data, relation).before(now):
        tally.count((firing for firing, _, _ in twin.rule_firings(world, query.subject)), query.answers)
    return tally
