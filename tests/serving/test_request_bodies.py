"""Bodies are bounded before they are parsed, do not block other requests, and give short error messages."""

import json
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import current_thread

import httpx
import pytest

from tests.serving.services import READ, api_client, http_client, problem_text, sample_service, served
from tests.waiting import PATIENCE, wait_until
from tlogic.serving import AccessSettings
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.time_limit import TimeLimit, TimeLimitError
from tlogic.serving.web import request_bodies
from tlogic.serving.web.request_limits import MAX_PAGE_BODY, MAX_STRANGER_BODY

QUERY = {"subject": "Kite Aviation", "relation": "sue"}
EVENT = {**QUERY, "object": "Orchard Foods", "time": "2030-04-01"}
JSON = {"Content-Type": "application/json"}
OPEN = AccessSettings(rate=1e9, burst=10**9)
UNKNOWN_KEYS = b"{" + b",".join(b'"key%07d":1' % number for number in range(1_000_000)) + b"}"


@pytest.fixture(scope="module")
def api(service: Service) -> Iterator[httpx.Client]:
    with api_client(service, OPEN) as client:
        yield client


def test_many_unknown_keys_are_refused_before_they_are_parsed(
    api: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_bodies, "_parse", None)
    assert 14e6 < len(UNKNOWN_KEYS) < 16e6
    assert "too many keys" in problem_text(api.post("/api/events", content=UNKNOWN_KEYS, headers=JSON), 413)


def test_batches_are_parsed_in_a_thread(api: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    monkeypatch.setattr(request_bodies, "parse_batch", lambda *_: threads.append(current_thread().name))
    api.post("/api/events", json={"events": [EVENT]})
    assert "worker thread" in threads[0]


@pytest.mark.parametrize("path", ["/api/events", "/api/forecasts", "/api/outlook"])
def test_unknown_keys_are_one_problem(api: httpx.Client, path: str) -> None:
    field = {"/api/events": "events", "/api/forecasts": "questions", "/api/outlook": "triples"}[path]
    unknown = {f"key {number}": number for number in range(10_000)}
    found = problem_text(api.post(path, json={field: [unknown]}), 422)
    assert f"body.{field}.0: unknown keys 'key 0', 'key 1', 'key 2' and 9,997 more" in found
    item = EVENT if field == "events" else QUERY
    found = problem_text(api.post(path, json={**unknown, field: [item]}), 422)
    assert "'key 2' and 9,997 more" in found


def test_many_invalid_items_give_a_short_message(api: httpx.Client) -> None:
    for time_of_event, count in (([], "and 9,995"), ("yesterday", "10,000 of 10,000 events")):
        response = api.post("/api/events", json={"events": [{**EVENT, "time": time_of_event}] * 10_000})
        assert count in problem_text(response, 422)
        assert len(response.content) < 5000
    assert len(response.json()["positions"]) == 20


def test_large_bodies_in_memory_are_bounded(service: Service) -> None:
    lines = (
        b"POST /api/events HTTP/1.1",
        b"Host: localhost",
        b"Content-Type: application/json",
        b"Content-Length: 1000",
    )
    head = b"\r\n".join([*lines, b"", b""])
    with served(service, AccessSettings(max_body=1000)) as url, ExitStack() as slow:
        address = ("127.0.0.1", int(url.rpartition(":")[2]))
        for _ in range(9):
            last = slow.enter_context(socket.create_connection(address, timeout=PATIENCE))
            last.sendall(head + b" " * 999)
        selected, _, _ = select.select([last], [], [], PATIENCE)
        assert selected
        assert b" 503 " in last.recv(1000)
        assert httpx.get(f"{url}/health", timeout=PATIENCE).status_code == 200


def test_strangers_may_send_a_token_and_no_more(service: Service) -> None:
    with api_client(service, AccessSettings(read_token=READ)) as client:
        response = client.post("/login", content=b"token=" + b"x" * MAX_STRANGER_BODY)
        assert "larger than 10,000 bytes" in problem_text(response, 413)


def test_strangers_must_send_it_soon(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tlogic.serving.web.request_limits.STRANGER_BODY_SECONDS", 0.2)
    with served(service, AccessSettings(read_token=READ)) as url:
        address = ("127.0.0.1", int(url.rpartition(":")[2]))
        with socket.create_connection(address, timeout=PATIENCE) as slow:
            slow.sendall(b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\ntoken=")
            assert b" 408 " in slow.recv(1000)


def test_a_polling_session_of_the_page_answers_large_posts(tmp_path: Path) -> None:
    polling = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    with (
        sample_service(str(tmp_path / "events.db")) as service,
        served(service, OPEN, page=True) as url,
        http_client(url) as client,
    ):
        session = json.loads(client.get(polling).text[1:])["sid"]
        response = client.post(f"{polling}&sid={session}", content=b"4" * (MAX_PAGE_BODY + 1))
        assert "larger than 1,000,000 bytes" in problem_text(response, 413)


# Clients that leave


def test_work_stops_when_the_client_leaves(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[bool] = []

    def slowly(_queries: object, _top: int, limit: TimeLimit) -> None:
        try:
            while True:
                limit.check()
                time.sleep(0.01)
        except TimeLimitError:
            stopped.append(True)
            raise

    monkeypatch.setattr(service, "forecasts", slowly)
    with served(service, AccessSettings(timeout=3600.0)) as url:
        for request in (
            {"method": "GET", "url": "/api/forecast", "params": QUERY},
            {
                "method": "POST",
                "url": "/api/forecasts",
                "json": {"questions": [{"subject": "Kite Aviation", "relation": "sue"}]},
            },
        ):
            stopped.clear()
            with httpx.Client(base_url=url, timeout=0.5) as client, pytest.raises(httpx.TimeoutException):
                client.request(**request)  # type: ignore[arg-type]
            wait_until(lambda: stopped == [True])
