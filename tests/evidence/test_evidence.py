"""The evidence of each family equals its definition, column by column."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.evidence import twin
from tests.evidence.extraction import Extracted, data_of, extract, settings_of
from tests.evidence.worlds import crowded_world, telling_graphs
from tests.strategies import LAST_TIME, World, worlds
from tests.worlds import as_graph
from tlogic.evidence import name_parts
from tlogic.evidence.candidate_selection import MAX_CANDIDATES, N_POPULAR
from tlogic.evidence.families.name_structure import NameStructure
from tlogic.evidence.groups import half_lives
from tlogic.evidence.memory import Memory
from tlogic.evidence.memory_settings import ALL_EVENTS, MemorySettings
from tlogic.evidence.registry import DEFAULT_FAMILIES, FAMILIES, evidence_columns
from tlogic.evidence.statements import Case
from tlogic.forecasting.queries import EncodedQuery
from tlogic.graph import TemporalGraph
from tlogic.graph.vocabulary import Vocabulary

RANKS = {"rules": ("sum by share", "rank by share"), "chains": ("sum", "rank")}
"""Which column ranks which: compared with each other, because the order of near equals is that of their last bits."""


def queries_of(graph: TemporalGraph, relation: int, first: int) -> list[tuple[int, int, int]]:
    """All queries of a relation that have answers, from a time step on."""
    return [(q.subject, relation, q.time) for q in data_of(graph).queries(relation) if q.time >= first]


def assert_as_the_twin_says(
    graph: TemporalGraph, relation: int, family: str, first: int, max_events: int = ALL_EVENTS
) -> None:
    past = twin.Past(data_of(graph, max_events), relation)
    queries = [query for query in past.queries if query.time >= first]
    found = extract(graph, [query[:3] for query in queries], settings_of(family, max_events=max_events))
    for query, one in zip(queries, found, strict=True):
        if family in twin.LOOKED_UP:
            world = past.world[query.time]
            expected = twin.LOOKED_UP[family](world, query.subject, query.relation, one.candidates)
        else:
            expected = twin.COUNTED[family](past, query, one.candidates)
        assert_equal(family, one, expected)


def assert_equal(family: str, found: Extracted, expected: list[twin.Told]) -> None:
    names, (ranked, rank) = FAMILIES[family].columns, RANKS.get(family, ("", ""))
    rows = [dict(zip(names, row, strict=True)) for row in found.values.astype(float).tolist()]
    if rank:
        values = found.values[:, names.index(ranked)]
        assert [row.pop(rank) for row in rows] == [(values > value).sum() for value in values]
    for row, other in zip(rows, expected, strict=True):
        present = {name: value for name, value in row.items() if not np.isnan(value)}
        assert present == pytest.approx(other, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=40)
@given(graph=telling_graphs(worlds()), data=st.data())
def test_each_family_says_what_its_definition_does(family: str, graph: TemporalGraph, data: st.DataObject) -> None:
    half = len(graph.relations.base)
    assume(half > 1)
    relation = data.draw(st.sampled_from([r for r in range(2 * half) if r % half]))  # the first is that of nobody
    assert_as_the_twin_says(graph, relation, family, 1, data.draw(st.sampled_from([ALL_EVENTS, 3, 1])))


@pytest.mark.parametrize("max_events", [ALL_EVENTS, 20, 2])
@pytest.mark.parametrize("family", DEFAULT_FAMILIES)
def test_only_the_strongest_partners_and_the_last_events_are_looked_at(family: str, max_events: int) -> None:
    graph = as_graph(crowded_world(7))
    assert_as_the_twin_says(graph, graph.relations.id_of("r1"), family, LAST_TIME, max_events)


@settings(max_examples=60)
@given(telling_graphs(worlds()), st.integers(0, LAST_TIME + 1))
def test_plain_names_belong_where_most_of_their_partners_do(graph: TemporalGraph, now: int) -> None:
    """The memory has the events of the step itself, too."""
    parts, names = parts_of(graph, now + 1), graph.entities.names
    places = {twin.read_name(name)[1]: int(place) for name, place in zip(names, parts.place, strict=True)}
    world = twin.World(data_of(graph), now)
    for entity in range(len(names)):
        place = name_parts.place_of(parts, entity, now)
        assert place == places.get(twin.place_of(world, entity), name_parts.UNKNOWN)
        itself = twin.kind_of(world, entity) == "the place itself"
        assert (name_parts.kind_of(parts, entity, place) == name_parts.PLACE_ITSELF) == itself


def parts_of(graph: TemporalGraph, until: int) -> name_parts.NameParts:
    memory = Memory(settings_of("names"))
    memory.add_names(graph.entities.names, graph.relations.base)
    memory.add(graph.facts.between(0, until))
    family = memory.families["names"]
    assert isinstance(family, NameStructure)
    return family.state.parts


@pytest.mark.parametrize("n_at_once", [1, 3, 8])
def test_names_are_read_as_people_do(n_at_once: int) -> None:
    names = ["Police (India)", "Police (Peru)", "India", "(India)", "A (B) (India)", "A (B) C", "A ()", "Police"]
    memory = Memory(settings_of("names"))
    for first in range(0, len(names), n_at_once):
        memory.add_names(names[first : first + n_at_once], [])
    parts = memory.families["names"].state.parts
    india, peru = parts.place[0], parts.place[1]
    assert parts.place.tolist() == [india, peru, -1, -1, india, -1, -1, -1]
    assert parts.own_place.tolist() == [-1, -1, india, -1, -1, -1, -1, -1]
    assert parts.kind[0] == parts.kind[1] != parts.kind[4]
    assert parts.kind[7] == name_parts.PLAIN


def test_the_last_edges_of_a_step_are_those_with_the_largest_keys() -> None:
    """More edges of one step than chains look at: names decide which, not ids."""
    facts = {(0, 0, x, 1) for x in range(1, 45)} | {(x, 1, 45 + x % 3, 2) for x in range(1, 45)}
    world = World(frozenset(facts | {(0, 2, 45, 3), (0, 2, 46, 4), (0, 2, 47, 5)}), 48, 3)
    graph = as_graph(world)
    assert_as_the_twin_says(graph, graph.relations.id_of("r2"), "chains", 3)
    names = graph.entities.names
    other = TemporalGraph(**{**vars(graph), "entities": Vocabulary(names[:1] + names[:0:-1], kind="entity")})
    assert_as_the_twin_says(other, other.relations.id_of("r2"), "chains", 3)


def test_rules_with_constants_have_a_limited_number_of_answers() -> None:
    """A body with enough answers counts new hits of these, but takes in no others from the next step on."""
    most = 4096
    s, partner, first, another = 0, 1, 2, most + 5
    facts = {(s, 0, partner, t) for t in range(3)} | {(s, 1, c, 1) for c in range(first, most + 4)}
    facts |= {(s, 1, first, 2), (s, 1, another, 2), (s, 1, partner, 3)}
    graph = as_graph(World(frozenset(facts), most + 6, 2))
    subject, relation = graph.entities.id_of("e0"), graph.relations.id_of("r1")
    [found] = extract(graph, [(subject, relation, 3)], settings_of("constants", "pair"))
    sums = dict(zip(map(graph.entities.name_of, found.candidates), found.values[:, 1].tolist(), strict=True))
    by_partner = sums[f"e{first}"] - sums[f"e{another}"]  # other partners led to both, once each
    assert by_partner == pytest.approx(2 / (2 + 5), rel=1e-5)


@settings(max_examples=60)
@given(worlds(), st.data())
def test_all_who_come_into_question_are_candidates(world: World, data: st.DataObject) -> None:
    """Where there is room for all, the candidates are those of the definition, the strongest first."""
    assume(world.facts)
    graph = as_graph(world)
    relation = data.draw(st.integers(1, len(graph.relations) - 1))
    for found in extract(graph, queries_of(graph, relation, 1), settings_of("pair")):
        assert_strongest_first(graph, found)
        known = twin.World(data_of(graph), found.time)
        popular = {o for _, r, o, _ in known.edges if r == relation}
        assert set(found.candidates) >= known.targets(found.subject) | popular


def assert_strongest_first(graph: TemporalGraph, found: Extracted, max_events: int = ALL_EVENTS) -> None:
    world = twin.World(data_of(graph, max_events), found.time)
    strength = twin.strengths(world, found.subject, found.relation)
    assert len(set(found.candidates)) == len(found.candidates) == min(len(strength), MAX_CANDIDATES)
    left_out = [value for c, value in strength.items() if c not in found.candidates]
    values = [*(strength[c] for c in found.candidates), max(left_out, default=0.0)]
    assert all(stronger >= weaker * (1 - 1e-5) for stronger, weaker in pairwise(values))


def transfers() -> TemporalGraph:
    """The player e1 was in the team e2 with the player e0 and went to e3; many other players are in other teams."""
    teams = range(10, 12 + N_POPULAR)
    facts = {(0, 0, 2, 1), (1, 0, 2, 1), (1, 0, 3, 2), (0, 0, 3, 5)}
    facts |= {(teams.stop + i, 0, team, t) for i, team in enumerate(teams) for t in (3, 4)}
    return as_graph(World(frozenset(facts), 2 * teams.stop, 1))


@pytest.mark.parametrize(
    ("candidate", "sentence"),
    [
        ("e3", 'e2 was the object of "r0" events by e0 and e1; e3 was the object of "r0" events by e1, too'),
        ("e2", "no partner of e0 leads to e2"),
        ("e10", "no partner of e0 leads to e10"),
    ],
)
def test_a_sentence_names_a_similar_subject(candidate: str, sentence: str) -> None:
    graph = transfers()
    memory = Memory(settings_of("paths"))
    memory.add_names(graph.entities.names, graph.relations.base)
    memory.add(graph.facts.between(0, 5))
    query = EncodedQuery(graph.entities.id_of("e0"), graph.relations.id_of("r0"), 5)
    values = {"partners did it 2": 0.0, "common partners 2": 0.0}
    case = Case(graph, memory.events, query, graph.entities.id_of(candidate), values)
    said = memory.families["paths"].describe(case)
    assert (said.sentence, said.has_evidence) == (sentence, candidate == "e3")
    names = [(graph.entities.name_of(edge.source), graph.entities.name_of(edge.target)) for edge in said.edges]
    assert names == ([("e0", "e2"), ("e1", "e2"), ("e1", "e3")] if said.has_evidence else [])


def test_objects_of_similar_subjects_are_candidates() -> None:
    """A team mate of the player e0 went to the team e3, which is too unpopular to be a candidate otherwise."""
    graph = transfers()
    [found] = extract(graph, [(graph.entities.id_of("e0"), graph.relations.id_of("r0"), 5)], settings_of("pair"))
    assert graph.entities.id_of("e3") in found.candidates
    assert_strongest_first(graph, found)


def test_ties_between_candidates_are_broken_by_keys_of_names() -> None:
    graph = as_graph(World(frozenset({(0, 0, o, 1) for o in range(1, 9)} | {(0, 0, 1, 3)}), 9, 1))
    subject, relation = graph.entities.id_of("e0"), graph.relations.id_of("r0")
    [found] = extract(graph, [(subject, relation, 3)], settings_of("pair"))
    names = [graph.entities.name_of(c) for c in found.candidates if c != subject]
    assert names == sorted((f"e{o}" for o in range(1, 9)), key=twin.key_of)


@pytest.mark.parametrize("max_events", [ALL_EVENTS, 20, 2])
def test_candidates_of_a_crowd_are_the_strongest(max_events: int) -> None:
    graph = as_graph(crowded_world(8))
    for relation in range(1, len(graph.relations)):
        settings = settings_of("pair", max_events=max_events)
        for found in extract(graph, queries_of(graph, relation, LAST_TIME), settings):
            assert_strongest_first(graph, found, max_events)


def test_there_are_no_more_candidates_than_are_looked_at() -> None:
    n = MAX_CANDIDATES + 20
    facts = {(0, 0, o, 1) for o in range(1, n)} | {(0, 0, 7, 2), (1, 0, 7, 2), (n, 0, n + 1, 1), (0, 0, 1, 3)}
    graph = as_graph(World(frozenset(facts), n + 2, 1))
    [found] = extract(graph, queries_of(graph, graph.relations.id_of("r0"), 3), settings_of("pair"))
    assert_strongest_first(graph, found)
    assert N_POPULAR <= len(found.candidates) == MAX_CANDIDATES
    assert found.candidates[0] == graph.entities.id_of("e7")


def test_a_query_with_many_answers_has_many_candidates() -> None:
    """As many as twice the answers that it had when it last occurred."""
    n = MAX_CANDIDATES + 20
    facts = {(0, 0, o, t) for o in range(1, n) for t in (1, 3)}
    graph = as_graph(World(frozenset(facts), n, 1))
    [found] = extract(graph, [(graph.entities.id_of("e0"), graph.relations.id_of("r0"), 3)], settings_of("pair"))
    assert len(found.candidates) == n


def test_nobody_is_a_candidate_twice_however_long_ago_it_was() -> None:
    """Two old partners of e0 led to the same entity, so long ago that it weighs nothing beside what came later."""
    long_ago, now = 0, 20_000
    old = {(0, 1, 1, long_ago), (0, 1, 2, long_ago), (1, 0, 3, long_ago), (2, 0, 3, long_ago)}
    late = {(x, r, 4, now - 1) for x in (0, 1, 2) for r in (0, 1)} | {
        (5, 0, o, now - 1) for o in range(6, 6 + N_POPULAR)
    }
    graph = as_graph(World(frozenset(old | late | {(0, 0, 4, now)}), 6 + N_POPULAR, 2))
    queries = queries_of(graph, graph.relations.id_of("r0"), now)
    for found in extract(graph, queries, MemorySettings(("pair",), half_lives(now))):
        assert len(set(found.candidates)) == len(found.candidates)


def test_every_kind_of_evidence_has_a_name_of_its_own() -> None:
    columns = evidence_columns(tuple(FAMILIES))
    assert len(set(columns)) == len(columns)
