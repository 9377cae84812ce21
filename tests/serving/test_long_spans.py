"""One event at an absurd time neither ends a service nor keeps it from starting."""

import subprocess
import sys
from pathlib import Path

import pytest

from tlogic.errors import InputError
from tlogic.forecasting.live_forecaster import LiveFallback
from tlogic.graph.arrays import Floats, Ints
from tlogic.serving.startup import open_service, warm_up
from tlogic.serving.store.encoded_events import Timeline, check_events
from tlogic.serving.store.event_store import EventStore

LONG_AGO = -2_000_000_000
EVENTS = [(f"p{day % 7}", "calls", f"p{(day + 1) % 7}", day) for day in range(300)]
# In a process of its own: memory that is reserved for each time step would be 16 GB or more.
SCRIPT = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
from tlogic.serving.schemas import Query
from tlogic.serving.startup import open_service, warm_up
from pathlib import Path
service = open_service(sys.argv[1], rules=Path(sys.argv[2]) if len(sys.argv) > 2 else None)
warm_up(service)
print(service.forecast(Query(subject="p1", relation="calls"), 1).candidates[0].name)
print(len(service.expected_events("p1").expected) > 0)
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with an event long ago, which an earlier version accepted."""
    with EventStore.open(tmp_path / "events.db") as store:
        store.add(check_events(EVENTS, None, step=1))
        store.add(check_events([("p1", "calls", "p5", LONG_AGO)], Timeline("integer", 1, "0")))
    return tmp_path / "events.db"


@pytest.mark.parametrize("kind", ["model", "rules"])
def test_a_service_works_with_an_event_long_ago(store: Path, kind: str, tmp_path: Path) -> None:
    words = [sys.executable, "-c", SCRIPT, str(store)]
    if kind == "rules":
        rules = tmp_path / "given.txt"
        rules.write_text("50/100 calls(X, Y, T2) <- calls(X, Y, T1)\n", "utf-8")
        words.append(str(rules))
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["p2", "True"]


def test_such_an_event_is_refused(tmp_path: Path) -> None:
    with EventStore.open(tmp_path / "events.db") as store:
        store.add(store.check(EVENTS, step=1))
        with pytest.raises(InputError, match="10,000,000 time steps before 0; is it mistyped"):
            store.check([("p1", "calls", "p5", LONG_AGO)])


def test_the_fallback_is_ready_before_the_first_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether or not a first request needs it."""
    counted = list[int]()

    def count(fallback: LiveFallback, relation: int, time: int) -> tuple[Ints, Floats]:
        counted.append(relation)
        return original(fallback, relation, time)

    original = LiveFallback.of
    monkeypatch.setattr(LiveFallback, "of", count)
    rules = tmp_path / "given.txt"
    verbs = ("calls", "calls^-1")
    rules.write_text("".join(f"50/100 {verb}(X, Y, T2) <- {verb}(X, Y, T1)\n" for verb in verbs), "utf-8")
    with EventStore.open(tmp_path / "events.db") as store:
        store.add(store.check(EVENTS, step=1))
        warm_up(open_service(store, rules=rules))
    assert counted == [0]


def test_a_failing_first_request_does_not_prevent_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with EventStore.open(tmp_path / "events.db") as store:
        store.add(store.check(EVENTS[:20], step=1))
        service = open_service(store)
        monkeypatch.setattr(service, "forecast", None)
        warm_up(service)
    assert "a first request failed" in caplog.text
