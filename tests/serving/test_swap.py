"""Rules are swapped under load, and a follower keeps a service up to date with what others do to its store."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tests.serving.service import new_place, sample_rules, sample_service
from tlogic.errors import InputError, SettingsError
from tlogic.events.sample.simulation import sample_events
from tlogic.serving import messages as say
from tlogic.serving.answering.service import Service
from tlogic.serving.starting import Follower, open_service, warm_up
from tlogic.serving.store.incoming import Incoming
from tlogic.serving.store.store import EventStore, StoreError

SWAPS = 20
QUESTIONS = [
    say.Question(subject="Kite Aviation", relation="sue"),
    say.Question(object="Kite Aviation", relation="bid_for"),
    say.Question(subject="Orchard Foods", relation="sue", at="2030-03-01"),
]
NEW = ("Kite Aviation", "sue", "Newcomer Ltd", "2030-05-02")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return new_place(request.param, request, tmp_path)


@pytest.fixture
def service(place: str) -> Iterator[Service]:
    with sample_service(place) as service:
        yield service


def eventually(happens: Callable[[], bool]) -> bool:
    give_up = time.monotonic() + 10
    while not happens() and time.monotonic() < give_up:
        time.sleep(0.01)
    return happens()


def told(answers: list[say.Forecast]) -> list[list[say.Candidate]]:
    return [answer.candidates for answer in answers]


# Swapping


def test_each_answer_is_of_one_version_while_rules_are_swapped(service: Service) -> None:
    kinds = [sample_rules(1), sample_rules(2)]
    expected = []
    for rules in kinds:
        service.versions.use(rules)
        expected.append(told(service.forecasts(QUESTIONS)))
    assert expected[0] != expected[1]
    first, done = service.versions.oracle.version, Event()

    def ask() -> list[list[say.Forecast]]:
        answers = []
        while not done.is_set():
            answers.append(service.forecasts(QUESTIONS))
        return answers

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        for swap in range(SWAPS):
            service.versions.use(kinds[swap % 2])
            time.sleep(0.02)
        done.set()
        batches = [answers for each in asking for answers in each.result()]
    for answers in batches:
        versions = {answer.version for answer in answers}
        assert len(versions) == 1
        assert told(answers) == expected[(versions.pop() - first - 1) % 2]
    assert len({answers[0].version for answers in batches}) > SWAPS // 2


# Following


def test_a_follower_takes_in_what_others_add(place: str, service: Service) -> None:
    follower = Follower(service, poll=0.01)
    follower.start()
    with EventStore.open(place) as other:
        other.add(other.check([NEW]))
        assert eventually(lambda: service.events("Kite Aviation", None, 0, 1).events[0].object == "Newcomer Ltd")
        rules = sample_rules(2)
        number = other.save_version("rules", rules.to_json(), {})
        assert eventually(lambda: service.versions.oracle.version == number)
    follower.stop()


def test_a_follower_goes_on_after_failures(
    place: str, service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("The store fails: the database cannot be reached.")

    follower = Follower(service, poll=0.01)
    with monkeypatch.context() as patch, caplog.at_level("INFO", "tlogic.serving"):
        patch.setattr(service.world.store, "changes_since", fail)
        follower.start()
        assert eventually(lambda: bool(caplog.records))
        time.sleep(0.2)
        assert service.forecast(QUESTIONS[0]).candidates
    with EventStore.open(place) as other:
        other.add(other.check([NEW]))
    assert eventually(lambda: service.health().last == "2030-05-02")
    follower.stop()
    assert [record.levelname for record in caplog.records if "fails" in record.message] == ["WARNING"]


def test_a_follower_learns_on_a_schedule(service: Service) -> None:
    follower = Follower(service, learn_every=0.05, poll=0.01)
    follower.start()
    assert eventually(lambda: service.versions.learning.state in ("running", "done"))
    follower.stop()
    assert eventually(lambda: service.versions.learning.state != "running")
    assert service.versions.oracle.version >= 2


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
        numbers = [open_service(store, rules=path).versions.oracle.version for _ in range(2)]
    assert numbers == [2, 2]
    with pytest.raises(SettingsError, match="not by both"):
        open_service(place, rules=path, model=path)


def test_a_service_learns_from_events_that_have_no_rules_yet(place: str) -> None:
    with pytest.raises(InputError, match="tlogic ingest"):
        open_service(place)
    with EventStore.open(place) as store:
        store.add(Incoming.of_table(sample_events(days=20)))
        service = open_service(store)
        warm_up(service)
        assert service.health().version == 1
        assert store.versions()[0].kind == "rules"
