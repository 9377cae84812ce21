"""Evidence uses earlier facts only: with another future, not one bit changes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tlogic.evidence.extraction import Extracted
from tlogic.evidence.history_queries import HistoryQueries, relation_queries

from tests.evidence.test_evidence import extract, facts_of
from tests.evidence.worlds import TELLING_NAMES, renamed
from tests.naive import Edge
from tests.strategies import LAST_TIME, World, fact_sets, worlds
from tests.worlds import as_graph
from tlogic.evidence.registry import FAMILIES, evidence_columns
from tlogic.graph import Facts, TemporalGraph
from tlogic.graph.vocabulary import Relations, Vocabulary

Rows = dict[tuple[str, str], list[tuple[str, bytes]]]
"""By subject and relation: the candidates in their order, each with the very bits of its evidence."""


@settings(max_examples=80)
@given(worlds(), st.data(), st.integers(2, LAST_TIME))
def test_another_future_changes_nothing(world: World, data: st.DataObject, cut: int) -> None:
    """Not even where the answers of the very day are other ones, and its queries come without theirs."""
    other = data.draw(fact_sets(world.n_entities, world.n_base, first=cut))
    past = frozenset(fact for fact in world.facts if fact[3] < cut)
    assume(past and any(fact[3] == cut for fact in world.facts))
    graph, changed = _with_the_same_names(world, past | other, data.draw(st.permutations(TELLING_NAMES)))
    days = [_queries_on(graph, relation, cut) for relation in range(len(graph.relations))]
    queries = [today for today in days if today.scored.any()]
    assert queries
    for today in queries:
        found, again = extract(graph, today, *FAMILIES), extract(changed, _without_answers(today), *FAMILIES)
        assert found.pairs.candidate.tolist() == again.pairs.candidate.tolist()
        assert found.evidence.tobytes() == again.evidence.tobytes(), _differing(found, again)


@settings(max_examples=80)
@given(worlds(), st.permutations(TELLING_NAMES), st.integers(2, LAST_TIME))
def test_the_past_alone_is_enough(world: World, names: list[str], cut: int) -> None:
    """Read from the facts before a day alone, not even the names of what comes later are known."""
    assume(any(fact[3] < cut for fact in world.facts) and any(fact[3] == cut for fact in world.facts))
    whole, past = (_in_order(world, names, before) for before in (LAST_TIME + 1, cut))
    days = [_queries_on(whole, relation, cut) for relation in range(len(whole.relations))]
    queries = [(today, known) for today in days if (known := _known_in(past, whole, today)) is not None]
    assume(queries)  # where it never holds, the test fails
    for today, known in queries:
        found, again = extract(whole, today, *FAMILIES), extract(past, known, *FAMILIES)
        expected, rows = _rows(whole, found), _rows(past, again)
        assert rows
        assert {key: expected[key] for key in rows} == rows


@pytest.mark.parametrize("family", FAMILIES)
def test_all_families_tell_something_of_these_worlds(family: str) -> None:
    """Or the tests above would not see what leaks."""
    facts = frozenset((s, 0, (s * s + t) % 4, t) for s in range(4) for t in range(s, LAST_TIME))
    graph = renamed(as_graph(World(facts, 4, 1)), TELLING_NAMES)
    evidence = extract(graph, _queries_on(graph, graph.relations.id_of("r0"), 6), family).evidence
    assert len(np.unique(evidence[~np.isnan(evidence)])) > 2


def _queries_on(graph: TemporalGraph, relation: int, day: int) -> HistoryQueries:
    """All queries of a relation until a day; those of that day are scored, whatever comes later."""
    return relation_queries(graph.facts.between(0, day + 1), len(graph.relations.base), relation, day)


def _without_answers(queries: HistoryQueries) -> HistoryQueries:
    """The same queries, but the scored ones have no answers yet."""
    n_answers = np.where(queries.scored, 0, np.diff(queries.answer_start))
    start = np.append(0, np.cumsum(n_answers))
    return queries._replace(answer_start=start, answer=queries.answer[: start[-1]])


def _with_the_same_names(
    world: World, others: frozenset[Edge], names: list[str]
) -> tuple[TemporalGraph, TemporalGraph]:
    """Two graphs with the same numbers for the same names, whatever facts they have."""
    every = as_graph(World(world.facts | others, world.n_entities, world.n_base))
    entity, relation = every.entities.id_of, every.relations.id_of

    def only(facts: frozenset[Edge]) -> TemporalGraph:
        scored = {(entity(f"e{s}"), relation(f"r{r}"), entity(f"e{o}"), t) for s, r, o, t in facts}
        kept = np.array([fact in scored or fact[3] == 0 for fact in facts_of(every)])
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


def _known_in(past: TemporalGraph, whole: TemporalGraph, today: HistoryQueries) -> HistoryQueries | None:
    """The same queries in the ids of the past graph, if it has their subjects, and without answers."""
    name = whole.relations.name_of(today.relation)
    if name not in past.relations:
        return None
    before = relation_queries(past.facts, len(past.relations.base), past.relations.id_of(name), past.end + 1)
    subjects = [whole.entities.name_of(s) for s in today.subject[today.scored].tolist()]
    known = [past.entities.id_of(subject) for subject in subjects if subject in past.entities]
    if not known:
        return None
    return before._replace(
        subject=np.append(before.subject, known).astype(np.int32),
        time=np.append(before.time, np.full(len(known), today.time[-1])).astype(np.int32),
        answer_start=np.append(before.answer_start, [before.answer_start[-1]] * len(known)),
        scored=np.append(before.scored, [True] * len(known)),
    )


def _rows(graph: TemporalGraph, part: Extracted) -> Rows:
    name, rows = graph.entities.name_of, Rows()
    for i, q in enumerate(part.pairs.query.tolist()):
        own = range(part.pairs.start[i], part.pairs.start[i + 1])
        rows[name(int(part.queries.subject[q])), graph.relations.name_of(part.queries.relation)] = [
            (name(int(part.pairs.candidate[p])), part.evidence[p].tobytes()) for p in own
        ]
    return rows


def _differing(found: Extracted, again: Extracted) -> str:
    """Which columns differ, for people."""
    same = (found.evidence == again.evidence) | (np.isnan(found.evidence) & np.isnan(again.evidence))
    return ", ".join(
        ": ".join(column)
        for column, kept in zip(evidence_columns(tuple(FAMILIES)), same.all(0), strict=True)
        if not kept
    )
