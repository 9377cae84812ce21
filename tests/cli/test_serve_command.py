"""`tlogic serve` as a process: acknowledged events survive, signals stop it cleanly, options are checked."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import httpx
import pytest
from playwright.sync_api import Browser

from tests.browser import PATIENCE_MS
from tests.cli.running import COMMAND, assert_refused, run, run_process
from tests.waiting import PATIENCE, wait_until
from tlogic.errors import SettingsError
from tlogic.serving import Client, EventStore

READ, WRITE = "a-token-for-reading", "a-token-for-writing"


@pytest.fixture
def store(world: Path, tmp_path: Path) -> Path:
    """A store with the events of the sample world."""
    path = tmp_path / "events.db"
    done = run("ingest", world, "--store", path, "--quiet")
    assert done.returncode == 0, done.stderr
    return path


class Served:
    """A running `tlogic serve` process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._first: Queue[str] = Queue()
        self._reading = Thread(target=self._read, daemon=True)
        self._reading.start()
        self._logs: list[str] = []
        self._logging = Thread(target=lambda: self._logs.extend(process.stderr or ()), daemon=True)
        self._logging.start()
        self.url = self._address()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.lines.append(line)
            self._first.put(line)

    def _address(self) -> str:
        try:
            return self._first.get(timeout=PATIENCE).split()[-1]
        except Empty:
            self.process.kill()
            raise AssertionError(f"it does not begin: {''.join(self._logs)}") from None

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        code = self.process.wait(timeout=PATIENCE)
        self._logging.join()
        self._reading.join()
        return code

    @property
    def logs(self) -> str:
        return "".join(self._logs)


@contextmanager
def serving(*arguments: object, command: str = "serve", **environment: str) -> Iterator[Served]:
    words = [*COMMAND, command, *map(str, arguments), "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, text=True, env=os.environ | environment, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield Served(process)
        finally:
            process.kill()


def newcomer(number: int) -> tuple[str, str, str, str]:
    return ("Kite Aviation", "sue", f"Newcomer {number}", "2031-03-30")


def test_acknowledged_events_survive_a_kill(store: Path, rule_file: Path) -> None:
    with serving("--store", store, "--rules", rule_file, "--no-page") as service, Client(service.url) as client:
        for number in range(5):
            client.add([newcomer(number)])
        answer = client.forecast("Kite Aviation", "sue")
        assert service.end(signal.SIGKILL) == -signal.SIGKILL
    with serving("--store", store, "--rules", rule_file, "--no-page") as service, Client(service.url) as client:
        found = [fact.object for fact in client.events("Kite Aviation") if fact.object.startswith("Newcomer")]
        assert sorted(found) == [f"Newcomer {number}" for number in range(5)]
        assert client.forecast("Kite Aviation", "sue") == answer


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_after_running_requests(store: Path, rule_file: Path, how: signal.Signals) -> None:
    questions = [{"subject": "Kite Aviation", "relation": "sue", "at": f"2031-03-{day:02}"} for day in range(1, 26)]
    body = json.dumps({"questions": questions * 40}).encode()

    with serving("--store", store, "--rules", rule_file, "--no-page") as service, ThreadPoolExecutor(2) as pool:
        host, port = service.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
            head = f"POST /api/forecasts HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            connection.sendall(f"{head}Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n".encode())
            assert b"100 Continue" in connection.recv(1000)  # the request is running
            ended = pool.submit(service.end, how)
            while True:  # until it takes no more connections
                try:
                    socket.create_connection((host, int(port)), timeout=1).close()
                except OSError:
                    break
            connection.sendall(body)
            answer = connection.makefile("rb").read()
        assert ended.result() == 0
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert len(json.loads(answer.partition(b"\r\n\r\n")[2])) == 1000
    assert "Traceback" not in service.logs
    events = [json.loads(line)["event"] for line in service.logs.splitlines() if line.startswith("{")]
    assert events[0] == "serving"
    assert events[-1] == "stopped"


def test_tokens_come_from_the_environment_or_a_file_and_are_never_logged(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{WRITE}\n")
    arguments = ["--store", store, "--write-token-file", file, "--host", "0.0.0.0", "--no-page"]
    with serving(*arguments, TLOGIC_READ_TOKEN=READ) as service:
        url = service.url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}/api/versions", timeout=PATIENCE).status_code == 401
        with Client(url, READ) as reader, Client(url, WRITE) as writer:
            assert reader.health().version == 1  # the rules that it learned
            assert writer.add([newcomer(1)]).added == 1
        assert service.end(signal.SIGTERM) == 0
        assert READ not in service.logs + "".join(service.lines)
        assert WRITE not in service.logs + "".join(service.lines)


def test_two_services_share_a_store(store: Path, rule_file: Path) -> None:
    arguments = ["--store", store, "--rules", rule_file, "--no-page"]
    with serving(*arguments) as one, serving(*arguments) as two, Client(one.url) as first, Client(two.url) as second:
        first.add([newcomer(1)])
        wait_until(lambda: second.health().last == "2031-03-30")
        assert second.forecast("Kite Aviation", "sue") == first.forecast("Kite Aviation", "sue")
        assert [version.version for version in second.versions()] == [1]


def test_serving_a_model(store: Path, model_file: Path) -> None:
    with serving("--store", store, "--model", model_file, "--no-page") as service, Client(service.url) as client:
        answer = client.forecast("Kite Aviation", "sue")
        assert answer.by == "model"
        best = answer.candidates[0]
        assert client.explain("Kite Aviation", "sue", candidate=best.name).probability == best.probability
        assert client.outlook("Kite Aviation", top=2, explain=True).events[0].explanation
        assert [rule.head for rule in islice(client.rules(head="sue"), 2)] == ["sue", "sue"]


def test_login_to_the_page(store: Path, rule_file: Path, browser: Browser) -> None:
    arguments = ["--store", store, "--rules", rule_file]
    with serving(*arguments, TLOGIC_READ_TOKEN=READ) as service, browser.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        page, refused = context.new_page(), []
        page.on("console", lambda message: refused.append(message.text) if "Policy" in message.text else None)
        page.goto(service.url)
        assert page.url == f"{service.url}/login"
        page.fill("#token", READ)
        page.click("button")
        page.wait_for_url(f"{service.url}/")
        page.get_by_text("Kite Aviation").first.wait_for()  # arrives over the web socket
        assert refused == []
        assert service.end(signal.SIGTERM) == 0  # although a page is open


def test_the_demo_serves_the_sample_world() -> None:
    with serving("--serve", "--no-browser", command="demo") as service, Client(service_url(service)) as client:
        assert client.health().events == 11_751
        assert client.forecast("Kite Aviation", "sue").by == "model"
        assert httpx.get(service_url(service), follow_redirects=True, timeout=PATIENCE).status_code == 200
        assert service.end(signal.SIGTERM) == 0


def service_url(service: Served) -> str:
    return next(word.rstrip(";") for word in service.lines[0].split() if word.startswith("http"))


def test_invalid_options_are_reported(store: Path, rule_file: Path, tmp_path: Path) -> None:
    assert_refused(run("serve", "--store", store, "--host", "0.0.0.0"), "TLOGIC_READ_TOKEN")
    assert_refused(run("serve", "--store", store, TLOGIC_READ_TOKEN="short"), "The read token must have at least 16")
    assert_refused(run("serve", "--store", store, "--read-token-file", tmp_path / "none"), "cannot be read")
    assert_refused(run("serve", "--store", store, "--rules", rule_file, "--model", rule_file), "Found both --rules and")
    assert_refused(run("serve", "--store", store, "--model", rule_file), f"give it as --rules {rule_file}")
    assert_refused(run("serve", "--store", store, "--learn-every", "1mo"), "such as 30m, 24h or 7d")
    assert_refused(run("serve", "--store", tmp_path / "empty.db"), f"tlogic ingest DATA --store {tmp_path}/empty.db")
    assert not (tmp_path / "empty.db").exists()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert_refused(run("serve", "--store", store, "--rules", rule_file, "--port", port), "choose another --port")
    with EventStore.open(store) as opened:
        assert not opened.versions()  # a service that cannot listen changes nothing


def test_one_token_for_reading_and_writing_gives_a_warning(tmp_path: Path) -> None:
    def warnings(**tokens: str) -> list[str]:
        done = run("serve", "--store", tmp_path / "empty.db", "--port", 0, **tokens)
        assert done.returncode == 2
        return [line for line in done.stderr.splitlines() if "The read token equals the write token" in line]

    assert len(warnings(TLOGIC_READ_TOKEN=READ, TLOGIC_WRITE_TOKEN=READ)) == 1
    assert not warnings(TLOGIC_READ_TOKEN=READ, TLOGIC_WRITE_TOKEN=WRITE)
    assert not warnings(TLOGIC_READ_TOKEN=READ)
    assert not warnings()


def test_a_missing_package_is_reported(store: Path, tmp_path: Path) -> None:
    (tmp_path / "fastapi.py").write_text("raise ImportError('No module named fastapi')")
    done = run_process("serve", "--store", store, PYTHONPATH=str(tmp_path))
    assert_refused(done, "pip install 'tlogic[serve]'")


def test_intervals_are_parsed() -> None:
    from tlogic.cli.serve import seconds_of

    assert [seconds_of(time) for time in ("30s", "15m", "24h", "7d")] == [30, 900, 86_400, 604_800]
    with pytest.raises(SettingsError):
        seconds_of("5")
