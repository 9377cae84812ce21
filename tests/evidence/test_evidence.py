"""Evidence is what its definitions say, and nothing from the time of a query on is in it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.evidence import twin
from tests.strategies import LAST_TIME, World, fact_sets, worlds
from tests.worlds import as_graph
from tlogic.evidence import rules
from tlogic.evidence.asked import Asked
from tlogic.evidence.extraction import COLUMNS, Extracted, extract_asked, is_answer, questions_of
from tlogic.evidence.histories import Histories, build_histories, half_lives
from tlogic.graph import Facts, TemporalGraph

LOOKED_UP = ("recurrence", "pair", "popularity", "paths")


LIVES = half_lives(LAST_TIME)


def histories_of(graph: TemporalGraph) -> Histories:
    return build_histories(graph, LIVES, LAST_TIME + 1)


def all_evidence(graph: TemporalGraph, asked: Asked) -> Extracted:
    [part] = extract_asked(histories_of(graph), asked, len(graph.relations))
    return part


def rows_of(part: Extracted) -> list[tuple[int, int, dict[tuple[str, str], float]]]:
    """Per candidate: the place of its query, the candidate, and its evidence by name, where there is any."""
    query = np.repeat(part.pairs.query, np.diff(part.pairs.start))
    return [
        (int(q), int(c), {name: float(v) for name, v in zip(COLUMNS, values, strict=True) if not np.isnan(v)})
        for q, c, values in zip(query, part.pairs.candidate, part.evidence, strict=True)
    ]


def facts_of(graph: TemporalGraph) -> list[tuple[int, int, int, int]]:
    return [tuple(fact) for fact in zip(*(column.tolist() for column in graph.facts), strict=True)]


@settings(max_examples=60)
@given(worlds(), st.data())
def test_evidence_is_what_its_definitions_say(world: World, data: st.DataObject) -> None:
    assume(world.facts)
    graph = as_graph(world)
    half = len(graph.relations.base)
    relation = data.draw(st.integers(1, 2 * half - 1))
    asked = questions_of(graph.facts, half, relation, 1)
    assume(asked.wanted.any())
    for q, c, evidence in rows_of(all_evidence(graph, asked)):
        s, now = int(asked.subject[q]), int(asked.time[q])
        known = twin.World(facts_of(graph), half, now, LIVES)
        told = {
            "recurrence": twin.recurrence(known, s, relation, c),
            "pair": twin.pair(known, s, c),
            "popularity": twin.popularity(known, relation, c),
            "paths": twin.paths(known, s, relation, c),
        }
        expected = {(family, name): value for family, values in told.items() for name, value in values.items()}
        found = {name: v for name, v in evidence.items() if name[0] in LOOKED_UP and name[1] != "rank"}
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-6)


@settings(max_examples=40)
@given(worlds(), st.data())
def test_rules_are_counted_at_every_query_before(world: World, data: st.DataObject) -> None:
    assume(world.facts)
    graph = as_graph(world)
    half = len(graph.relations.base)
    asked = questions_of(graph.facts, half, data.draw(st.integers(1, 2 * half - 1)), LAST_TIME + 1)
    state = rules.new_state(2 * half)
    [_] = list(extract_asked(histories_of(graph), asked, 2 * half))  # compiles what follows
    nothing = all_evidence(graph, asked).pairs
    rules.advance(histories_of(graph), state, asked, nothing, np.empty((0, len(rules.COLUMNS)), np.float32))
    queries = [
        twin.Query(int(s), asked.relation, int(t), frozenset(asked.answer[start:end].tolist()))
        for s, t, start, end in zip(
            asked.subject, asked.time, asked.answer_start[:-1], asked.answer_start[1:], strict=True
        )
    ]
    expected = twin.tally_rules(facts_of(graph), half, queries, LAST_TIME + 2, rules.AGES)
    counted = state.by_age.fires[:-1, :-1]
    assert {key: (counted[key], state.by_age.hits[key]) for key in zip(*np.nonzero(counted), strict=True)} == expected
    assert state.by_age.fires[-1, -1] == counted.sum() == state.by_share.fires[-1, -1]


@settings(max_examples=100)
@given(worlds(), st.data(), st.integers(2, LAST_TIME))
def test_nothing_from_the_time_of_a_query_on_is_in_its_evidence(world: World, data: st.DataObject, cut: int) -> None:
    """With another future, and the answers of the very day blanked, not one bit changes."""
    future = data.draw(fact_sets(world.n_entities, world.n_base, first=cut))
    past = frozenset(fact for fact in world.facts if fact[3] < cut)
    today = frozenset(fact for fact in world.facts if fact[3] == cut)
    assume(past and today)
    graph, other = _same_names(World(past | today, world.n_entities, world.n_base), past | future)
    half = len(graph.relations.base)
    for relation in range(2 * half):
        asked = questions_of(graph.facts, half, relation, cut)
        if not asked.wanted.any():
            continue
        blanked = asked._replace(answer=np.where(np.repeat(asked.wanted, np.diff(asked.answer_start)), 0, asked.answer))
        first, second = all_evidence(graph, asked), all_evidence(other, blanked)
        assert first.pairs.candidate.tolist() == second.pairs.candidate.tolist()
        assert first.evidence.tobytes() == second.evidence.tobytes()


def _same_names(world: World, other_facts: frozenset[tuple[int, int, int, int]]) -> tuple[TemporalGraph, TemporalGraph]:
    """Two graphs with the same numbers for the same names, whatever facts they have."""
    every = as_graph(World(world.facts | other_facts, world.n_entities, world.n_base))
    labels = {(every.entities.name_of(n)): n for n in range(len(every.entities))}

    def only(facts: frozenset[tuple[int, int, int, int]]) -> TemporalGraph:
        wanted = {(labels[f"e{s}"], every.relations.id_of(f"r{r}"), labels[f"e{o}"], t) for s, r, o, t in facts}
        kept = np.array([tuple(fact) in wanted or fact[3] == 0 for fact in facts_of(every)])
        return replace(every, facts=Facts(*(column[kept] for column in every.facts)))

    return only(world.facts), only(other_facts)


def test_answers_are_marked() -> None:
    graph = as_graph(World(frozenset({(0, 0, 1, 1), (0, 0, 2, 1), (0, 0, 1, 3), (2, 0, 1, 3)}), 3, 1))
    asked = questions_of(graph.facts, len(graph.relations.base), graph.relations.id_of("r0"), 3)
    part = all_evidence(graph, asked)
    rows = zip(rows_of(part), is_answer(part), strict=True)
    right = {
        (graph.entities.name_of(int(asked.subject[q])), graph.entities.name_of(c)) for (q, c, _), yes in rows if yes
    }
    assert right == {("e0", "e1"), ("e2", "e1")}
