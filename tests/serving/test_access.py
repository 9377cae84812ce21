"""Authentication, request limits and logs: tokens, cookies, origins, rate, size, time, and no secrets in the log."""

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
from unittest.mock import Mock

import pytest
from starlette.requests import HTTPConnection

from tests.serving.services import READ, WRITE, api_client, http_client, problem_text, served
from tests.waiting import PATIENCE, wait_until
from tlogic.errors import SettingsError
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.time_limit import TimeLimit
from tlogic.serving.logs import JsonFormatter, log
from tlogic.serving.server import check_address, secrets_of
from tlogic.serving.web.authentication import COOKIE, AuthenticationMiddleware, GuessLimiter, is_loopback
from tlogic.serving.web.problems import ProblemError
from tlogic.serving.web.rate_limit import RateLimiter
from tlogic.serving.web.settings import ROLE, AccessSettings, Role

BOTH = AccessSettings(read_token=READ, write_token=WRITE)
QUERY = {"subject": "Kite Aviation", "relation": "sue"}
EVENTS = {"events": [{"subject": "Kite Aviation", "relation": "sue", "object": "Orchard Foods", "time": "2030-04-01"}]}


@pytest.fixture(scope="module")
def secured_url(service: Service) -> Iterator[str]:
    with served(service, BOTH) as url:
        yield url


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


# Tokens


@pytest.mark.parametrize(
    "path",
    [
        "/api/forecast",
        "/api/outlook",
        "/api/surprises",
        "/api/changes",
        "/api/backtest",
        "/api/nothing",
        "/openapi.json",
        "/metrics",
        "/",
        "/_nicegui/x",
    ],
)
@pytest.mark.parametrize(
    "headers", [{}, bearer("a guess"), {"Authorization": "Bearer"}, {"Authorization": f"Basic {READ}"}]
)
def test_requests_without_a_valid_token_are_refused(secured_url: str, path: str, headers: dict[str, str]) -> None:
    with http_client(secured_url, headers=headers) as client:
        response = client.get(path, params=QUERY)
    assert "Authorization: Bearer" in problem_text(response, 401)
    assert response.headers["www-authenticate"] == "Bearer"


def test_the_read_token_does_not_allow_writing(secured_url: str) -> None:
    with http_client(secured_url, headers=bearer(READ)) as reader:
        assert reader.get("/api/forecast", params=QUERY).status_code == 200
        assert reader.post("/api/forecasts", json={"questions": [QUERY]}).status_code == 200
        assert "Rules are in use" in problem_text(reader.post("/api/outlook", json={"triples": [{}]}), 400)
        for path in ("/api/events", "/api/learn", "/api/versions/1/use"):
            assert "needs the write token" in problem_text(reader.post(path, json=EVENTS), 403)


def test_the_write_token_allows_reading(secured_url: str) -> None:
    with http_client(secured_url, headers=bearer(WRITE)) as writer:
        assert writer.get("/api/forecast", params=QUERY).status_code == 200
        assert writer.post("/api/events", json=EVENTS).status_code == 200


def test_without_a_write_token_writing_is_refused(service: Service) -> None:
    with api_client(service, AccessSettings(read_token=READ), READ) as api:
        assert "has no write token" in problem_text(api.post("/api/events", json=EVENTS), 403)


def test_health_needs_no_token_but_then_returns_only_the_status(secured_url: str) -> None:
    with http_client(secured_url) as client:
        assert client.get("/health").json() == {"status": "ok"}
        assert schemas.Health(**client.get("/health", headers=bearer(READ)).json()).events > 0


@pytest.mark.parametrize("token", ["short", "with a blank in the middle", "with\nline\nbreaks\nin it", "ünïcödë" * 3])
def test_weak_or_unsendable_tokens_are_refused(token: str) -> None:
    with pytest.raises(SettingsError, match=r"secrets\.token_urlsafe") as caught:
        AccessSettings(read_token=token)
    assert token not in str(caught.value)
    assert READ not in repr(BOTH)


def test_limits_must_be_positive() -> None:
    with pytest.raises(SettingsError, match="rate"):
        AccessSettings(rate=0)


# Login


def test_login_sets_a_cookie(secured_url: str) -> None:
    with http_client(secured_url) as browser:
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
        assert browser.get("/api/forecast", params=QUERY).status_code == 200
        problem_text(browser.post("/api/learn"), 403)


def test_a_cookie_does_not_allow_cross_site_requests(secured_url: str) -> None:
    with http_client(secured_url, cookies={COOKIE: BOTH.cookie_of(Role.writer)}) as browser:
        assert browser.post("/api/events", json=EVENTS, headers={"Origin": secured_url}).status_code == 200
        for origin in ("http://evil.example", "null", secured_url + "1"):
            problem_text(browser.post("/api/events", json=EVENTS, headers={"Origin": origin}), 403)


# Without tokens


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", "[::", ""])
def test_without_tokens_foreign_host_names_are_refused(service: Service, host: str) -> None:
    with api_client(service) as api:
        assert "TLOGIC_READ_TOKEN" in problem_text(api.get("/api/versions", headers={"Host": host}), 403)


def test_without_tokens_cross_site_writes_are_refused(service: Service) -> None:
    with api_client(service) as api:
        evil = {"Origin": "http://evil.example"}
        for path in ("/api/events", "/api/learn", "/api/versions/1/use"):
            assert "another website" in problem_text(api.post(path, json=EVENTS, headers=evil), 403)
        form = api.post("/api/events", content=json.dumps(EVENTS), headers={"Content-Type": "text/plain"})
        assert "application/json" in problem_text(form, 415)
        assert api.post("/api/events", json=EVENTS, headers={"Origin": str(api.base_url).rstrip("/")}).is_success
        assert api.get("/login").headers["location"] == "/"


def test_other_websites_cannot_request_views_or_the_api_in_the_background(service: Service) -> None:
    fetch = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    click = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-User": "?1"}
    with api_client(service) as api:
        for path in ("/", "/ask", "/api/versions"):
            for site in ("cross-site", "same-site"):
                refused = api.get(path, headers=fetch | {"Sec-Fetch-Site": site})
                assert "another website" in problem_text(refused, 403)
            frame = click | {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}
            problem_text(api.get(path, headers=frame), 403)
        for headers in (fetch | {"Sec-Fetch-Site": "same-origin"}, click | {"Sec-Fetch-Site": "cross-site"}):
            assert api.get("/api/versions", headers=headers).status_code == 200


def test_without_tokens_only_loopback_addresses_are_allowed() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "127.1.2.3", "::1", "LOCALHOST")] == [True] * 4
    for host in ("0.0.0.0", "::", "192.168.0.1", "example.org", ""):
        with pytest.raises(SettingsError, match="TLOGIC_READ_TOKEN"):
            check_address(host, AccessSettings())
        check_address(host, BOTH)


# Web sockets


def open_web_socket(access: AccessSettings, **headers: str) -> str:
    """The role of an accepted web socket, or the close code of a refused one."""
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


def test_web_sockets_are_authenticated() -> None:
    refused = "websocket.close 1008"
    cookie = f"{COOKIE}={BOTH.cookie_of(Role.reader)}"
    assert open_web_socket(BOTH, host="here", origin="http://here") == refused
    assert open_web_socket(BOTH, host="here", origin="http://here", cookie=f"{COOKIE}=guess") == refused
    assert open_web_socket(BOTH, host="here", origin="http://here", cookie=cookie) == "reader"
    assert open_web_socket(BOTH, host="here", origin="http://evil.example", cookie=cookie) == refused
    assert open_web_socket(AccessSettings(), host="localhost:1", origin="http://localhost:1") == "writer"
    assert open_web_socket(AccessSettings(), host="localhost:1", origin="http://evil.example") == refused
    assert open_web_socket(AccessSettings(), host="evil.example", origin="http://evil.example") == refused


# Limits


def test_too_many_requests_get_a_retry_time(service: Service) -> None:
    slow = AccessSettings(rate=0.01, burst=3)  # so slow that no further request is granted during the test
    with api_client(service, slow) as api:
        answers = [api.get("/api/versions") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        problem_text(answers[-1], 429)
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 100
        assert api.get("/health").status_code == 200


def test_views_of_the_page_are_limited_but_not_its_files(service: Service) -> None:
    with api_client(service, AccessSettings(rate=0.01, burst=2)) as api:
        assert [api.get(path).status_code for path in ("/", "/ask", "/rules")][2:] == [429]
        assert api.get("/_nicegui/x").status_code != 429


def test_invalid_tokens_are_limited_by_address(service: Service) -> None:
    with api_client(service, AccessSettings(read_token=READ, rate=0.01, burst=4)) as api:
        tries = [api.get("/api/versions", headers=bearer(f"guess {n}")).status_code for n in range(3)]
        tries += [api.post("/login", data={"token": f"guess {n}"}).status_code for n in range(3)]
        assert tries == [401, 401, 401, 401, 429, 429]
        assert api.get("/api/versions", headers=bearer(READ)).status_code == 200


@pytest.mark.parametrize(("proxies", "statuses"), [((), [401, 401, 429, 429]), (("127.0.0.1",), [401, 401, 401, 401])])
def test_only_trusted_proxies_name_the_client(service: Service, proxies: tuple[str, ...], statuses: list[int]) -> None:
    with api_client(service, AccessSettings(read_token=READ, rate=0.01, burst=2, trusted_proxies=proxies)) as api:
        found = [api.get("/api/versions", headers={"X-Forwarded-For": f"10.0.0.{n}"}).status_code for n in range(4)]
        assert found == statuses
        done = api.post("/login", data={"token": READ}, headers={"X-Forwarded-Proto": "https"})
        assert ("Secure" in done.headers["set-cookie"]) == bool(proxies)


def test_a_trusted_proxy_is_an_address() -> None:
    AccessSettings(trusted_proxies=("10.0.0.0/8", "::1"))
    with pytest.raises(SettingsError, match=r"'proxy\.example' is no address"):
        AccessSettings(trusted_proxies=("proxy.example",))


def test_strangers_use_up_nothing_that_others_at_their_address_need(service: Service) -> None:
    with api_client(service, AccessSettings(read_token=READ, rate=0.01, burst=3)) as api:
        for _ in range(10):
            guessed = [api.get("/api/versions", headers=bearer("a guess")), api.post("/login", data={"token": "guess"})]
            assert api.get("/health").json() == {"status": "ok"}
            assert api.get("/login").status_code == 200
        assert [answer.status_code for answer in guessed] == [429, 429]
        assert api.post("/login", data={"token": READ}).status_code == 303
        assert api.get("/api/versions", headers=bearer(READ)).status_code == 200


def test_many_strangers_cost_one_check_per_second(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    health = Mock(side_effect=service.health)
    monkeypatch.setattr(service, "health", health)
    began = time.monotonic()
    with api_client(service, AccessSettings(read_token=READ)) as api:
        for _ in range(100):
            assert api.get("/health").json() == {"status": "ok"}
    assert health.call_count <= 2 + time.monotonic() - began


def test_guesses_from_one_ipv6_network_are_counted_together() -> None:
    limiter = GuessLimiter(AccessSettings(read_token=READ, rate=0.01, burst=2))

    def guess(host: str) -> None:
        limiter.count(HTTPConnection({"type": "http", "headers": [], "client": (host, 1)}))

    guess("2001:db8::1")
    guess("2001:db8::2")
    guess("2001:db8:0:1::1")
    with pytest.raises(ProblemError, match="Too many requests"):
        guess("2001:db8::3")


def test_the_rate_limiter_forgets_old_clients() -> None:
    limiter = RateLimiter(per_second=1.0, burst=1)
    for number in range(30_000):
        limiter.wait(str(number))
    assert len(limiter) == 10_000


def test_large_bodies_are_refused_with_and_without_content_length(service: Service) -> None:
    small = AccessSettings(max_body=1000)

    def parts() -> Iterator[bytes]:
        for _ in range(50):
            yield b" " * 100

    json_type = {"Content-Type": "application/json"}
    with api_client(service, small) as api:
        assert "1,000 bytes" in problem_text(api.post("/api/events", content=b" " * 1001, headers=json_type), 413)
        assert "1,000 bytes" in problem_text(api.post("/api/events", content=parts(), headers=json_type), 413)
        assert api.post("/api/events", json=EVENTS).status_code == 200


def test_a_slow_body_times_out(service: Service) -> None:
    with served(service, AccessSettings(timeout=0.3)) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as slow:
            slow.sendall(
                b"POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b'Content-Length: 500\r\n\r\n{"events"'
            )
            assert b" 408 " in slow.recv(1000)


def test_a_slow_response_times_out(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Event()
    monkeypatch.setattr(service, "events", lambda *_: go_on.wait(PATIENCE))
    with api_client(service, AccessSettings(timeout=0.3)) as api:
        try:
            began = time.monotonic()
            late = api.get("/api/events", params={"entity": "Kite Aviation"})
            assert time.monotonic() - began < AccessSettings().timeout / 2  # shorter than the default time limit
            wait_until(lambda: api.get("/health").status_code == 200)  # may also time out on a busy machine
        finally:
            go_on.set()
    assert "timed out" in problem_text(late, 504)


def test_a_batch_stops_after_its_timeout(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    answered: list[int] = []

    def slowly(questions: list[schemas.Query], _top: int, _limit: TimeLimit) -> list[schemas.Forecast]:
        time.sleep(0.2)
        answered.append(len(questions))
        return []

    monkeypatch.setattr(service, "forecasts", slowly)
    with api_client(service, AccessSettings(timeout=0.5)) as api:
        problem_text(api.post("/api/forecasts", json={"questions": [QUERY] * 1000}), 504)
        time.sleep(1.0)
    assert sum(answered) <= 100


def test_the_number_of_concurrent_requests_is_limited(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, events, n_slots, n_requests = Event(), service.events, 4, 60
    monkeypatch.setattr("tlogic.serving.web.web_app._SLOTS_PER_CORE", 1)
    monkeypatch.setattr("tlogic.serving.web.web_app.thread_count", lambda _: n_slots)
    monkeypatch.setattr(service, "events", lambda *given: go_on.wait(PATIENCE) and events(*given))
    with api_client(service, AccessSettings(queue_timeout=0.2)) as api, ThreadPoolExecutor(n_requests) as pool:
        futures = [pool.submit(api.get, "/api/events", params={"entity": "Kite Aviation"}) for _ in range(n_requests)]
        try:
            wait_until(lambda: sum(each.done() for each in futures) >= n_requests - n_slots)
            assert api.get("/health").status_code == 200  # needs no slot
            assert api.post("/api/events", json=EVENTS).status_code == 200
        finally:
            go_on.set()
        answers = [each.result() for each in futures]
    busy = [answer for answer in answers if answer.status_code != 200]
    assert len(busy) == n_requests - n_slots
    assert all("busy" in problem_text(answer, 503) for answer in busy)


# Headers and logs


def test_responses_have_security_headers(service: Service) -> None:
    with api_client(service) as api:
        for path in ("/health", "/api/nothing", "/login"):
            headers = api.get(path).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert api.get("/health").headers["content-security-policy"].startswith("default-src 'none'")


def test_the_log_contains_requests_and_no_secrets(service: Service) -> None:
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
        with served(service, BOTH) as url, http_client(url) as client:
            client.get("/api/forecast", params={**QUERY, "token": READ}, headers=bearer(WRITE))  # an unknown parameter
            client.post("/login", data={"token": WRITE})
            client.get("/api/versions")
            log.error("cannot reach postgresql://ann:p%%40ssword@host (p@ssword)")
            logging.getLogger("uvicorn.error").info('"WebSocket /_nicegui_ws/?client_id=abc" [accepted]')
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
    records = [json.loads(line) for line in lines]
    request = next(each for each in records if each.get("path") == "/api/forecast")
    assert (request["level"], request["event"], request["method"]) == ("info", "request", "GET")
    assert (request["status"], request["client"]) == (422, "127.0.0.1")
    assert request["milliseconds"] > 0
    assert len(request["request"]) == 16
    for secret in (READ, WRITE, BOTH.cookie_of(Role.writer), "p@ssword", "p%40ssword", "client_id=abc"):
        assert secret not in "\n".join(lines)


def test_the_log_contains_failed_threads() -> None:
    code = (
        "import threading; from tlogic.serving.logs import configure_logs; configure_logs(['hunter2']);"
        "threading.Thread(target=lambda: 1 / len('') or 'hunter2', name='learning').start()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    record = json.loads(done.stderr)
    assert (record["level"], record["event"], record["thread"]) == ("error", "a thread failed", "learning")
    assert "ZeroDivisionError" in record["exception"]
    assert "hunter2" not in done.stderr
