"""Names in requests: the search, and suggestions for unknown names, which do not stop other requests."""

from collections.abc import Iterator
from itertools import pairwise
from threading import Thread
from time import monotonic
from typing import Any

import httpx
import pytest

from tests.serving.services import api_client, problem_text, sample_service
from tlogic.graph.facts import NO_FACTS
from tlogic.name_search import NameIndex
from tlogic.serving.engine.service import Service

ENTITY, RELATION = "Kite Aviation", "sue"
N_NAMES, N_UNKNOWN = 140_000, 150
MAX_SECONDS = 10
"""For requests on a busy machine. With difflib, suggestions for so many names took minutes."""


@pytest.fixture(scope="module")
def large_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with many entities."""
    with sample_service(str(tmp_path_factory.mktemp("service") / "events.db")) as service:
        graph = service.live_store._graph
        assert graph is not None
        names = [f"Company {number * 7919:x} of Country {number % 193}" for number in range(N_NAMES)]
        graph.add(NO_FACTS, new_entities=names)
        service.entities("", 1)  # as at the start of a service
        yield service


@pytest.fixture(scope="module")
def api(service: Service) -> Iterator[httpx.Client]:
    with api_client(service) as client:
        yield client


def names_found(api: httpx.Client, path: str, search: str) -> list[str]:
    [(_, found)] = [item for item in api.get(path, params={"search": search}).json().items() if item[0] != "total"]
    return [each["name"] for each in found]


@pytest.mark.parametrize("text", ["kite avia", "avia kite", "kite aviaton", "KITE", "Kite_Aviation"])
def test_search_finds_what_people_type(api: httpx.Client, text: str) -> None:
    assert names_found(api, "/api/entities", text)[0] == ENTITY


def test_search_finds_relations(api: httpx.Client) -> None:
    assert names_found(api, "/api/relations", "for bid")[0] == "bid_for"


def test_suggestions_are_what_a_search_finds(api: httpx.Client) -> None:
    message = problem_text(api.get("/api/events", params={"entity": "avia kit"}), 404)
    assert message == f"Unknown entity 'avia kit'; did you mean {names_found(api, '/api/entities', 'avia kit')[0]!r}?"


@pytest.mark.parametrize(
    ("method", "path", "content"),
    [
        ("GET", "/api/forecast", {"params": {"subject": "Nobody", "relation": RELATION}}),
        ("POST", "/api/forecasts", {"json": {"questions": [{"subject": "Nobody", "relation": RELATION}] * 150}}),
        ("GET", "/api/entities", {"params": {"search": "Nobody"}}),
    ],
)
def test_names_are_searched_while_events_can_be_added(
    service: Service, monkeypatch: pytest.MonkeyPatch, method: str, path: str, content: Any
) -> None:
    n_readers, search = [], NameIndex.search

    def watched(*arguments: Any) -> list[int]:
        n_readers.append(service.live_store._graph_lock._readers)
        return search(*arguments)

    monkeypatch.setattr(NameIndex, "search", watched)
    with api_client(service) as api:
        response = api.request(method, path, **content)
    assert response.status_code == 200 or "Unknown entity 'Nobody'" in response.text
    assert n_readers in ([0], [0] * 5)


def test_many_unknown_names_do_not_stop_the_service(large_service: Service) -> None:
    queries = [{"subject": f"Compny {number:x} off Contry", "relation": RELATION} for number in range(N_UNKNOWN)]
    answers = list[httpx.Response]()
    with api_client(large_service) as api:
        start = monotonic()
        asking = Thread(target=lambda: answers.append(api.post("/api/forecasts", json={"questions": queries})))
        asking.start()
        reads = [start]
        while asking.is_alive() and monotonic() - start < 2 * MAX_SECONDS:
            assert api.get("/api/events", params={"entity": ENTITY}).status_code == 200
            reads.append(monotonic())
        asking.join()
    assert monotonic() - start < MAX_SECONDS
    assert max(after - before for before, after in pairwise(reads)) < MAX_SECONDS / 2
    lines = problem_text(answers[0], 400).splitlines()
    assert lines[0].startswith("Query 1, (Compny 0 off Contry, sue, ?, next): Unknown entity 'Compny 0 off Contry'")
    assert lines[-1] == f"and {N_UNKNOWN - 5} more."


def test_a_search_among_many_names_is_quick(large_service: Service) -> None:
    start = monotonic()
    for text in ("company", "country 19", "compny 3dd7 of contry", "kite avia", "q" * 10_000):
        assert len(large_service.entities(text, 10).entities) <= 10
    assert monotonic() - start < MAX_SECONDS / 2
