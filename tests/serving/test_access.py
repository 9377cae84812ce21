"""Only those come in who may, not too often, not with too much; and nothing that is secret is seen in the log."""

import asyncio
import json
import logging
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from tests.serving.services import READ, WRITE, asking, client_of, problem_of, served
from tests.waiting import PATIENCE, wait_until
from tlogic.errors import SettingsError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.logs import JsonFormatter, log
from tlogic.serving.server import check_address, secrets_of
from tlogic.serving.web.authentication import COOKIE, ROLE, AccessSettings, AuthenticationMiddleware, Role, is_loopback
from tlogic.serving.web.request_limits import RateLimiter

BOTH = AccessSettings(read_token=READ, write_token=WRITE)
ASKED = {"subject": "Kite Aviation", "relation": "sue"}
EVENTS = {"events": [{"subject": "Kite Aviation", "relation": "sue", "object": "Orchard Foods", "time": "2030-04-01"}]}


@pytest.fixture(scope="module")
def guarded(service: Service) -> Iterator[str]:
    with served(service, BOTH) as url:
        yield url


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


# Tokens


@pytest.mark.parametrize("path", ["/api/forecast", "/api/nothing", "/openapi.json", "/metrics", "/", "/_nicegui/x"])
@pytest.mark.parametrize(
    "headers", [{}, bearer("a guess"), {"Authorization": "Bearer"}, {"Authorization": f"Basic {READ}"}]
)
def test_strangers_stay_outside(guarded: str, path: str, headers: dict[str, str]) -> None:
    with client_of(guarded, headers=headers) as stranger:
        response = stranger.get(path, params=ASKED)
    assert "Authorization: Bearer" in problem_of(response, 401)
    assert response.headers["www-authenticate"] == "Bearer"


def test_who_reads_may_not_write(guarded: str) -> None:
    with client_of(guarded, headers=bearer(READ)) as reader:
        assert reader.get("/api/forecast", params=ASKED).status_code == 200
        assert reader.post("/api/forecasts", json={"questions": [ASKED]}).status_code == 200
        for path in ("/api/events", "/api/learn", "/api/versions/1/use"):
            assert "for reading" in problem_of(reader.post(path, json=EVENTS), 403)


def test_who_writes_may_read(guarded: str) -> None:
    with client_of(guarded, headers=bearer(WRITE)) as writer:
        assert writer.get("/api/forecast", params=ASKED).status_code == 200
        assert writer.post("/api/events", json=EVENTS).status_code == 200


def test_nobody_writes_where_there_is_no_token_for_it(service: Service) -> None:
    with asking(service, AccessSettings(read_token=READ), READ) as api:
        assert "has a token for writing" in problem_of(api.post("/api/events", json=EVENTS), 403)


def test_health_is_open_and_tells_strangers_no_more_than_that(guarded: str) -> None:
    with client_of(guarded) as client:
        assert client.get("/health").json() == {"status": "ok"}
        assert schemas.Health(**client.get("/health", headers=bearer(READ)).json()).events > 0


@pytest.mark.parametrize("token", ["short", "with a blank in the middle", "with\nline\nbreaks\nin it", "ünïcödë" * 3])
def test_tokens_that_protect_little_or_cannot_be_sent_are_refused(token: str) -> None:
    with pytest.raises(SettingsError, match=r"secrets\.token_urlsafe") as caught:
        AccessSettings(read_token=token)
    assert token not in str(caught.value)
    assert READ not in repr(BOTH)


def test_a_guard_needs_limits() -> None:
    with pytest.raises(SettingsError, match="rate"):
        AccessSettings(rate=0)


# The login of the page


def test_a_browser_logs_in_and_keeps_a_cookie(guarded: str) -> None:
    with client_of(guarded) as browser:
        sent_away = browser.get("/", headers={"Accept": "text/html"})
        assert (sent_away.status_code, sent_away.headers["location"]) == (303, "/login")
        form = browser.get("/login")
        assert '<form method="post"' in form.text
        assert "<script" not in form.text
        wrong = browser.post("/login", data={"token": "a guess that is wrong"})
        assert wrong.status_code == 401
        assert not wrong.cookies
        done = browser.post("/login", data={"token": READ})
        assert (done.status_code, done.headers["location"]) == (303, "/")
        cookie = done.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert READ not in cookie
        assert browser.get("/api/forecast", params=ASKED).status_code == 200
        problem_of(browser.post("/api/learn"), 403)


def test_a_cookie_does_not_help_other_websites(guarded: str) -> None:
    with client_of(guarded, cookies={COOKIE: BOTH.cookie_of(Role.writer)}) as browser:
        assert browser.post("/api/events", json=EVENTS, headers={"Origin": guarded}).status_code == 200
        for origin in ("http://evil.example", "null", guarded + "1"):
            problem_of(browser.post("/api/events", json=EVENTS, headers={"Origin": origin}), 403)


# Without tokens


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", "[::", ""])
def test_without_tokens_other_names_are_refused(service: Service, host: str) -> None:
    with asking(service) as api:
        assert "TLOGIC_READ_TOKEN" in problem_of(api.get("/api/versions", headers={"Host": host}), 403)


def test_without_tokens_other_websites_cannot_write(service: Service) -> None:
    with asking(service) as api:
        evil = {"Origin": "http://evil.example"}
        for path in ("/api/events", "/api/learn", "/api/versions/1/use"):
            assert "another website" in problem_of(api.post(path, json=EVENTS, headers=evil), 403)
        form = api.post("/api/events", content=json.dumps(EVENTS), headers={"Content-Type": "text/plain"})
        assert "application/json" in problem_of(form, 415)
        assert api.post("/api/events", json=EVENTS, headers={"Origin": str(api.base_url).rstrip("/")}).is_success
        assert api.get("/login").headers["location"] == "/"


def test_only_addresses_of_this_machine_are_served_without_tokens() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "127.1.2.3", "::1", "LOCALHOST")] == [True] * 4
    for host in ("0.0.0.0", "::", "192.168.0.1", "example.org", ""):
        with pytest.raises(SettingsError, match="TLOGIC_READ_TOKEN"):
            check_address(host, AccessSettings())
        check_address(host, BOTH)


# Web sockets


def knock(access: AccessSettings, **headers: str) -> str:
    """What becomes of a web socket: the role it is let in with, or why it is not."""
    seen: list[str] = []

    async def page(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope[ROLE].name)

    async def send(message: Any) -> None:
        seen.append(f"{message['type']} {message['code']}")

    scope = {
        "type": "websocket",
        "path": "/_nicegui_ws/socket.io",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }
    asyncio.run(AuthenticationMiddleware(page, access)(scope, None, send))  # type: ignore[arg-type]
    return seen[0]


def test_the_web_socket_of_the_page_is_guarded_too() -> None:
    refused = "websocket.close 1008"
    cookie = f"{COOKIE}={BOTH.cookie_of(Role.reader)}"
    assert knock(BOTH, host="here", origin="http://here") == refused
    assert knock(BOTH, host="here", origin="http://here", cookie=f"{COOKIE}=guess") == refused
    assert knock(BOTH, host="here", origin="http://here", cookie=cookie) == "reader"
    assert knock(BOTH, host="here", origin="http://evil.example", cookie=cookie) == refused
    assert knock(AccessSettings(), host="localhost:1", origin="http://localhost:1") == "writer"
    assert knock(AccessSettings(), host="localhost:1", origin="http://evil.example") == refused
    assert knock(AccessSettings(), host="evil.example", origin="http://evil.example") == refused


# Limits


def test_too_many_requests_are_told_when_to_come_again(service: Service) -> None:
    with asking(service, AccessSettings(rate=0.01, burst=3)) as api:  # so slow that nothing is granted again meanwhile
        answers = [api.get("/api/versions") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        problem_of(answers[-1], 429)
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 100
        assert api.get("/health").status_code == 200


def test_guesses_are_counted_by_address(service: Service) -> None:
    with asking(service, AccessSettings(read_token=READ, rate=0.01, burst=4)) as api:
        tries = [api.get("/api/versions", headers=bearer(f"guess {n}")).status_code for n in range(3)]
        tries += [api.post("/login", data={"token": f"guess {n}"}).status_code for n in range(3)]
        assert tries == [401, 401, 401, 401, 429, 429]
        assert api.get("/api/versions", headers=bearer(READ)).status_code == 200


def test_those_who_ask_are_forgotten_in_time() -> None:
    rates = RateLimiter(per_second=1.0, burst=1)
    for number in range(30_000):
        rates.wait(str(number))
    assert len(rates) == 10_000


def test_large_bodies_are_refused_also_where_nobody_says_how_large_they_are(service: Service) -> None:
    small = AccessSettings(max_body=1000)

    def parts() -> Iterator[bytes]:
        for _ in range(50):
            yield b" " * 100

    json_type = {"Content-Type": "application/json"}
    with asking(service, small) as api:
        assert "1,000 bytes" in problem_of(api.post("/api/events", content=b" " * 1001, headers=json_type), 413)
        assert "1,000 bytes" in problem_of(api.post("/api/events", content=parts(), headers=json_type), 413)
        assert api.post("/api/events", json=EVENTS).status_code == 200


def test_a_body_that_does_not_come_is_not_waited_for(service: Service) -> None:
    with served(service, AccessSettings(timeout=0.3)) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as slow:
            slow.sendall(
                b"POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b'Content-Length: 500\r\n\r\n{"events"'
            )
            assert b" 408 " in slow.recv(1000)


def test_an_answer_that_takes_too_long_is_given_up(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Event()
    monkeypatch.setattr(service, "outlook", lambda *_: go_on.wait(PATIENCE))
    with asking(service, AccessSettings(timeout=0.3)) as api:
        try:
            began = time.monotonic()
            late = api.get("/api/outlook", params={"entity": "Kite Aviation"})
            assert time.monotonic() - began < AccessSettings().timeout / 2  # so it is not the usual one
            wait_until(lambda: api.get("/health").status_code == 200)  # which a busy machine may also give too late
        finally:
            go_on.set()
    assert "no answer in time" in problem_of(late, 504)


def test_no_work_goes_on_for_long_that_nobody_waits_for(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    answered: list[int] = []

    def slowly(questions: list[schemas.Query], _top: int) -> list[schemas.Forecast]:
        time.sleep(0.2)
        answered.append(len(questions))
        return []

    monkeypatch.setattr(service, "forecasts", slowly)
    with asking(service, AccessSettings(timeout=0.5)) as api:
        problem_of(api.post("/api/forecasts", json={"questions": [ASKED] * 1000}), 504)
        time.sleep(1.0)
    assert sum(answered) <= 100


def test_no_more_work_at_once_than_there_is_room_for(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, outlook, n_slots, n_asked = Event(), service.outlook, 4, 60
    monkeypatch.setattr("tlogic.serving.web.web_app._SLOTS_PER_CORE", 1)
    monkeypatch.setattr("tlogic.serving.web.web_app.thread_count", lambda _: n_slots)
    monkeypatch.setattr(service, "outlook", lambda *_: go_on.wait(PATIENCE) and outlook("Kite Aviation"))
    with asking(service, AccessSettings(patience=0.2)) as api, ThreadPoolExecutor(n_asked) as pool:
        asked = [pool.submit(api.get, "/api/outlook", params={"entity": "x"}) for _ in range(n_asked)]
        try:
            wait_until(lambda: sum(each.done() for each in asked) >= n_asked - n_slots)
            assert api.get("/health").status_code == 200  # though nobody has a slot
            assert api.post("/api/events", json=EVENTS).status_code == 200
        finally:
            go_on.set()
        answers = [each.result() for each in asked]
    busy = [answer for answer in answers if answer.status_code != 200]
    assert len(busy) == n_asked - n_slots
    assert all("busy" in problem_of(answer, 503) for answer in busy)


# Headers and logs


def test_browsers_are_told_to_be_careful(service: Service) -> None:
    with asking(service) as api:
        for path in ("/health", "/api/nothing", "/login"):
            headers = api.get(path).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert api.get("/health").headers["content-security-policy"].startswith("default-src 'none'")


def test_the_log_tells_of_requests_and_holds_no_secrets(service: Service) -> None:
    lines: list[str] = []
    handler = logging.Handler()
    handler.setFormatter(JsonFormatter(secrets_of(BOTH, "postgresql://ann:p%40ssword@host/events")))
    handler.emit = lambda record: lines.append(handler.format(record))  # type: ignore[method-assign]
    loggers = [log, logging.getLogger("uvicorn")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        with served(service, BOTH) as url, client_of(url) as client:
            client.get("/api/forecast", params={**ASKED, "token": READ}, headers=bearer(WRITE))
            client.post("/login", data={"token": WRITE})
            client.get("/api/versions")
            log.error("cannot reach postgresql://ann:p%%40ssword@host (p@ssword)")
            logging.getLogger("uvicorn.error").info('"WebSocket /_nicegui_ws/?client_id=abc" [accepted]')
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
    told = [json.loads(line) for line in lines]
    request = next(each for each in told if each.get("path") == "/api/forecast")
    assert (request["level"], request["event"], request["method"]) == ("info", "request", "GET")
    assert (request["status"], request["client"]) == (200, "127.0.0.1")
    assert request["milliseconds"] > 0
    assert len(request["request"]) == 16
    for secret in (READ, WRITE, BOTH.cookie_of(Role.writer), "p@ssword", "p%40ssword", "client_id=abc"):
        assert secret not in "\n".join(lines)


def test_the_log_tells_of_threads_that_fail() -> None:
    code = (
        "import threading; from tlogic.serving.logs import configure_logs; configure_logs(['hunter2']);"
        "threading.Thread(target=lambda: 1 / len('') or 'hunter2', name='learning').start()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    told = json.loads(done.stderr)
    assert (told["level"], told["event"], told["thread"]) == ("error", "a thread failed", "learning")
    assert "ZeroDivisionError" in told["exception"]
    assert "hunter2" not in done.stderr
