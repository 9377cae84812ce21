"""Changes are explained by the events whose rate or probability moved most: dated facts, recounted one by one."""

import json
import pickle
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tlogic
from tests.strategies import LAST_TIME, World, worlds
from tests.worlds import as_graph
from tlogic.graph import TemporalGraph
from tlogic.models import Model
from tlogic.monitoring import ChangedTriple, ChangeExplanation, Changes

SINCE = "2030-05-16"
ALL = 10**6

Row = dict[str, Any]
Names = tuple[str, str, str]


def test_the_events_behind_a_change_in_words() -> None:
    found = tlogic.changes(_graph(), since=40)
    assert _of(found, "entity", "Cy").text() == (
        "What changed for Cy?\n"
        "10 events in 10 steps from 40 on, after 1 in 40 steps before: × 40.00 per time step. Most of all:\n"
        "  new         Cy — calls → Bo: 10 times, from 40 to 49; not in 40 steps before\n"
        "  none since  Cy — meets → Di: once before, on 0"
    )
    assert _of(found, "pair", "Ann", "Bo").text() == (
        "What changed between Ann and Bo?\n"
        "10 events in 10 steps from 40 on, after 40 in 40 steps before: × 1.00 per time step."
    )
    assert _of(found, "relation", "meets").text() == (
        'What changed in "meets" events?\n'
        "No event in 10 steps from 40 on, after 1 in 40 steps before. Most of all:\n"
        "  none since  Cy — meets → Di: once before, on 0"
    )


def test_ties_are_broken_by_names_and_the_rest_is_counted() -> None:
    why = _of(tlogic.changes(_graph(), since=40), "entity", "Bo")
    assert [(each.subject, each.movement) for each in why.triples] == [("Cy", "new"), ("Di", "new")]
    assert why.text(1).splitlines()[2:] == [
        "  new         Cy — calls → Bo: 10 times, from 40 to 49; not in 40 steps before",
        "  and 1 other event",
    ]
    assert "Most of all" not in why.text(0)


def test_dates_have_the_units_of_the_data() -> None:
    rows = [("Ann", "calls", "Bo", f"2030-01-{day:02}") for day in (1, 3, 9, 10)]
    found = tlogic.changes(tlogic.read(pl.DataFrame(rows, EVENT, orient="row")), since="2030-01-09")
    why = found.explain(0)
    assert why.summary == "2 events in 2 days from 2030-01-09 on, after 2 in 8 days before: × 4.00 per day."
    assert why.triples[0].sentence == "2 times, on 2030-01-09 and 2030-01-10; 2 times before"
    assert (why.probability_summary, why.likely, why.n_likely) == (None, (), 0)


def test_what_moved_against_a_change_comes_last_also_in_long_periods() -> None:
    """Products of differences, which are counts times lengths, would not fit into 64 bits."""
    since, last = 10**9, 14 * 10**8
    rows = [("Ann", "calls", "Di", time) for time in (*range(since, since + 20), last)]
    rows += [("Ann", "calls", name, time) for name in ("Bo", "Cy", "Ed") for time in range(40)]
    graph = tlogic.read(pl.DataFrame(rows, EVENT, orient="row"), step=1)
    why = _of(tlogic.changes(graph, since=since), "entity", "Ann")
    moved = [(each.object, each.movement) for each in why.triples]
    assert moved == [("Bo", "none since"), ("Cy", "none since"), ("Ed", "none since"), ("Di", "new")]


@settings(max_examples=60, deadline=None)
@given(worlds(), st.integers(1, LAST_TIME))
def test_every_event_is_counted_in_both_periods(world: World, since: int) -> None:
    graph = as_graph(world)
    assume(since < graph.end)
    found = tlogic.changes(graph, since=since, top=ALL)
    start = int(found.before[0])
    for row, why in zip(found.frame.iter_rows(named=True), found.explain_all(ALL), strict=True):
        assert (why.kind, why.name, why.other) == (row["kind"], row["name"], row["with"])
        own = [fact for fact in _facts(graph) if _belongs(row, fact[:3])]
        assert [each[:9] for each in why.triples] == _recount(own, start, since, graph.end)
        assert why.n_triples == len(why.triples)
        moved = sum(each.after - each.before for each in why.triples)
        assert moved == pytest.approx(row["after"] - row["before"])
        assert why.triples[:2] == found.explain(found.frame.rows().index(tuple(row.values())), 2).triples


def _recount(facts: list[tuple[str, str, str, int]], start: int, since: int, until: int) -> list[tuple[Any, ...]]:
    """The numbers, rates and dates of each triple that moved: first those that moved as all together did."""
    change = Fraction(sum(fact[3] >= since for fact in facts), until - since)
    change -= Fraction(sum(start <= fact[3] < since for fact in facts), since - start)
    moved = []
    for triple in {fact[:3] for fact in facts}:
        times = [time for *names, time in facts if tuple(names) == triple]
        before, after = [time for time in times if start <= time < since], [time for time in times if time >= since]
        rates = Fraction(len(before), since - start), Fraction(len(after), until - since)
        dates = str(min(after)) if after else None, str(max(times))
        if rates[0] != rates[1]:
            own = rates[1] - rates[0]
            moved.append((own * change < 0, -abs(own), *triple, len(before), len(after), *map(float, rates), *dates))
    return [row[2:] for row in sorted(moved)]


@pytest.fixture(scope="module")
def likely(days: TemporalGraph, judge: Model) -> Changes:
    """Changes with probabilities."""
    return tlogic.changes(days, judge, since=SINCE, horizon=2, top=6)


def test_probabilities_are_those_of_the_outlooks(days: TemporalGraph, judge: Model, likely: Changes) -> None:
    outlooks = [_probabilities(tlogic.outlook(days, judge, at=at, horizon=2, top=ALL)) for at in (SINCE, None)]
    for row, why in zip(likely.frame.iter_rows(named=True), likely.explain_all(ALL), strict=True):
        judged = {names for outlook in outlooks for names in outlook if _belongs(row, names)}
        expected = {names: tuple(outlook.get(names) for outlook in outlooks) for names in judged}
        moved = {names for names, (before, after) in expected.items() if before != after}
        assert {_names(each) for each in why.likely} == moved
        assert why.n_likely == len(moved)
        for each in why.likely:
            found = each.probability_before, each.probability_after
            assert found == pytest.approx(expected[_names(each)])
        change = row["probability_after"] - row["probability_before"]
        moves = [(each.probability_after or 0.0) - (each.probability_before or 0.0) for each in why.likely]
        assert moves == sorted(moves, key=lambda own: (own * change < 0, -abs(own)))


def test_later_facts_do_not_change_what_is_said_of_before(days: TemporalGraph, judge: Model, likely: Changes) -> None:
    """The probabilities before are those of an outlook over the earlier facts alone."""
    since = days.timeline.step_of(SINCE)
    earlier = _probabilities(tlogic.outlook(days.before(since), judge, at=SINCE, horizon=2, top=ALL))
    counts = Counter(fact[:3] for fact in _facts(days) if days.timeline.step_of(likely.before[0]) <= fact[3] < since)
    known = [each for why in likely.explain_all(20) for each in (*why.triples, *why.likely)]
    assert len(known) > 100
    for each in known:
        assert each.probability_before == pytest.approx(earlier.get(_names(each)))
        assert each.events_before == counts[_names(each)]


def test_the_latest_event_may_be_an_old_one(days: TemporalGraph, likely: Changes) -> None:
    latest = {fact[:3]: days.timeline.label_of(fact[3]) for fact in sorted(_facts(days), key=lambda fact: fact[3])}
    found = [each for why in likely.explain_all(ALL) for each in why.likely]
    assert all(each.latest == latest.get(_names(each)) for each in found)
    assert any(each.latest is None for each in found)
    assert any(each.latest is not None and each.latest < likely.before[0] for each in found)


def test_probabilities_in_words(likely: Changes) -> None:
    why = likely.explain(0, 3)
    now, row = "2030-05-31", likely.frame.row(0, named=True)
    shares = (f"{row[name]:.1%}" for name in ("probability_before", "probability_after"))
    assert why.probability_summary == (
        "Probability of at least one event within 2 days: {} from 2030-05-16 on, {} from {} on.".format(*shares, now)
    )
    assert {each.movement for each in why.likely} <= {"up", "down"}
    assert "0.0%" not in why.text()
    everything = "\n".join(each.text() for each in likely.explain_all(ALL))
    for phrase in ("not foreseen before; ", "not foreseen now, ", "it never happened", "its latest event was on"):
        assert phrase in everything


def test_an_explanation_is_json_and_changes_can_be_pickled(likely: Changes) -> None:
    why = likely.explain(0)
    found = json.loads(json.dumps(why.to_dict()))
    assert (found["kind"], found["name"], found["with"]) == (why.kind, why.name, why.other)
    assert found["triples_in_all"] == why.n_triples >= len(found["triples"]) == 5
    assert [ChangedTriple(**each) for each in found["likely"]] == list(why.likely)
    assert pickle.loads(pickle.dumps(likely)).explain(0) == why
    assert repr(why).startswith(f"ChangeExplanation(entity {why.name}: ")


EVENT = ["subject", "relation", "object", "time"]


def _graph() -> TemporalGraph:
    """Ann calls Bo every day; from day 40 on Cy, who only met Di before, calls Bo as well, and so does Di."""
    rows = [("Ann", "calls", "Bo", t) for t in range(50)]
    rows += [(name, "calls", "Bo", t) for t in range(40, 50) for name in ("Di", "Cy")]
    return tlogic.read(pl.DataFrame([*rows, ("Cy", "meets", "Di", 0)], EVENT, orient="row"))


def _of(found: Changes, kind: str, name: str, other: str | None = None) -> ChangeExplanation:
    """The explanation of one entity, pair or relation."""
    rows = found.frame.select("kind", "name", "with").rows()
    return found.explain(rows.index((kind, name, other)))


def _facts(graph: TemporalGraph) -> list[tuple[str, str, str, int]]:
    return list(_named(graph))


def _named(graph: TemporalGraph) -> Iterator[tuple[str, str, str, int]]:
    entity, relation = graph.entities.name_of, graph.relations.name_of
    for s, r, o, time in zip(*(column.tolist() for column in graph.facts), strict=True):
        yield entity(s), relation(r), entity(o), time


def _probabilities(outlook: tlogic.monitoring.Outlook) -> dict[Names, float]:
    return {each[:3]: each.probability for each in outlook}


def _names(triple: ChangedTriple) -> Names:
    return triple[:3]


def _belongs(row: Row, triple: Names) -> bool:
    """Whether a triple belongs to the entity, pair or relation of a change."""
    subject, relation, object_ = triple
    if row["kind"] == "relation":
        return relation == row["name"]
    if row["kind"] == "entity":
        return row["name"] in (subject, object_)
    return {subject, object_} == {row["name"], row["with"]}
