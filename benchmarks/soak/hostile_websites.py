"""Another website in a real browser: requests, forms, images, web sockets and DNS rebinding against a service."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import tlogic
from benchmarks.soak.record import Budget, Record
from benchmarks.soak.service_process import ServiceProcess
from tlogic.rules import parse_rule
from tlogic.serving import Client

if TYPE_CHECKING:
    from playwright.sync_api import Page

PROMISE = "Another website in the browser of a user (Chromium) reads nothing, writes nothing and opens no web socket."
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_EVIL = "evil.example"
_EVENT = '{"events": [{"subject": "evil", "relation": "was", "object": "here", "time": "2030-01-01"}]}'

# Each script gets the address of the service and returns whether the attack succeeded as far as the website can tell.
_ATTACKS = {
    "read": "url => fetch(url + '/api/versions').then(r => r.ok, () => false)",
    "read without CORS": "url => fetch(url + '/api/versions', {mode: 'no-cors'})"
    ".then(response => response.type !== 'opaque', () => false)",
    "write JSON": f"url => fetch(url + '/api/events', {{method: 'POST', body: '{_EVENT}', "
    "headers: {'Content-Type': 'application/json'}}).then(r => r.ok, () => false)",
    "write as text": f"url => fetch(url + '/api/events', {{method: 'POST', mode: 'no-cors', body: '{_EVENT}', "
    "headers: {'Content-Type': 'text/plain'}}).then(() => false, () => false)",
    "learn": "url => fetch(url + '/api/learn', {method: 'POST', mode: 'no-cors'}).then(() => false, () => false)",
    "image": "url => new Promise(done => { const image = new Image(); image.onload = () => done(true); "
    "image.onerror = () => done(false); image.src = url + '/api/versions'; })",
    "web socket": "url => new Promise(done => { const socket = new WebSocket(url.replace('http', 'ws') + "
    "'/_nicegui_ws/socket.io/?EIO=4&transport=websocket'); socket.onopen = () => done(true); "
    "socket.onerror = () => done(false); setTimeout(() => done(false), 30000); })",
}

# What the page of the service itself may do, which shows that the scripts and the service work.
_CONTROLS = ("read", "web socket")
_CONTROL_SECONDS = 120.0


def measure(budget: Budget) -> Record:
    """Run all attacks in each round, and check after it that nothing was written."""
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        return Record(PROMISE, "not measured", note=f"none of {', '.join(_BROWSERS)} is installed")
    attempts, succeeded = 0, list[str]()
    with _service() as service, _website() as port, _page(found) as page, Client(service.url) as client:
        client.add([("Ann", "meet", "Bob", "2030-01-01"), ("Bob", "meet", "Ann", "2030-01-02")])
        succeeded += _failed_controls(page, service.url)
        for _ in budget.rounds():
            page.goto(f"http://{_EVIL}:{port}/")
            succeeded += [name for name, script in _ATTACKS.items() if page.evaluate(script, service.url)]
            rebound = page.goto(f"http://{_EVIL}:{service.port}/api/versions")  # the name leads to this machine, too
            succeeded += ["DNS rebinding"] * bool(rebound and rebound.ok)
            succeeded += ["an event was written"] * bool(client.entities("evil"))
            attempts += len(_ATTACKS) + 1
        succeeded += _failed_controls(page, service.url)  # attacks on a service that is gone show nothing
    return Record(PROMISE, f"{attempts:,} attempts of {len(_ATTACKS) + 1} kinds", len(succeeded), ", ".join(succeeded))


def _failed_controls(page: "Page", url: str) -> list[str]:
    """The controls that never succeeded. A busy machine may need several attempts."""
    from playwright.sync_api import Error

    end, missing = time.monotonic() + _CONTROL_SECONDS, list(_CONTROLS)
    while missing and time.monotonic() < end:
        with suppress(Error):
            page.goto(f"{url}/")
            missing = [name for name in missing if not page.evaluate(_ATTACKS[name], url)]
        time.sleep(min(1.0, len(missing)))
    return [f"control: {name}" for name in missing]


@contextmanager
def _service() -> Iterator[ServiceProcess]:
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder, "some.rules")
        tlogic.RuleSet((parse_rule("1/2 meet(X, Y, T2) <- visit(X, Y, T1)"),)).save(rules)
        service = ServiceProcess(str(Path(folder, "events.db")), rules, page=True)
        try:
            yield service
        finally:
            service.kill()


@contextmanager
def _website() -> Iterator[int]:
    """The port of a website with an empty page."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "index.html").write_text("<!doctype html><title>evil</title>")
        handler = partial(_Quiet, directory=folder)
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            yield server.server_port
            server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def _page(executable: str) -> Iterator["Page"]:
    """A page of a browser for which the name of the hostile website leads to this machine."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        rules = f"--host-resolver-rules=MAP {_EVIL} 127.0.0.1"
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", rules])
        yield browser.new_page()
        browser.close()
