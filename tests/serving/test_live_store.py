"""The live store sees all events of its store, whichever process added them, while forecasts continue."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

import tlogic
from tests.waiting import PATIENCE, wait_until
from tlogic.events.sample.simulation import sample_events
from tlogic.evidence.memory import Memory
from tlogic.serving import schemas
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.predictors import RulePredictor
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.startup import open_service
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore

QUERY = schemas.Query(subject="Kite Aviation", relation="sue")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore.open(tmp_path / "events.db") as opened:
        opened.add(EncodedEvents.from_table(sample_events(7, 200)))
        yield opened


@pytest.fixture(scope="module")
def rules() -> tlogic.RuleSet:
    return tlogic.learn(tlogic.sample(), walks=50, lengths=(1, 2))


def service_on(store: EventStore, rules: tlogic.RuleSet) -> Service:
    live_store = LiveStore(store)
    versions = VersionManager(live_store, tlogic.ApplicationSettings(), threads=1)
    versions.use(rules)
    return Service(live_store, versions)


def learn_again(versions: VersionManager) -> None:
    versions.learn()
    wait_until(lambda: versions.learning.state != "running")


def row(subject: str, relation: str, object_: str, time: str) -> schemas.Event:
    return schemas.Event(subject=subject, relation=relation, object=object_, time=time)


def test_a_new_event_affects_the_next_forecast(store: EventStore, rules: tlogic.RuleSet) -> None:
    service = service_on(store, rules)
    before = service.forecast(QUERY)
    assert before.question.at == "2030-07-20"
    assert "Newcomer Ltd" not in [candidate.name for candidate in before.candidates]
    added = service.add([row("Newcomer Ltd", "bid_for", "Kite Aviation", "2030-07-21")])
    assert (added.added, added.known) == (1, 0)
    after = service.forecast(QUERY, top=100)
    assert after.question.at == "2030-07-22"
    assert "Newcomer Ltd" in [candidate.name for candidate in after.candidates]
    why = service.explain(QUERY, "Newcomer Ltd")
    assert why.reasons[0].groundings[0][0].subject == "Newcomer Ltd"
    assert service.add([row("Newcomer Ltd", "bid_for", "Kite Aviation", "2030-07-21")]).added == 0
    assert service.forecast(QUERY, top=100) == after


def test_service_and_library_give_the_same_forecast(store: EventStore, rules: tlogic.RuleSet) -> None:
    """For the same facts, whether they were added at once or one by one, in any order."""
    service = service_on(store, rules)
    more = [row("Kite Aviation", "sue", "Orchard Foods", f"2030-0{month}-15") for month in (7, 2, 9)]
    for event in [*more, row("Kite Aviation", "buy", "Orchard Foods", "2029-11-01")]:
        service.add([event])
    graph = service.live_store.snapshot().graph()
    for at in ("2030-03-01", "2030-07-20", None):
        forecast = service.forecast(QUERY.model_copy(update={"at": at}))
        [candidates] = tlogic.forecast(graph, rules, [tlogic.Query("Kite Aviation", "sue", at=at)])
        assert [(each.rank, each.name, each.score) for each in forecast.candidates] == [each[:3] for each in candidates]


def test_services_on_one_store_share_events(store: EventStore, rules: tlogic.RuleSet) -> None:
    one, other = service_on(store, rules), service_on(store, rules)
    one.add([row("Newcomer Ltd", "bid_for", "Kite Aviation", "2030-07-21")])
    assert other.live_store.catch_up() == 1
    assert other.versions.use_latest()
    assert other.forecast(QUERY, top=50).candidates == one.forecast(QUERY, top=50).candidates


def test_forecasts_continue_while_events_are_added_and_merged(store: EventStore, rules: tlogic.RuleSet) -> None:
    service = service_on(store, rules)
    done, wrong, merges = Event(), list[BaseException](), 0

    def forecast_until_done() -> None:
        while not done.is_set():
            try:
                assert service.forecast(QUERY).candidates
            except BaseException as error:
                wrong.append(error)

    threads = [Thread(target=forecast_until_done) for _ in range(2)]
    for thread in threads:
        thread.start()
    random = np.random.default_rng(1)
    names = service.entities("", 55).entities
    for batch in range(30):
        events = [
            row(f"New {random.integers(400)}", "bid_for", names[random.integers(len(names))].name, f"2030-07-{day:02}")
            for day in random.integers(1, 29, 40)
        ]
        service.add(events)
        merging = service.live_store._compaction_thread
        if merging is not None and batch % 10 == 9:
            merging.join()
            merges += 1
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert merges
    graph = service.live_store.snapshot().graph()
    assert (
        service.forecast(QUERY).candidates[0].score
        == tlogic.forecast(graph, rules, [("Kite Aviation", "sue")])[0][0].score
    )


def test_learning_and_restoring_create_versions(store: EventStore, rules: tlogic.RuleSet) -> None:
    service = service_on(store, rules)
    first = service.versions.predictor.version
    learn_again(service.versions)
    assert service.versions.learning.state == "done"
    second = service.versions.predictor.version
    assert second == service.versions.learning.version == first + 1
    third = service.versions.restore(first)
    kept = service.versions.list_all().versions
    assert [(each.version, each.in_use) for each in kept] == [(third, True), (second, False), (first, False)]
    assert service.forecast(QUERY).version == third


def test_learning_uses_the_settings_of_the_rules_in_use(store: EventStore) -> None:
    live_store = LiveStore(store)
    versions = VersionManager(live_store, tlogic.ApplicationSettings(), threads=1)
    versions.use(tlogic.learn(live_store.snapshot().graph(), walks=7, lengths=(1,), seed=3))
    service = Service(live_store, versions)
    service.add([row("Kite Aviation", "sue", "Orchard Foods", "2030-07-20")])
    learn_again(versions)
    assert isinstance(versions.predictor, RulePredictor)
    again = tlogic.learn(live_store.snapshot().graph(), walks=7, lengths=(1,), seed=3)
    assert versions.predictor.rules.to_json() == again.to_json()


def test_a_rule_file_that_is_already_stored_does_not_replace_later_versions(store: EventStore, tmp_path: Path) -> None:
    file = tmp_path / "given.rules"
    tlogic.learn(LiveStore(store).snapshot().graph(), walks=7, lengths=(1,)).save(file)
    service = open_service(store, rules=file)
    service.add([row("Kite Aviation", "sue", "Orchard Foods", "2030-07-20")])
    learn_again(service.versions)
    assert open_service(store, rules=file).versions.predictor.version == 2
    tlogic.learn(LiveStore(store).snapshot().graph(), walks=9, lengths=(1,)).save(file)
    assert open_service(store, rules=file).versions.predictor.version == 3


def test_new_events_affect_a_model(store: EventStore) -> None:
    service = service_on(store, tlogic.RuleSet(()))
    service.versions.use(tlogic.fit(service.live_store.snapshot().graph(), evidence=("recurrence", "pair"), threads=1))
    before = service.forecast(QUERY)
    service.add([row("Kite Aviation", "sue", "Newcomer Ltd", "2030-07-20")])
    after = service.forecast(QUERY)
    assert after.by == "model"
    assert "Newcomer Ltd" in [each.name for each in after.candidates]
    assert "Newcomer Ltd" not in [each.name for each in before.candidates]
    off = service.forecast(QUERY.model_copy(update={"without": ["recurrence"]}))
    assert [each.score for each in off.candidates] != [each.score for each in after.candidates]


def test_an_empty_store_reports_it_and_accepts_events(tmp_path: Path, rules: tlogic.RuleSet) -> None:
    with EventStore.open(tmp_path / "new.db") as store:
        service = service_on(store, rules)
        with pytest.raises(tlogic.InputError, match="has no events"):
            service.forecast(QUERY)
        assert service.health().events == 0
        service.add([row("Ann", "calls", "Bob", "2030-01-01"), row("Bob", "calls", "Ann", "2030-01-02")])
        forecast = service.forecast(schemas.Query(subject="Ann", relation="calls"))
        assert forecast.by == "fallback"
        assert {each.name for each in forecast.candidates} == {"Ann", "Bob"}


def test_frequent_relations_are_expected(store: EventStore, rules: tlogic.RuleSet) -> None:
    service = service_on(store, rules)
    outlook = service.expected_events("Kite Aviation")
    assert outlook.expected == sorted(outlook.expected, key=lambda each: -each.likelihood)
    assert all(0 < each.likelihood < each.rate <= 1 for each in outlook.expected)
    by_relation = {each.question.relation: 0.0 for each in outlook.expected}
    assert len(by_relation) > 1
    for each in service.expected_events("Kite Aviation", limit=1000).expected:
        by_relation[each.question.relation] = by_relation.get(each.question.relation, 0.0) + each.likelihood / each.rate
    assert all(share <= 2 + 1e-9 for share in by_relation.values())  # as subject, and as object
    happened = {fact.relation for fact in service.events("Kite Aviation", None, 0, 1000).events}
    assert {each.question.relation for each in outlook.expected} <= happened
    earlier = service.expected_events("Kite Aviation", "2030-03-01")
    assert earlier != outlook
    graph = service.live_store.snapshot().graph()
    assert earlier.at == "2030-03-01"
    assert graph.timeline.step_of(earlier.at) < graph.end


def test_events_of_an_entity_and_of_a_pair(store: EventStore, rules: tlogic.RuleSet) -> None:
    service = service_on(store, rules)
    page = service.events("Kite Aviation", None, 0, 10_000)
    graph = service.live_store.snapshot().graph()
    number = graph.entities.id_of("Kite Aviation")
    mine = (graph.facts.subject == number) | (graph.facts.object == number)
    assert page.total == len(page.events) == mine.sum()
    assert [fact.time for fact in page.events] == sorted((fact.time for fact in page.events), reverse=True)
    other = next(fact.object for fact in page.events if fact.subject == "Kite Aviation")
    pair = service.events("Kite Aviation", other, 0, 10_000)
    assert pair.total == sum({fact.subject, fact.object} == {"Kite Aviation", other} for fact in page.events)
    assert service.events("Kite Aviation", None, 3, 2).events == page.events[3:5]
    counted = service.entities("Kite Aviation", 1).entities[0]
    assert (counted.events, counted.last) == (page.total, page.events[0].time)


def test_a_query_about_the_past_blocks_nobody(model_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs a memory of its own, which can take long to build."""
    begun, go_on, add = Event(), Event(), Memory.add

    def add_slowly(memory: Memory, *given: Any) -> None:
        if memory.n_facts == 0:
            begun.set()
            go_on.wait(PATIENCE)
        add(memory, *given)

    new = schemas.Event(subject="Kite Aviation", relation="sue", object="Newcomer Ltd", time="2030-05-02")
    model_service.forecast(QUERY)
    monkeypatch.setattr(Memory, "add", add_slowly)
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(model_service.forecast, QUERY.model_copy(update={"at": "2030-03-01"}))
        try:
            assert begun.wait(PATIENCE)
            assert pool.submit(model_service.add, [new]).result(timeout=30).added == 1
            now = pool.submit(model_service.forecast, QUERY).result(timeout=30)
        finally:
            go_on.set()
        assert (slow.result().question.at, now.question.at) == ("2030-03-01", "2030-05-03")
