"""Order does not matter: equal sets of facts give equal results, whatever the order of rows, files and arrival."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tlogic
from tlogic.events.sample.simulation import sample_events
from tlogic.explaining import explain_by_rules
from tlogic.forecasting.forecast import forecast_queries
from tlogic.forecasting.live_forecaster import LiveRuleForecaster
from tlogic.forecasting.settings import Stop
from tlogic.graph import Facts, TemporalGraph
from tlogic.graph.live_graph import LiveGraph
from tlogic.graph.vocabulary import NameRanks
from tlogic.serving import schemas
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.store.encoded_events import check_events
from tlogic.serving.store.event_store import EventStore

Row = tuple[str, str, str, int]

COLUMNS = ["subject", "relation", "object", "time"]
# Numbers sort as text, upper case before lower case, and characters beyond 16 bits last, unlike in UTF-16.
ENTITIES = ["b", "a", "B", "10", "9", "é", "e", "a b", "a_b", "\U0001f600", "\uffee"]
RELATIONS = ["z", "Y", "2", "10"]
LAST_TIME = 9


class Orders(NamedTuple):
    """The same facts in two orders, the second with repeated rows and cut into parts."""

    rows: list[Row]
    parts: list[list[Row]]


@st.composite
def orders(draw: st.DrawFn) -> Orders:
    entity = st.sampled_from(draw(st.permutations(ENTITIES))[: draw(st.integers(2, len(ENTITIES)))])
    fact = st.tuples(entity, st.sampled_from(RELATIONS), entity, st.integers(1, LAST_TIME))
    n_facts = draw(st.integers(4, 40))  # a size of its own: lists without one are mostly short
    rows: list[Row] = [("b", "z", "a", 0), *draw(st.lists(fact, min_size=n_facts, max_size=n_facts))]
    mixed = draw(st.permutations([*rows, *rows[:3]]))
    cuts = sorted(draw(st.sets(st.integers(1, len(mixed) - 1), max_size=2)))
    return Orders(rows, [mixed[a:b] for a, b in zip([0, *cuts], [*cuts, len(mixed)], strict=True)])


def read(rows: list[Row], **options: Any) -> TemporalGraph:
    return tlogic.read(pl.DataFrame(rows, COLUMNS, orient="row"), step=1, **options)


def learn(graph: TemporalGraph) -> tlogic.RuleSet:
    return tlogic.learn(graph, walks=20, lengths=(1, 2), threads=1)


def queries_of(graph: TemporalGraph) -> list[tlogic.Query]:
    """Every entity and relation at some times, in an order that does not depend on the ids."""
    return [
        tlogic.Query(entity, relation, at=at)
        for at in ("8", "10")
        for entity in sorted(graph.entities)
        for relation in sorted(graph.relations)
    ]


def assert_equal_graphs(one: TemporalGraph, other: TemporalGraph) -> None:
    assert list(one.entities) == list(other.entities) == sorted(one.entities)
    assert one.relations.base == other.relations.base == sorted(one.relations.base)
    assert_equal_arrays(one.facts, other.facts)
    assert one.fingerprint == other.fingerprint
    assert one.train.fingerprint == other.train.fingerprint


def assert_equal_arrays(one: Any, other: Any) -> None:
    assert all(np.array_equal(*columns) for columns in zip(one, other, strict=True))


def assert_equal_ranks(one: tlogic.Evaluation, other: tlogic.Evaluation) -> None:
    assert_equal_arrays((one.ranks.higher, one.ranks.same), (other.ranks.higher, other.ranks.same))


@settings(max_examples=40, deadline=None)
@given(orders())
def test_rows_in_any_order_give_the_same_rules_forecasts_and_ranks(case: Orders) -> None:
    test_from = max(row[3] for row in case.rows)
    mixed = [row for part in case.parts for row in part]
    graphs = [read(rows, test_from=test_from) for rows in (case.rows, mixed)]
    assert_equal_graphs(*graphs)
    rules = [learn(graph) for graph in graphs]
    assert rules[0].to_json() == rules[1].to_json()
    how = tlogic.ApplicationSettings(k=2, min_support=1)
    forecasts = [tlogic.forecast(graph, rules[0], queries_of(graph), how, top=3, threads=1) for graph in graphs]
    assert forecasts[0].frame.equals(forecasts[1].frame)
    evaluations = [tlogic.evaluate(graph, rules[0], how, threads=1) for graph in graphs]
    assert_equal_ranks(*evaluations)


@settings(max_examples=30, deadline=None)
@given(case=orders())
def test_files_that_are_cut_in_another_way_give_the_same_graph(
    case: Orders, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, test_from = tmp_path_factory.mktemp("files"), max(row[3] for row in case.rows)
    for name, part in zip(("train", "valid", "test"), case.parts, strict=False):
        pl.DataFrame(part, COLUMNS, orient="row").write_parquet(folder / f"{name}.parquet")
    assert_equal_graphs(read(case.rows, test_from=test_from), tlogic.read(folder, step=1, test_from=test_from))


@settings(max_examples=60, deadline=None)
@given(orders(), st.sampled_from([None, 1, 2]), st.sampled_from(["published", "text"]))
def test_facts_that_arrive_in_any_order_give_the_same_forecasts_and_reasons(
    case: Orders, max_groundings: int | None, stop: Stop
) -> None:
    graph, live = read(case.rows), arrived(case.parts)
    assert_equal_graphs(graph, live.snapshot().graph())
    rules, queries = learn(graph), queries_of(graph)
    how = tlogic.ApplicationSettings(k=2, min_support=1, max_groundings=max_groundings, stop=stop)
    at_once = tlogic.forecast(graph, rules, queries, how, top=3, threads=1)
    as_they_came = forecast_queries(LiveRuleForecaster(live, rules, how), explain_by_rules, queries, top=3)
    assert as_they_came.frame.equals(at_once.frame)
    for index in range(0, len(queries), 7):
        assert as_they_came.true_answers(index) == at_once.true_answers(index)
        name = at_once[index][-1].name
        reasons = [each.explain(index, name, groundings=3).to_dict() for each in (at_once, as_they_came)]
        assert reasons[0] == reasons[1]


def arrived(parts: list[list[Row]]) -> LiveGraph:
    """A live graph to which facts came in parts; names get ids when they first appear."""
    live, origin = LiveGraph(read(parts[0]).timeline), min(row[3] for row in parts[0])
    entity: dict[str, int] = {}
    relation: dict[str, int] = {}
    for part in parts:
        n_entities, n_relations = len(entity), len(relation)
        ids = []
        for s, r, o, t in part:
            ends = [entity.setdefault(name, len(entity)) for name in (s, o)]
            ids.append((ends[0], relation.setdefault(r, len(relation)), ends[1], t - origin))
        live.add(Facts(*np.array(ids).T), list(entity)[n_entities:], list(relation)[n_relations:])
        origin = min(origin, *(row[3] for row in part))
    return live


@given(st.lists(st.text(max_size=3), unique=True), st.data())
def test_ranks_of_names_that_arrive_in_parts(names: list[str], data: st.DataObject) -> None:
    ranks, n_added = NameRanks(), 0
    while n_added < len(names):
        n = data.draw(st.integers(1, len(names) - n_added))
        ranks.add(names[n_added : n_added + n])
        n_added += n
        assert ranks.rank.tolist() == [sorted(names[:n_added]).index(name) for name in names[:n_added]]


def test_ranks_of_many_names_that_arrive_at_once() -> None:
    names = [str(number) for number in range(1000)]
    ranks = NameRanks(names[:300])
    ranks.add(names[300:])
    rank_of = {name: rank for rank, name in enumerate(sorted(names))}
    assert ranks.rank.tolist() == [rank_of[name] for name in names]
    ranks.add(["5x"])
    assert ranks.rank[-1] == sorted([*names, "5x"]).index("5x")


@pytest.fixture(scope="module")
def events() -> list[Row]:
    return [(s, r, o, t) for s, r, o, t in sample_events(7, 120).frame.rows()]


def shuffled(events: list[Row], seed: int) -> list[Row]:
    return Random(seed).sample(events, len(events))


@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 1000))
def test_rows_in_any_order_give_the_same_model(events: list[Row], seed: int) -> None:
    graphs = [read(rows, valid_from=90, test_from=110) for rows in (events, shuffled(events, seed))]
    models = [tlogic.fit(graph, evidence=("recurrence", "pair"), threads=1) for graph in graphs]
    assert models[0].to_json() == models[1].to_json()
    evaluations = [tlogic.evaluate(graph, models[0], threads=1) for graph in graphs]
    assert_equal_ranks(*evaluations)
    queries = [("Kite Aviation", "sue"), (None, "bid_for", "Kite Aviation")]
    forecasts = [tlogic.forecast(graph, models[0], queries, threads=1) for graph in graphs]
    assert forecasts[0].frame.equals(forecasts[1].frame)


@pytest.fixture
def services(tmp_path: Path, events: list[Row]) -> Iterator[list[Service]]:
    """Two services with the same events, which came at once to one, and in parts, newest first, to the other."""
    newest_first = sorted(shuffled(events, 2), key=lambda row: -row[3])
    arrivals = [[shuffled(events, 1)], [newest_first[first::3] for first in range(3)]]
    with ExitStack() as stack:
        yield [stack.enter_context(service_after(tmp_path / f"{i}.db", parts)) for i, parts in enumerate(arrivals)]


@contextmanager
def service_after(path: Path, parts: list[list[Row]]) -> Iterator[Service]:
    """A service whose events arrived in parts, with rules that it learned itself."""
    with EventStore.open(path) as store:
        for part in parts:
            store.add(check_events(part, store.state().timeline, step=1))
        live_store = LiveStore(store)
        versions = VersionManager(live_store, tlogic.ApplicationSettings(), threads=1)
        versions.use(learn(live_store.snapshot().graph()))
        yield Service(live_store, versions)


def test_services_and_library_agree_whatever_the_order_of_arrival(services: list[Service], events: list[Row]) -> None:
    graph = read(events)
    rules = learn(graph)
    for service in services:
        snapshot = service.live_store.snapshot().graph()
        assert_equal_graphs(graph, snapshot)
        assert learn(snapshot).to_json() == rules.to_json()
    entities, relations = list(graph.entities)[::7], graph.relations.base[::5]
    queries = [(entity, relation) for entity in entities for relation in relations]
    for query, candidates in zip(queries, tlogic.forecast(graph, rules, queries, top=5), strict=True):
        asked = schemas.Query(subject=query[0], relation=query[1])
        for service in services:
            found = service.forecast(asked, top=5).candidates
            assert [(each.rank, each.name, each.score) for each in found] == [each[:3] for each in candidates]
        reasons = [service.explain(asked, candidates[-1].name, n=3) for service in services]
        assert reasons[0] == reasons[1]
    one, other = services
    for entity in graph.entities:
        assert one.expected_events(entity, limit=50) == other.expected_events(entity, limit=50)
        assert one.events(entity, None, 0, 100) == other.events(entity, None, 0, 100)
    assert one.entities("", 100) == other.entities("", 100)
    assert one.relations("", 100) == other.relations("", 100)


def test_relations_with_equal_rates_are_expected_in_the_order_of_their_names(tmp_path: Path) -> None:
    rows: list[Row] = [("a", relation, "b", time) for time in range(1, 6) for relation in ("z", "y", "x")]
    for i, part in enumerate((rows, rows[::-1])):
        with service_after(tmp_path / f"{i}.db", [part]) as service:
            assert [event.question.relation for event in service.expected_events("a").expected] == ["x", "y", "z"]
