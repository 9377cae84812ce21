"""Switching versions under load, following a store, and the version that a service starts with."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
import sqlalchemy as sql

import tlogic
from tests.serving.services import new_store_url, sample_rules, sample_service
from tests.waiting import wait_until
from tlogic.errors import InputError, SettingsError
from tlogic.events.sample.simulation import sample_events
from tlogic.serving import schemas
from tlogic.serving.engine.follower import StoreFollower
from tlogic.serving.engine.service import Service
from tlogic.serving.startup import open_service, warm_up
from tlogic.serving.store import sql_tables
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore
from tlogic.serving.store.store_errors import StoreError

N_SWITCHES, N_THREADS = 20, 4
QUERIES = [
    schemas.Query(subject="Kite Aviation", relation="sue"),
    schemas.Query(object="Kite Aviation", relation="bid_for"),
    schemas.Query(subject="Orchard Foods", relation="sue", at="2030-03-01"),
]
NEW = ("Kite Aviation", "sue", "Newcomer Ltd", "2030-05-02")


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return new_store_url(request.param, request, tmp_path)


@pytest.fixture
def service(store_url: str) -> Iterator[Service]:
    with sample_service(store_url) as service:
        yield service


def candidates_of(answers: list[schemas.Forecast]) -> list[list[schemas.Candidate]]:
    return [answer.candidates for answer in answers]


# Switching


def test_each_forecast_has_one_version_while_versions_are_switched(service: Service) -> None:
    rule_sets = [sample_rules(1), sample_rules(2)]
    expected = []
    for rules in rule_sets:
        service.versions.use(rules)
        expected.append(candidates_of(service.forecasts(QUERIES)))
    assert expected[0] != expected[1]
    first, done = service.versions.predictor.version, Event()
    batches: list[list[schemas.Forecast]] = []

    def forecast_until_done() -> None:
        while not done.is_set():
            batches.append(service.forecasts(QUERIES))

    def switch_to(rules: tlogic.RuleSet) -> None:
        service.versions.use(rules)
        # One more than there are threads, so that at least one batch starts after the switch.
        enough = len(batches) + N_THREADS + 1
        wait_until(lambda: len(batches) >= enough or any(each.done() for each in running))

    with ThreadPoolExecutor(N_THREADS) as pool:
        running = [pool.submit(forecast_until_done) for _ in range(N_THREADS)]
        try:
            for switch in range(N_SWITCHES):
                switch_to(rule_sets[switch % 2])
        finally:
            done.set()
        assert [each.result() for each in running] == [None] * N_THREADS
    for answers in batches:
        versions = {answer.version for answer in answers}
        assert len(versions) == 1
        assert candidates_of(answers) == expected[(versions.pop() - first - 1) % 2]
    assert {answers[0].version for answers in batches} >= set(range(first + 1, first + N_SWITCHES + 1))


# Learning


def test_a_failure_of_learning_does_not_show_where_the_store_is(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("The store /secret/folder failed: the disk is full.", "The store failed: the disk is full.")

    monkeypatch.setattr(service.live_store.store, "save_version", fail)
    service.versions.learn()
    wait_until(lambda: service.versions.learning.state != "running")
    assert service.versions.learning.problem == "The store failed: the disk is full."
    assert "/secret/folder" in caplog.text


# Following


def test_a_follower_loads_events_and_versions_of_other_processes(store_url: str, service: Service) -> None:
    follower = StoreFollower(service, poll=0.01)
    follower.start()
    with EventStore.open(store_url) as other:
        other.add(other.check([NEW]))
        wait_until(lambda: service.events("Kite Aviation", None, 0, 1).events[0].object == "Newcomer Ltd")
        rules = sample_rules(2)
        number = other.save_version("rules", rules.to_json(), {})
        wait_until(lambda: service.versions.predictor.version == number)
    follower.stop()


def test_a_follower_continues_after_failures(
    store_url: str, service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures: list[StoreError] = []

    def fail(*_: object) -> None:
        failures.append(StoreError("The store failed: the database is unreachable."))
        raise failures[-1]

    follower = StoreFollower(service, poll=0.01)
    with monkeypatch.context() as patch, caplog.at_level("INFO", "tlogic.serving"):
        patch.setattr(service.live_store.store, "changes_since", fail)
        follower.start()
        wait_until(lambda: len(failures) > 3)
        assert service.forecast(QUERIES[0]).candidates
    with EventStore.open(store_url) as other:
        other.add(other.check([NEW]))
    wait_until(lambda: service.health().last == "2030-05-02")
    follower.stop()
    assert [record.levelname for record in caplog.records if "failed" in record.message] == ["WARNING"]


def test_a_follower_learns_on_a_schedule(service: Service) -> None:
    follower = StoreFollower(service, learn_every=0.05, poll=0.01)
    follower.start()
    wait_until(lambda: service.versions.learning.state in ("running", "done"))
    follower.stop()
    wait_until(lambda: service.versions.learning.state != "running")
    assert service.versions.predictor.version >= 2


# Starting


def test_a_service_starts_with_the_newest_version(store_url: str, service: Service) -> None:
    service.versions.use(sample_rules(2))
    answer = service.forecast(QUERIES[0])
    with EventStore.open(store_url) as store:
        again = open_service(store)
        assert again.forecast(QUERIES[0]) == answer
        assert len(store.versions()) == 2


@pytest.mark.usefixtures("service")
def test_a_given_rule_file_is_stored_once(store_url: str, tmp_path: Path) -> None:
    path = tmp_path / "given.rules"
    sample_rules(2).save(path)
    with EventStore.open(store_url) as store:
        numbers = [open_service(store, rules=path).versions.predictor.version for _ in range(2)]
    assert numbers == [2, 2]
    with pytest.raises(SettingsError, match="not both"):
        open_service(store_url, rules=path, model=path)


def test_a_service_without_versions_fits_a_model(store_url: str) -> None:
    with pytest.raises(InputError, match="tlogic ingest"):
        open_service(store_url)
    with EventStore.open(store_url) as store:
        store.add(EncodedEvents.from_table(sample_events(days=30)))
        service = open_service(store)
        warm_up(service)
        assert service.health().version == 1
        assert store.versions()[0].kind == "model"


def test_a_service_with_too_few_events_for_a_model_learns_rules(store_url: str) -> None:
    with EventStore.open(store_url) as store:
        store.add(store.check([(f"Ann {day}", "calls", f"Bob {day}", day) for day in range(3)]))
        open_service(store)
        assert store.versions()[0].kind == "rules"


# Damage


def flip_bit(store: EventStore, version: int, column: str, bit: int) -> None:
    """Change one bit of a stored version, as a failing disk does."""
    table = sql_tables.VERSIONS
    with store._engine.begin() as connection:
        content = connection.execute(sql.select(table.c[column]).where(table.c.version == version)).scalar_one()
        changed = bytearray(content.encode() if isinstance(content, str) else content)
        changed[bit // 8 % len(changed)] ^= 1 << bit % 8
        value = changed.decode() if isinstance(content, str) else bytes(changed)
        connection.execute(sql.update(table).where(table.c.version == version).values({column: value}))


def test_damaged_versions_are_refused_with_advice(service: Service) -> None:
    store = service.live_store.store
    number = service.versions.use(sample_rules(2))
    for bit in range(0, 40_000, 1111):
        flip_bit(store, number, "content", bit)
        with pytest.raises(InputError, match=rf"Version {number} in the store is damaged .* start the service with"):
            service.versions.restore(number)
        flip_bit(store, number, "content", bit)
    flip_bit(store, number, "about", 0)  # only metadata, which are not needed
    service.versions.restore(number)
    assert len(service.versions.list_all().versions) == 3


def test_a_service_with_a_damaged_version_starts_with_the_given_rules(tmp_path: Path) -> None:
    with sample_service(str(tmp_path / "events.db")) as service:
        store = service.live_store.store
        sample_rules().save(tmp_path / "given.rules")
        flip_bit(store, 1, "content", 12_345)
        with pytest.raises(InputError, match="Version 1 in the store is damaged"):
            open_service(store)
        again = open_service(store, rules=tmp_path / "given.rules")
        assert (again.versions.predictor.version, again.versions.predictor.n_rules) == (2, len(sample_rules()))
