"""Of several services on one store, one learns per period; if it dies or stops, another one takes over."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import sleep

import pytest
import sqlalchemy as sql

from tests.serving.services import new_store_url, sample_service
from tests.waiting import wait_until
from tlogic.serving import schemas
from tlogic.serving.engine.follower import StoreFollower
from tlogic.serving.engine.learning_schedule import LearningSchedule
from tlogic.serving.engine.service import Service
from tlogic.serving.startup import open_service
from tlogic.serving.store import sql_tables
from tlogic.serving.store.event_store import EventStore
from tlogic.serving.store.store_errors import StoreError

HOUR = 3600.0
POLL = 0.01
N_ROUNDS, N_SERVICES = 3, 3


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return new_store_url(request.param, request, tmp_path)


@pytest.fixture
def store(store_url: str) -> Iterator[EventStore]:
    with EventStore.open(store_url) as store:
        yield store


@pytest.fixture
def services(store_url: str) -> Iterator[list[Service]]:
    """Services on one store, each with connections of its own, as in processes of their own."""
    with ExitStack() as stack:
        found = [stack.enter_context(sample_service(store_url))]
        for _ in range(N_SERVICES - 1):
            found.append(open_service(stack.enter_context(EventStore.open(store_url))))
        yield found
        wait_until(lambda: not any(service.versions.learning.state == "running" for service in found))


@contextmanager
def running(threads: list[StoreFollower] | list[LearningSchedule]) -> Iterator[None]:
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.stop()


def make_due(store: EventStore) -> None:
    """Let the latest learning be long ago."""
    store.claim_learning("nobody", HOUR, 0)
    with store._transaction(writing=True) as connection:
        connection.execute(sql.update(sql_tables.LEARNING).values(owner=None, learned=0, until=0))


def learning_row(store: EventStore) -> sql.Row[tuple[int, str | None, float, float, float]]:
    with store._transaction() as connection:
        return connection.execute(sql.select(sql_tables.LEARNING)).one()


# Claims


def test_the_first_learning_is_one_period_after_the_first_service_starts(store: EventStore) -> None:
    assert HOUR - 60 < store.claim_learning("first", HOUR, 60) <= HOUR
    sleep(0.02)
    assert HOUR - 60 < store.claim_learning("second", HOUR, 60) < HOUR - 0.01
    assert store.claim_learning("hasty", 0.01, 60) == 0


def test_one_of_many_gets_the_claim(store: EventStore, store_url: str) -> None:
    make_due(store)

    def claim(owner: str) -> float:
        with EventStore.open(store_url) as other:
            return other.claim_learning(owner, HOUR, 60)

    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(claim, map(str, range(16))))
    assert sorted(waits)[:2] == [0, pytest.approx(60, abs=30)]
    owner = str(waits.index(0))
    assert store.claim_learning(owner, HOUR, 60) == 0  # keeps it
    store.release_learning("another", is_done=True)  # which has no effect
    assert learning_row(store).owner == owner
    store.release_learning(owner, is_done=True)
    assert store.claim_learning(owner, HOUR, 60) > HOUR - 60
    assert learning_row(store).owner is None


def test_the_claim_of_a_dead_owner_lapses(store: EventStore) -> None:
    make_due(store)
    assert store.claim_learning("dead", HOUR, 1.0) == 0
    wait = store.claim_learning("heir", HOUR, 60)
    assert 0 < wait <= 1.001  # times are floating-point numbers
    sleep(wait + 0.001)
    assert store.claim_learning("heir", HOUR, 60) == 0
    assert store.claim_learning("dead", HOUR, 0.2) > 30  # it lives after all, but comes too late
    store.release_learning("dead", is_done=True)
    assert learning_row(store).owner == "heir"


def test_stores_of_earlier_versions_get_the_table(store: EventStore, store_url: str) -> None:
    with store._transaction(writing=True) as connection:
        sql_tables.LEARNING.drop(connection)
    with EventStore.open(store_url) as old:
        assert old.versions() == []
        assert old.claim_learning("first", HOUR, 60) > HOUR - 60


# Services


def test_one_of_several_services_learns_per_period(services: list[Service], store: EventStore) -> None:
    for n_learned in range(1, N_ROUNDS + 1):
        make_due(store)
        with running([StoreFollower(service, HOUR, POLL) for service in services]):
            wait_until(lambda: learning_row(store).learned > 0)
            wait_until(lambda: len({service.versions.predictor.version for service in services}) == 1)
            sleep(20 * POLL)
        assert services[0].versions.predictor.version == len(store.versions()) == 1 + n_learned


def test_a_service_takes_over_from_one_that_died(services: list[Service], store: EventStore) -> None:
    make_due(store)
    assert store.claim_learning("dead", HOUR, 0.5) == 0
    with running([StoreFollower(services[0], HOUR, POLL)]):
        wait_until(lambda: learning_row(store).learned > 0)
    assert len(store.versions()) == 2


def never_ending(service: Service) -> Callable[[], schemas.LearningStatus]:
    def learn() -> schemas.LearningStatus:
        service.versions.learning = schemas.LearningStatus(state="running")
        return service.versions.learning

    return learn


def test_a_service_keeps_its_claim_until_it_stops(
    services: list[Service], store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_due(store)
    slow, other = services[:2]
    monkeypatch.setattr(slow.versions, "learn", never_ending(slow))
    first = LearningSchedule(slow, HOUR, POLL, lease=0.5)
    with running([first]):
        wait_until(lambda: learning_row(store).owner is not None)
        with running([LearningSchedule(other, HOUR, POLL, lease=0.5)]):
            sleep(1.5)
            assert len(store.versions()) == 1
            first.stop()
            wait_until(lambda: learning_row(store).learned > 0)
    slow.versions.learning = schemas.LearningStatus(state="idle")
    assert len(store.versions()) == 2


def test_learning_counts_although_the_store_fails_at_its_end(
    services: list[Service], store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_due(store)
    service = services[0]
    failures, release = list[str](), service.live_store.store.release_learning

    def fail_twice(owner: str, *, is_done: bool) -> None:
        if len(failures) < 2:
            failures.append(owner)
            raise StoreError("The store failed: the database is unreachable.")
        release(owner, is_done=is_done)

    monkeypatch.setattr(service.live_store.store, "release_learning", fail_twice)
    with running([LearningSchedule(service, HOUR, POLL)]):
        wait_until(lambda: learning_row(store).learned > 0)
    assert len(failures) == 2
    assert len(store.versions()) == 2
