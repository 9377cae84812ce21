"""Services that are killed while events are posted to them."""

import random
import tempfile
import time
from collections import Counter
from itertools import count
from pathlib import Path
from threading import Thread

import tlogic
from benchmarks.soak.record import Budget, Record
from benchmarks.soak.service_process import ServiceProcess
from tlogic.rules import parse_rule
from tlogic.serving import Client, ServiceError
from tlogic.serving.store.event_store import EventStore

PROMISE = "No acknowledged batch is lost or stored in part when the service is killed during ingestion."
_EVENTS_PER_BATCH = 50
_LONGEST_SECONDS = 2.0
_MAX_WAIT_SECONDS = 60.0


def measure(budget: Budget) -> Record:
    """Kill services at random times, start them again on the same store, and count what is stored."""
    delays, acknowledged, kills = random.Random(1), set[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        store, rules = str(Path(folder, "events.db")), Path(folder, "some.rules")
        tlogic.RuleSet((parse_rule("1/2 meet(X, Y, T2) <- visit(X, Y, T1)"),)).save(rules)
        for number in budget.rounds():
            service = ServiceProcess(store, rules)
            writer = Thread(target=_write, args=(service.url, f"round {number}", acknowledged))
            writer.start()
            _wait_for_first_batch(acknowledged, len(acknowledged))
            time.sleep(delays.uniform(0, _LONGEST_SECONDS))
            service.kill()
            writer.join()
            kills += 1
        found = _batches_in(store)
    lost = acknowledged - set(found)
    partial = [name for name, n_events in found.items() if n_events != _EVENTS_PER_BATCH]
    figure = f"{kills:,} kills (SIGKILL), {len(found):,} batches stored"
    return Record(PROMISE, figure, len(lost) + len(partial) + (not acknowledged))


def _wait_for_first_batch(acknowledged: set[str], n_before: int) -> None:
    """Wait until a batch of this round is stored, so that the service is killed while it writes."""
    end = time.monotonic() + _MAX_WAIT_SECONDS
    while len(acknowledged) == n_before and time.monotonic() < end:
        time.sleep(0.01)


def _write(url: str, name: str, acknowledged: set[str]) -> None:
    """Post batches until the service is gone. The relation of the events is the name of their batch."""
    with Client(url, timeout=30) as client:
        for number in count():
            relation = f"{name} batch {number}"
            batch = [(f"a{i}", relation, f"b{i}", f"2030-01-{1 + i % 28:02}") for i in range(_EVENTS_PER_BATCH)]
            try:
                client.add(batch)
            except ServiceError:
                return
            acknowledged.add(relation)


def _batches_in(path: str) -> Counter[str]:
    with EventStore.open(path) as store:
        everything = store.changes_since(0, 0, 0)
    return Counter(everything.relations[relation] for relation in everything.events.relation.tolist())
