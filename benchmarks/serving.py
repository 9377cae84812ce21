"""A live service under load: `python -m benchmarks.serving [REQUESTS]`.

A service with ICEWS18 but for its test facts answers two clients, while those facts arrive at 200 a second. After a
minute the clients go on until there were so many requests (100,000), to see whether memory stays flat.
"""

import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from time import perf_counter, sleep
from typing import Any
from urllib.parse import urlencode

import numpy as np

from benchmarks.yardstick import yardstick

DATA = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
EVENTS_A_SECOND, BATCH = 200, 20
N_CLIENTS, MINUTE = 2, 60.0
REQUESTS = 100_000
HELD_BACK = 50_000
"""So many events are left to arrive."""


def serve(store: str, rules: str, told: Any) -> None:
    import tlogic
    from tlogic.serving.server import serve as run
    from tlogic.serving.startup import open_service
    from tlogic.serving.web.settings import AccessSettings

    sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 (the log, until the process ends)
    settings = tlogic.ApplicationSettings(window=200)
    run(
        lambda: open_service(store, rules=Path(rules), settings=settings),
        AccessSettings(rate=1e9, burst=10**9),
        port=0,
        on_start=lambda address, _: told.put(address),
    )


def ask(address: str, questions: list[str], requests: Any, seconds: float, wanted: int, out: Any) -> None:
    """Ask one question after the other, for some seconds and until there were enough; tell how long each took."""
    connection = HTTPConnection(address, timeout=120)
    random, took, began, in_time = np.random.default_rng(os.getpid()), [], perf_counter(), 0
    for number in count():
        if perf_counter() - began < seconds:
            in_time = number
        elif requests.value >= wanted:
            break
        start = perf_counter()
        connection.request("GET", questions[random.integers(len(questions))])
        response = connection.getresponse()
        content = response.read()
        took.append(perf_counter() - start)
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {content!r}")
        with requests.get_lock():
            requests.value += 1
    out.put((took[:in_time], in_time))


def add(address: str, events: list[dict[str, str]], done: Any) -> None:
    """Send batches at a steady pace until the others are done."""
    connection, began = HTTPConnection(address, timeout=120), perf_counter()
    for number in count():
        if done.is_set():
            break
        batch = [events[(number * BATCH + i) % len(events)] for i in range(BATCH)]
        body = json.dumps({"events": batch})
        connection.request("POST", "/api/events", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {content!r}")
        sleep(max(0.0, began + (number + 1) * BATCH / EVENTS_A_SECOND - perf_counter()))


@contextmanager
def running(store: str, rules: str) -> Iterator[tuple[str, int]]:
    """The address of a service in a process of its own, and the number of that process."""
    told: Any = multiprocessing.Queue()
    process = multiprocessing.Process(target=serve, args=(store, rules, told))
    process.start()
    address = told.get(timeout=300)
    try:
        yield address.removeprefix("http://").rstrip("/"), process.pid or 0
    finally:
        process.terminate()
        process.join(30)


def prepare(folder: Path) -> tuple[str, str, list[str], list[dict[str, str]]]:
    """A store without the last events, rules, questions about those, and the events themselves."""
    import tlogic
    from tlogic.serving.store.event_store import EventStore

    graph = tlogic.read(DATA / "icews18")
    rules = folder / "icews18.rules"
    tlogic.learn(graph).save(rules)
    name, relation, label = graph.entities.name_of, graph.relations.name_of, graph.timeline.label_of
    rows = [
        (name(s), relation(r), name(o), label(t))
        for s, r, o, t in zip(*(column.tolist() for column in graph.facts), strict=True)
    ]
    with EventStore.open(folder / "events.db") as store:
        store.add(store.check(rows[:-HELD_BACK]))
    events = [dict(zip(("subject", "relation", "object", "time"), row, strict=True)) for row in rows[-HELD_BACK:]]
    known = {name for row in rows[:-HELD_BACK] for name in (row[0], row[2])}
    questions = [
        f"/api/forecast?{urlencode({'subject': event['subject'], 'relation': event['relation']})}"
        for event in events[:: len(events) // 2000]
        if event["subject"] in known
    ]
    return str(folder / "events.db"), str(rules), questions, events


def resident_mb(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main(wanted: int) -> None:
    multiprocessing.set_start_method("spawn")
    with tempfile.TemporaryDirectory() as folder:
        store, rules, questions, events = prepare(Path(folder))
        before = yardstick()
        with running(store, rules) as (address, process):
            requests, done = multiprocessing.Value("q", 0), multiprocessing.Event()
            out: Any = multiprocessing.Queue()
            helpers = [multiprocessing.Process(target=add, args=(address, events, done))]
            asked = (address, questions, requests, MINUTE, wanted, out)
            helpers += [multiprocessing.Process(target=ask, args=asked) for _ in range(N_CLIENTS)]
            for helper in helpers:
                helper.start()
            memory = watch(requests, wanted, process, helpers)
            found = [out.get() for _ in range(N_CLIENTS)]
            done.set()
            for helper in helpers:
                helper.join()
        unit = (before + yardstick()) / 2
        report(np.concatenate([took for took, _ in found]), unit, memory)


def watch(requests: Any, wanted: int, process: int, helpers: list[Any]) -> list[tuple[int, float]]:
    """The memory of the service after every tenth of the requests."""
    memory: list[tuple[int, float]] = []
    while requests.value < wanted:
        if any(helper.exitcode for helper in helpers):
            raise RuntimeError("A client failed.")
        if requests.value >= len(memory) * wanted // 10:
            memory.append((requests.value, resident_mb(process)))
        sleep(0.2)
    return [*memory, (requests.value, resident_mb(process))]


def report(took: np.ndarray, unit: float, memory: list[tuple[int, float]]) -> None:
    median, high = np.percentile(took, [50, 99])
    print(f"ICEWS18, {N_CLIENTS} clients for {MINUTE:.0f} s, {EVENTS_A_SECOND} events a second coming in")
    print(
        f"requests a second: {len(took) / MINUTE:.0f}; in a yardstick ({unit:.2f} s): {len(took) / MINUTE * unit:.0f}"
    )
    print(f"median {median * 1e3:.1f} ms = {median / unit:.4f} yardsticks, 99% within {high / unit:.4f} yardsticks")
    print("memory, MB, after requests:", ", ".join(f"{mb:.0f} ({number:,})" for number, mb in memory))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else REQUESTS)
