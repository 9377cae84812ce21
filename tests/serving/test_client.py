"""The client says the same as the service, in batches and pages, and tells what the service tells."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.serving.services import READ, WRITE, new_place, sample_service, served
from tlogic.serving import AccessSettings, Client, Service, ServiceError, schemas

WHO, WHAT = "Kite Aviation", "sue"
BOTH = AccessSettings(read_token=READ, write_token=WRITE)


@pytest.fixture(params=["sqlite", "postgresql"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    with sample_service(new_place(request.param, request, tmp_path)) as service:
        yield service


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with served(service, BOTH) as url, Client(url, WRITE) as client:
        yield client


def test_it_gives_what_the_service_gives(service: Service, client: Client) -> None:
    question = schemas.Query(subject=WHO, relation=WHAT)
    best = service.forecast(question, 3)
    assert client.forecast(WHO, WHAT, top=3) == best
    assert client.forecasts([question] * 1500, top=3) == [best] * 1500
    name = best.candidates[0].name
    assert client.explain(WHO, WHAT, candidate=name, groundings=2) == service.explain(question, name, 2)
    assert client.outlook(WHO, limit=3) == service.outlook(WHO, None, 3)
    assert client.entities("kite") == service.entities("kite", 20).entities
    assert client.relations() == service.relations("", 1000).relations
    assert list(client.events(WHO)) == service.events(WHO, None, 0, 10_000).events
    assert client.health() == service.health()
    assert client.versions() == service.versions.list_all().versions


def test_rules_come_from_all_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(client.rules())
    monkeypatch.setattr("tlogic.serving.client._PAGE", 7)
    assert list(client.rules()) == whole
    assert len(whole) > 14
    assert {rule.head for rule in client.rules(WHAT)} == {WHAT}
    assert list(client.rules("nothing like this")) == []


def test_events_go_in_batches(client: Client) -> None:
    before = client.health().events
    rows = [(WHO, WHAT, f"Newcomer {n}", "2030-05-02") for n in range(25)]
    assert client.add(rows, batch=10) == schemas.AddResult(added=25, known=0, total=before + 25)
    again = [schemas.Event(subject=s, relation=r, object=o, time=t) for s, r, o, t in rows[:3]]
    assert client.add([*again, again[0].model_dump()], batch=2).known == 4
    assert client.add([]) == schemas.AddResult(added=0, known=0, total=before + 25)


def test_a_bad_event_is_told_by_its_position_among_all(client: Client) -> None:
    rows = [(WHO, WHAT, f"Newcomer {n}", "2030-05-02") for n in range(25)]
    rows[17] = (WHO, WHAT, "", "2030-05-02")
    with pytest.raises(ServiceError, match="The first 10 events were taken") as caught:
        client.add(rows, batch=10)
    assert (caught.value.status, caught.value.positions, caught.value.reasons) == (422, [17], ["the object is empty"])


def test_it_learns_and_goes_back(client: Client) -> None:
    learned = client.learn()
    assert (learned.state, learned.version) == ("done", 2)
    assert client.forecast(WHO, WHAT).version == 2
    assert client.use(1)[0].version == 3


def test_what_the_service_refuses_is_told_in_its_words(client: Client) -> None:
    with pytest.raises(ServiceError, match="did you mean 'Kite Aviation'") as caught:
        client.forecast("Kite Avation", WHAT)
    assert caught.value.status == 404
    with Client(client.url, READ) as reader, pytest.raises(ServiceError, match="for reading"):
        reader.add([(WHO, WHAT, WHO, "2030-05-02")])
    with Client(client.url) as stranger, pytest.raises(ServiceError, match="with a token only"):
        stranger.health()
    with Client(client.url) as stranger, pytest.raises(ServiceError, match="Authorization: Bearer"):
        stranger.entities()


def test_dates_are_taken_and_questions_that_are_none_are_told(client: Client) -> None:
    assert client.add([(WHO, WHAT, "Somebody New", date(2031, 3, 27))]).added == 1
    assert client.forecast(WHO, WHAT, at=date(2031, 3, 28)).question.at == "2031-03-28"
    with pytest.raises(ServiceError, match="relation"):
        client.forecast(WHO)


def test_it_waits_where_it_asks_too_often(service: Service) -> None:
    with served(service, AccessSettings(rate=2.0, burst=1)) as url, Client(url) as client:
        assert len([client.versions() for _ in range(3)]) == 3


def test_a_service_that_is_not_there_is_told() -> None:
    with Client("http://127.0.0.1:9") as client, pytest.raises(ServiceError, match="cannot be asked"):
        client.health()


def test_a_client_needs_no_kernels() -> None:
    code = "import sys, tlogic.serving; tlogic.serving.Client('http://x'); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
