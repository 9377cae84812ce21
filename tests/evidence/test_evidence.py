"""The evidence of each family equals its definition, column by column."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tlogic.evidence.extraction import Extracted, Extraction, is_answer
from tlogic.evidence.histories import Histories, build_histories, half_lives
from tlogic.evidence.history_queries import HistoryQueries, relation_queries

from tests.evidence import twin
from tests.evidence.worlds import crowded_world, telling_graphs
from tests.naive import Edge
from tests.strategies import LAST_TIME, World, worlds
from tests.worlds import as_graph
from tlogic.evidence import name_parts
from tlogic.evidence.candidate_selection import MAX_CANDIDATES, N_POPULAR
from tlogic.evidence.registry import DEFAULT_FAMILIES, FAMILIES, evidence_columns
from tlogic.graph import TemporalGraph

LIVES = half_lives(LAST_TIME)
RANKS = {"rules": ("sum by share", "rank by share"), "chains": ("sum", "rank")}
"""Which column ranks which: compared with each other, because the order of near equals is that of their last bits."""


def histories_of(graph: TemporalGraph) -> Histories:
    return build_histories(graph, LIVES, LAST_TIME + 1)


def extract(graph: TemporalGraph, queries: HistoryQueries, *families: str) -> Extracted:
    [part] = Extraction(families, len(graph.relations)).advance(histories_of(graph), queries)
    return part


def facts_of(graph: TemporalGraph) -> list[Edge]:
    return [(s, r, o, t) for s, r, o, t in zip(*(column.tolist() for column in graph.facts), strict=True)]


def twin_queries(queries: HistoryQueries) -> list[twin.Query]:
    bounds = zip(queries.answer_start[:-1], queries.answer_start[1:], strict=True)
    answers = [frozenset(queries.answer[start:end].tolist()) for start, end in bounds]
    rows = zip(queries.subject.tolist(), queries.time.tolist(), answers, strict=True)
    return [twin.Query(s, queries.relation, t, true) for s, t, true in rows]


def expected(
    graph: TemporalGraph, queries: HistoryQueries, family: str, query: twin.Query, candidates: list[int]
) -> list[twin.Told]:
    """What the twin says."""
    past = twin.Past(facts_of(graph), len(graph.relations.base), twin_queries(queries), LIVES.tolist())
    if family in twin.LOOKED_UP:
        return twin.LOOKED_UP[family](past.world[query.time], query.subject, query.relation, candidates)
    counted = twin.COUNTED | {"names": twin.names_of(graph.entities.names)}
    return counted[family](past, query, candidates)


def each_query(part: Extracted) -> Iterator[tuple[int, list[int], np.ndarray]]:
    """The place of each scored query, its candidates, and their evidence."""
    for i, q in enumerate(part.pairs.query.tolist()):
        own = slice(part.pairs.start[i], part.pairs.start[i + 1])
        yield q, part.pairs.candidate[own].tolist(), part.evidence[own]


def assert_as_the_twin_says(graph: TemporalGraph, queries: HistoryQueries, family: str) -> None:
    names, slow = FAMILIES[family].columns, twin_queries(queries)
    ranked, rank = RANKS.get(family, ("", ""))
    for q, candidates, evidence in each_query(extract(graph, queries, family)):
        found = [dict(zip(names, row, strict=True)) for row in evidence.astype(float).tolist()]
        if rank:
            values = evidence[:, names.index(ranked)]
            assert [one.pop(rank) for one in found] == [(values > value).sum() for value in values]
        told = [{name: value for name, value in one.items() if not np.isnan(value)} for one in found]
        for one, other in zip(told, expected(graph, queries, family, slow[q], candidates), strict=True):
            assert one == pytest.approx(other, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=40)
@given(graph=telling_graphs(worlds()), data=st.data())
def test_each_family_says_what_its_definition_does(family: str, graph: TemporalGraph, data: st.DataObject) -> None:
    half = len(graph.relations.base)
    assume(half > 1)
    relation = data.draw(st.sampled_from([r for r in range(2 * half) if r % half]))  # the first is that of nobody
    assert_as_the_twin_says(graph, relation_queries(graph.facts, half, relation, 1), family)


@pytest.mark.parametrize("family", DEFAULT_FAMILIES)
def test_only_the_strongest_partners_and_the_last_events_are_looked_at(family: str) -> None:
    graph = as_graph(crowded_world(7))
    queries = relation_queries(graph.facts, len(graph.relations.base), graph.relations.id_of("r1"), LAST_TIME)
    assert_as_the_twin_says(graph, queries, family)


@settings(max_examples=60)
@given(telling_graphs(worlds()), st.integers(0, LAST_TIME + 1))
def test_plain_names_belong_where_most_of_their_partners_do(graph: TemporalGraph, now: int) -> None:
    world = twin.World(facts_of(graph), len(graph.relations.base), now, LIVES)
    read = histories_of(graph).name_parts
    names = graph.entities.names
    places = {twin.read_name(name)[1]: int(place) for name, place in zip(names, read.place, strict=True)}
    for entity in range(len(names)):
        place = name_parts.place_of(read, entity, now)
        assert place == places.get(twin.place_of(world, names, entity), name_parts.UNKNOWN)
        itself = twin.kind_of(world, names, entity) == "the place itself"
        assert (name_parts.kind_of(read, entity, place) == name_parts.PLACE_ITSELF) == itself


def test_names_are_read_as_people_do() -> None:
    graph = as_graph(World(frozenset({(0, 0, 1, 1)}), 2, 1))
    names = ["Police (India)", "Police (Peru)", "India", "(India)", "A (B) (India)", "A (B) C", "A ()", "Police"]
    read = name_parts.parse_names(
        names, build_histories(graph, LIVES, 2).entity_edges._replace(start=np.zeros(9, np.int64))
    )
    india, peru = read.place[0], read.place[1]
    assert read.place.tolist() == [india, peru, -1, -1, india, -1, -1, -1]
    assert read.own_place.tolist() == [-1, -1, india, -1, -1, -1, -1, -1]
    assert read.kind[0] == read.kind[1] != read.kind[4]
    assert read.kind[7] == name_parts.PLAIN


@settings(max_examples=60)
@given(worlds(), st.data())
def test_all_who_come_into_question_are_candidates(world: World, data: st.DataObject) -> None:
    """Where there is room for all: past partners, and past objects of the relation; nobody twice."""
    assume(world.facts)
    graph = as_graph(world)
    half = len(graph.relations.base)
    queries = relation_queries(graph.facts, half, data.draw(st.integers(1, 2 * half - 1)), 1)
    for q, candidates, _ in each_query(extract(graph, queries, "pair")):
        known = twin.World(facts_of(graph), half, int(queries.time[q]), LIVES)
        popular = {o for _, r, o, _ in known.edges if r == queries.relation}
        assert len(set(candidates)) == len(candidates)
        assert set(candidates) >= known.targets(int(queries.subject[q])) | popular
        assert set(candidates) <= {edge[0] for edge in known.edges}


def test_there_are_no_more_candidates_than_are_looked_at() -> None:
    n = MAX_CANDIDATES + 20
    facts = {(0, 0, o, 1) for o in range(1, n)} | {(0, 0, 7, 2), (1, 0, 7, 2), (n, 0, n + 1, 1), (0, 0, 1, 3)}
    graph = as_graph(World(frozenset(facts), n + 2, 1))
    queries = relation_queries(graph.facts, len(graph.relations.base), graph.relations.id_of("r0"), 3)
    [(_, candidates, _)] = each_query(extract(graph, queries, "pair"))
    assert N_POPULAR <= len(set(candidates)) == len(candidates) == MAX_CANDIDATES
    assert graph.entities.id_of("e7") in candidates


def test_nobody_is_a_candidate_twice_however_long_ago_it_was() -> None:
    """Two old partners of e0 led to the same entity, so long ago that it weighs nothing beside what came later."""
    long_ago, now = 0, 20_000
    old = {(0, 1, 1, long_ago), (0, 1, 2, long_ago), (1, 0, 3, long_ago), (2, 0, 3, long_ago)}
    late = {(x, r, 4, now - 1) for x in (0, 1, 2) for r in (0, 1)} | {
        (5, 0, o, now - 1) for o in range(6, 6 + N_POPULAR)
    }
    graph = as_graph(World(frozenset(old | late | {(0, 0, 4, now)}), 6 + N_POPULAR, 2))
    queries = relation_queries(graph.facts, len(graph.relations.base), graph.relations.id_of("r0"), now)
    histories = build_histories(graph, half_lives(now), now + 1)
    [part] = Extraction(["pair"], len(graph.relations)).advance(histories, queries)
    assert len(set(part.pairs.candidate.tolist())) == len(part.pairs.candidate)


def test_answers_are_marked() -> None:
    graph = as_graph(World(frozenset({(0, 0, 1, 1), (0, 0, 2, 1), (0, 0, 1, 3), (2, 0, 1, 3)}), 3, 1))
    queries = relation_queries(graph.facts, len(graph.relations.base), graph.relations.id_of("r0"), 3)
    part = extract(graph, queries, "pair")
    query = np.repeat(part.pairs.query, np.diff(part.pairs.start))
    rows = zip(queries.subject[query], part.pairs.candidate, is_answer(part), strict=True)
    name = graph.entities.name_of
    assert {(name(s), name(c)) for s, c, right in rows if right} == {("e0", "e1"), ("e2", "e1")}


def test_every_kind_of_evidence_has_a_name_of_its_own() -> None:
    columns = evidence_columns(tuple(FAMILIES))
    assert len(set(columns)) == len(columns)
