"""The client returns what the service returns, sends batches, reads pages, and raises its errors."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.serving.services import READ, WRITE, new_store_url, sample_service, served
from tlogic.serving import AccessSettings, Client, Service, ServiceError, schemas

ENTITY, RELATION = "Kite Aviation", "sue"
BOTH = AccessSettings(read_token=READ, write_token=WRITE)


@pytest.fixture(params=["sqlite", "postgresql"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    with sample_service(new_store_url(request.param, request, tmp_path)) as service:
        yield service


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with served(service, BOTH) as url, Client(url, WRITE) as client:
        yield client


def test_the_client_returns_what_the_service_returns(service: Service, client: Client) -> None:
    query = schemas.Query(subject=ENTITY, relation=RELATION)
    best = service.forecast(query, 3)
    assert client.forecast(ENTITY, RELATION, top=3) == best
    assert client.forecasts([query] * 1500, top=3) == [best] * 1500
    name = best.candidates[0].name
    assert client.explain(ENTITY, RELATION, candidate=name, groundings=2) == service.explain(query, name, 2)
    assert client.changes(date(2030, 4, 24)) == service.monitor.changes("2030-04-24")
    assert client.entities("kite") == service.entities("kite", 20).entities
    assert client.relations() == service.relations("", 1000).relations
    assert list(client.events(ENTITY)) == service.events(ENTITY, None, 0, 10_000).events
    assert client.health() == service.health()
    assert client.versions() == service.versions.list_all().versions


def test_rules_are_read_from_all_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(client.rules())
    monkeypatch.setattr("tlogic.serving.client._ITEMS_PER_PAGE", 7)
    assert list(client.rules()) == whole
    assert len(whole) > 14
    assert {rule.head for rule in client.rules(RELATION)} == {RELATION}
    assert list(client.rules("nothing like this")) == []


def test_events_are_sent_in_batches(client: Client) -> None:
    before = client.health().events
    rows = [(ENTITY, RELATION, f"Newcomer {n}", "2030-05-02") for n in range(25)]
    assert client.add(rows, batch=10) == schemas.AddResult(added=25, known=0, total=before + 25)
    again = [schemas.Event(subject=s, relation=r, object=o, time=t) for s, r, o, t in rows[:3]]
    assert client.add([*again, again[0].model_dump()], batch=2).known == 4
    assert client.add([]) == schemas.AddResult(added=0, known=0, total=before + 25)


def test_an_invalid_event_is_reported_by_its_position_among_all(client: Client) -> None:
    rows = [(ENTITY, RELATION, f"Newcomer {n}", "2030-05-02") for n in range(25)]
    rows[17] = (ENTITY, RELATION, "", "2030-05-02")
    with pytest.raises(ServiceError, match="The first 10 events were added") as caught:
        client.add(rows, batch=10)
    assert (caught.value.status, caught.value.positions, caught.value.reasons) == (422, [17], ["the object is empty"])


def test_learning_and_restoring_a_version(client: Client) -> None:
    learned = client.learn()
    assert (learned.state, learned.version) == ("done", 2)
    assert client.forecast(ENTITY, RELATION).version == 2
    assert client.use(1)[0].version == 3


def test_errors_of_the_service_are_raised(client: Client) -> None:
    with pytest.raises(ServiceError, match="did you mean 'Kite Aviation'") as caught:
        client.forecast("Kite Avation", RELATION)
    assert caught.value.status == 404
    with Client(client.url, READ) as reader, pytest.raises(ServiceError, match="needs the write token"):
        reader.add([(ENTITY, RELATION, ENTITY, "2030-05-02")])
    with Client(client.url) as anonymous, pytest.raises(ServiceError, match="a token is required"):
        anonymous.health()
    with Client(client.url) as anonymous, pytest.raises(ServiceError, match="Authorization: Bearer"):
        anonymous.entities()


def test_dates_are_accepted_and_invalid_queries_reported(client: Client) -> None:
    assert client.add([(ENTITY, RELATION, "Somebody New", date(2031, 3, 27))]).added == 1
    assert client.forecast(ENTITY, RELATION, at=date(2031, 3, 28)).question.at == "2031-03-28"
    with pytest.raises(ServiceError, match="relation"):
        client.forecast(ENTITY)


def test_the_client_waits_after_too_many_requests(service: Service) -> None:
    with served(service, AccessSettings(rate=2.0, burst=1)) as url, Client(url) as client:
        assert len([client.versions() for _ in range(3)]) == 3


def test_an_unreachable_service_is_reported() -> None:
    with Client("http://127.0.0.1:9") as client, pytest.raises(ServiceError, match="Cannot reach"):
        client.health()


def test_the_client_loads_no_kernels() -> None:
    code = "import sys, tlogic.serving; tlogic.serving.Client('http://x'); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
