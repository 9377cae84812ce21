"""Evidence uses earlier facts only: with another future, not one bit changes."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.evidence.extraction import Extracted, extract, facts_of, memory_evidence, rows_of, settings_of
from tests.evidence.worlds import TELLING_NAMES, renamed
from tests.naive import Edge
from tests.strategies import LAST_TIME, World, fact_sets, worlds
from tests.worlds import as_graph
from tlogic.evidence.memory import Memory
from tlogic.evidence.registry import FAMILIES, evidence_columns
from tlogic.graph import Facts, TemporalGraph
from tlogic.graph.vocabulary import Relations, Vocabulary

Rows = dict[tuple[str, str], list[tuple[str, bytes]]]
"""By subject and relation: the candidates in their order, each with the very bits of its evidence."""


@settings(max_examples=60)
@given(worlds(), st.data(), st.integers(2, LAST_TIME))
def test_another_future_changes_nothing(world: World, data: st.DataObject, cut: int) -> None:
    """Not even where the events of the very day are other ones, and the memory has them already."""
    other = data.draw(fact_sets(world.n_entities, world.n_base, first=cut))
    past = frozenset(fact for fact in world.facts if fact[3] < cut)
    assume(past and any(fact[3] == cut for fact in world.facts))
    graph, changed = _with_the_same_names(world, past | other, data.draw(st.permutations(TELLING_NAMES)))
    queries = _all_queries(graph, cut)
    found, again = (extract(one, queries, settings_of(*FAMILIES)) for one in (graph, changed))
    _assert_same_bits(found, again)
    _assert_same_bits(found, _extract_with_the_day(graph, cut))


def _assert_same_bits(found: Iterable[Extracted], again: Iterable[Extracted]) -> None:
    for one, other in zip(found, again, strict=True):
        assert one[:4] == other[:4]
        assert one.values.tobytes() == other.values.tobytes(), _differing(one, other)


@settings(max_examples=60)
@given(worlds(), st.permutations(TELLING_NAMES), st.integers(2, LAST_TIME))
def test_the_past_alone_is_enough(world: World, names: list[str], cut: int) -> None:
    """Read from the facts before a day alone, not even the names of what comes later are known."""
    assume(any(fact[3] < cut for fact in world.facts) and any(fact[3] >= cut for fact in world.facts))
    whole, past = (_in_order(world, names, before) for before in (LAST_TIME + 1, cut))
    rows = _rows(past, extract(past, _all_queries(past, cut), settings_of(*FAMILIES)))
    expected = _rows(whole, extract(whole, _all_queries(whole, cut), settings_of(*FAMILIES)))
    assert rows
    assert {key: expected[key] for key in rows} == rows


@pytest.mark.parametrize("family", FAMILIES)
def test_all_families_tell_something_of_these_worlds(family: str) -> None:
    """Or the tests above would not see what leaks."""
    facts = frozenset((s, 0, (s * s + t) % 4, t) for s in range(4) for t in range(s, LAST_TIME))
    graph = renamed(as_graph(World(facts, 4, 1)), TELLING_NAMES)
    values = np.concatenate(
        [found.values.ravel() for found in extract(graph, _all_queries(graph, 6), settings_of(family))]
    )
    assert len(np.unique(values[~np.isnan(values)])) > 2


def _all_queries(graph: TemporalGraph, now: int) -> list[tuple[int, int, int]]:
    return [(s, r, now) for s in range(len(graph.entities)) for r in range(len(graph.relations))]


def _extract_with_the_day(graph: TemporalGraph, now: int) -> list[Extracted]:
    """The evidence of all queries by a memory that has the events of their time step."""
    memory = Memory(settings_of(*FAMILIES))
    memory.add_names(graph.entities.names, graph.relations.base)
    memory.add(graph.facts.between(0, now + 1))
    with memory.before(now, np.arange(len(graph.relations))):
        rows = rows_of(memory_evidence(memory, now), len(graph.relations.base))
        return sorted(rows, key=lambda one: (one.subject, one.relation))


def _with_the_same_names(
    world: World, others: frozenset[Edge], names: list[str]
) -> tuple[TemporalGraph, TemporalGraph]:
    """Two graphs with the same numbers for the same names, whatever facts they have."""
    every = as_graph(World(world.facts | others, world.n_entities, world.n_base))
    entity, relation = every.entities.id_of, every.relations.id_of

    def only(facts: frozenset[Edge]) -> TemporalGraph:
        scored = {(entity(f"e{s}"), relation(f"r{r}"), entity(f"e{o}"), t) for s, r, o, t in facts}
        nobody = every.entities.id_of("nobody")
        kept = np.array([fact in scored or fact[0] == nobody for fact in facts_of(every)])
        return renamed(replace(every, facts=Facts(*(column[kept] for column in every.facts))), names)

    return only(world.facts), only(others)


def _in_order(world: World, names: list[str], before: int) -> TemporalGraph:
    """The facts before a time; entities and relations are numbered as they appear, so that later ones come behind."""
    facts = sorted((fact for fact in world.facts if fact[3] < before), key=lambda fact: (fact[3], *fact[:3]))
    entities = list(dict.fromkeys(number for s, _, o, _ in facts for number in (s, o)))
    relations = list(dict.fromkeys(r for _, r, _, _ in facts))
    rows = sorted((t, entities.index(s), relations.index(r), entities.index(o)) for s, r, o, t in facts)
    time, subject, relation, object = np.array(rows, np.int32).T.copy()
    return replace(
        as_graph(world),
        entities=Vocabulary([names[number] for number in entities], kind="entity"),
        relations=Relations([f"r{number}" for number in relations]),
        facts=Facts(subject, relation, object, time),
    )


def _rows(graph: TemporalGraph, found: Iterable[Extracted]) -> Rows:
    name = graph.entities.name_of
    return {
        (name(one.subject), graph.relations.name_of(one.relation)): [
            (name(c), row.tobytes()) for c, row in zip(one.candidates, one.values, strict=True)
        ]
        for one in found
    }


def _differing(found: Extracted, again: Extracted) -> str:
    """Which columns differ, for people."""
    same = (found.values == again.values) | (np.isnan(found.values) & np.isnan(again.values))
    return ", ".join(
        ": ".join(column)
        for column, kept in zip(evidence_columns(tuple(FAMILIES)), same.all(0), strict=True)
        if not kept
    )
