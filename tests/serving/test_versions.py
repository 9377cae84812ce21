"""Rules are swapped under load, and a follower keeps a service up to date with what others do to its store."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

import tlogic
from tests.serving.services import new_place, sample_rules, sample_service
from tests.waiting import wait_until
from tlogic.errors import InputError, SettingsError
from tlogic.events.sample.simulation import sample_events
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.startup import Follower, open_service, warm_up
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore, StoreError

SWAPS, ASKERS = 20, 4
QUESTIONS = [
    schemas.Query(subject="Kite Aviation", relation="sue"),
    schemas.Query(object="Kite Aviation", relation="bid_for"),
    schemas.Query(subject="Orchard Foods", relation="sue", at="2030-03-01"),
]
NEW = ("Kite Aviation", "sue", "Newcomer Ltd", "2030-05-02")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return new_place(request.param, request, tmp_path)


@pytest.fixture
def service(place: str) -> Iterator[Service]:
    with sample_service(place) as service:
        yield service


def told(answers: list[schemas.Forecast]) -> list[list[schemas.Candidate]]:
    return [answer.candidates for answer in answers]


# Swapping


def test_each_answer_is_of_one_version_while_rules_are_swapped(service: Service) -> None:
    kinds = [sample_rules(1), sample_rules(2)]
    expected = []
    for rules in kinds:
        service.versions.use(rules)
        expected.append(told(service.forecasts(QUESTIONS)))
    assert expected[0] != expected[1]
    first, done = service.versions.predictor.version, Event()
    batches: list[list[schemas.Forecast]] = []

    def ask() -> None:
        while not done.is_set():
            batches.append(service.forecasts(QUESTIONS))

    def swap_to(rules: tlogic.RuleSet) -> None:
        service.versions.use(rules)
        # One more than there are threads, so that one of them is of questions that were asked after the swap.
        enough = len(batches) + ASKERS + 1
        wait_until(lambda: len(batches) >= enough or any(each.done() for each in asking))

    with ThreadPoolExecutor(ASKERS) as pool:
        asking = [pool.submit(ask) for _ in range(ASKERS)]
        try:
            for swap in range(SWAPS):
                swap_to(kinds[swap % 2])
        finally:
            done.set()
        assert [each.result() for each in asking] == [None] * ASKERS
    for answers in batches:
        versions = {answer.version for answer in answers}
        assert len(versions) == 1
        assert told(answers) == expected[(versions.pop() - first - 1) % 2]
    assert {answers[0].version for answers in batches} >= set(range(first + 1, first + SWAPS + 1))


# Following


def test_a_follower_takes_in_what_others_add(place: str, service: Service) -> None:
    follower = Follower(service, poll=0.01)
    follower.start()
    with EventStore.open(place) as other:
        other.add(other.check([NEW]))
        wait_until(lambda: service.events("Kite Aviation", None, 0, 1).events[0].object == "Newcomer Ltd")
        rules = sample_rules(2)
        number = other.save_version("rules", rules.to_json(), {})
        wait_until(lambda: service.versions.predictor.version == number)
    follower.stop()


def test_a_follower_goes_on_after_failures(
    place: str, service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures: list[StoreError] = []

    def fail(*_: object) -> None:
        failures.append(StoreError("The store fails: the database cannot be reached."))
        raise failures[-1]

    follower = Follower(service, poll=0.01)
    with monkeypatch.context() as patch, caplog.at_level("INFO", "tlogic.serving"):
        patch.setattr(service.live_store.store, "changes_since", fail)
        follower.start()
        wait_until(lambda: len(failures) > 3)
        assert service.forecast(QUESTIONS[0]).candidates
    with EventStore.open(place) as other:
        other.add(other.check([NEW]))
    wait_until(lambda: service.health().last == "2030-05-02")
    follower.stop()
    assert [record.levelname for record in caplog.records if "fails" in record.message] == ["WARNING"]


def test_a_follower_learns_on_a_schedule(service: Service) -> None:
    follower = Follower(service, learn_every=0.05, poll=0.01)
    follower.start()
    wait_until(lambda: service.versions.learning.state in ("running", "done"))
    follower.stop()
    wait_until(lambda: service.versions.learning.state != "running")
    assert service.versions.predictor.version >= 2


# Starting


def test_a_service_begins_with_the_newest_version_or_learns_one(place: str, service: Service) -> None:
    service.versions.use(sample_rules(2))
    answer = service.forecast(QUESTIONS[0])
    with EventStore.open(place) as store:
        again = open_service(store)
        assert again.forecast(QUESTIONS[0]) == answer
        assert len(store.versions()) == 2


@pytest.mark.usefixtures("service")
def test_given_rules_become_a_version_once(place: str, tmp_path: Path) -> None:
    path = tmp_path / "given.rules"
    sample_rules(2).save(path)
    with EventStore.open(place) as store:
        numbers = [open_service(store, rules=path).versions.predictor.version for _ in range(2)]
    assert numbers == [2, 2]
    with pytest.raises(SettingsError, match="not by both"):
        open_service(place, rules=path, model=path)


def test_a_service_learns_from_events_that_have_no_rules_yet(place: str) -> None:
    with pytest.raises(InputError, match="tlogic ingest"):
        open_service(place)
    with EventStore.open(place) as store:
        store.add(EncodedEvents.from_table(sample_events(days=20)))
        service = open_service(store)
        warm_up(service)
        assert service.health().version == 1
        assert store.versions()[0].kind == "rules"
