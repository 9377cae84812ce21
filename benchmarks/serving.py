"""Load test of a live service, with rules and with a model: `python -m benchmarks.serving [DATASET] [REQUESTS]`.

A service holds a dataset without its last facts and answers two clients, while those facts arrive: of ICEWS18, the
default, 200 per second in batches of 20; of ICEWS14, 50 per second in requests of their own. After a minute, the
clients continue until REQUESTS (100,000) requests are done, to check that memory stays constant. The start is measured
as well: with a model, once without and once with a stored memory.
"""

import json
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np

from benchmarks.reference import reference_seconds

DATA = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
N_CLIENTS, MEASURED_SECONDS = 2, 60.0
N_REQUESTS = 100_000


class Load(NamedTuple):
    """What arrives during the test."""

    dataset: str
    n_later_events: int
    events_per_second: int
    events_per_batch: int


LOADS = {load.dataset: load for load in (Load("icews18", 50_000, 200, 20), Load("icews14", 10_000, 50, 1))}


class Measured(NamedTuple):
    """What was measured with rules or with a model."""

    start: float
    took: np.ndarray
    written: float
    """Events per second."""
    memory: list[tuple[int, float]]
    unit: float


def serve(store: str, rules: str | None, model: str | None, addresses: Any) -> None:
    import tlogic
    from tlogic.serving.server import serve as run
    from tlogic.serving.startup import open_service
    from tlogic.serving.web.settings import AccessSettings

    sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 (the log, until the process ends)
    settings = tlogic.ApplicationSettings(window=200)
    run(
        lambda: open_service(
            store, rules=Path(rules) if rules else None, model=Path(model) if model else None, settings=settings
        ),
        AccessSettings(rate=1e9, burst=10**9),
        port=0,
        on_start=lambda address, _: addresses.put(address),
    )


def send_queries(address: str, queries: list[str], requests: Any, seconds: float, n_requests: int, out: Any) -> None:
    """Send queries one after the other, for some seconds and until enough requests are done; measure each."""
    connection = HTTPConnection(address, timeout=120)
    random, took, began, in_time = np.random.default_rng(os.getpid()), [], perf_counter(), 0
    for number in count():
        if perf_counter() - began < seconds:
            in_time = number
        elif requests.value >= n_requests:
            break
        start = perf_counter()
        connection.request("GET", queries[random.integers(len(queries))])
        response = connection.getresponse()
        content = response.read()
        took.append(perf_counter() - start)
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {content!r}")
        with requests.get_lock():
            requests.value += 1
    out.put((took[:in_time], in_time))


def add(address: str, load: Load, events: list[dict[str, str]], done: Any, out: Any) -> None:
    """Send batches at a constant rate until the clients are done; count those of the measured time."""
    connection, began, size = HTTPConnection(address, timeout=120), perf_counter(), load.events_per_batch
    written = 0.0
    for number in count():
        if perf_counter() - began < MEASURED_SECONDS:
            written = number * size / MEASURED_SECONDS
        if done.is_set():
            break
        batch = [events[(number * size + i) % len(events)] for i in range(size)]
        body = json.dumps({"events": batch})
        connection.request("POST", "/api/events", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {content!r}")
        sleep(max(0.0, began + (number + 1) * size / load.events_per_second - perf_counter()))
    out.put(written)


@contextmanager
def running(store: str, rules: str | None, model: str | None) -> Iterator[tuple[str, int, float]]:
    """The address and the process id of a service in a separate process, and the seconds of its start."""
    addresses: Any = multiprocessing.Queue()
    process = multiprocessing.Process(target=serve, args=(store, rules, model, addresses))
    began = perf_counter()
    process.start()
    address = addresses.get(timeout=300)
    try:
        yield address.removeprefix("http://").rstrip("/"), process.pid or 0, perf_counter() - began
    finally:
        process.terminate()
        process.join(60)


def prepare(folder: Path, load: Load) -> tuple[str, str, str, list[str], list[dict[str, str]]]:
    """A store without the last events, rules, a model, queries about the last events, and these events."""
    import tlogic
    from tlogic.serving.store.event_store import EventStore

    graph = tlogic.read(DATA / load.dataset)
    rules = folder / "learned.rules"
    model = folder / "fitted.model"
    tlogic.learn(graph).save(rules)
    tlogic.fit(graph).save(model)
    name, relation, label = graph.entities.name_of, graph.relations.name_of, graph.timeline.label_of
    rows = [
        (name(s), relation(r), name(o), label(t))
        for s, r, o, t in zip(*(column.tolist() for column in graph.facts), strict=True)
    ]
    first, later = rows[: -load.n_later_events], rows[-load.n_later_events :]
    with EventStore.open(folder / "events.db") as store:
        store.add(store.check(first))
    events = [dict(zip(("subject", "relation", "object", "time"), row, strict=True)) for row in later]
    known = {name for row in first for name in row[:3]}
    queries = [
        f"/api/forecast?{urlencode({'subject': event['subject'], 'relation': event['relation']})}"
        for event in events[:: len(events) // 2000]
        if event["subject"] in known and event["relation"] in known
    ]
    return str(folder / "events.db"), str(rules), str(model), queries, events


def resident_mb(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main(load: Load, n_requests: int) -> None:
    multiprocessing.set_start_method("spawn")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TLOGIC_CACHE"] = folder
        store, rules, model, queries, events = prepare(Path(folder), load)
        unit = reference_seconds()
        with running(store, None, model) as (_, _, first_start):
            print(f"first start with a model, which learns from all events: {first_start / unit:.1f} reference times")
        shutil.copy(store, f"{folder}/rules.db")
        found = {
            "rules": measure(f"{folder}/rules.db", rules, None, load, queries, events, n_requests),
            "model": measure(store, None, model, load, queries, events, n_requests),
        }
        for kind, measured in found.items():
            report(kind, load, measured)
        compare(found["rules"], found["model"])


def measure(
    store: str,
    rules: str | None,
    model: str | None,
    load: Load,
    queries: list[str],
    events: list[dict[str, str]],
    n_requests: int,
) -> Measured:
    """Start a service and put it under load."""
    before = reference_seconds()
    with running(store, rules, model) as (address, process, start):
        requests, done = multiprocessing.Value("q", 0), multiprocessing.Event()
        out: Any = multiprocessing.Queue()
        written: Any = multiprocessing.Queue()
        helpers = [multiprocessing.Process(target=add, args=(address, load, events, done, written))]
        arguments = (address, queries, requests, MEASURED_SECONDS, n_requests, out)
        helpers += [multiprocessing.Process(target=send_queries, args=arguments) for _ in range(N_CLIENTS)]
        for helper in helpers:
            helper.start()
        memory = measure_memory(requests, n_requests, process, helpers)
        found = [out.get() for _ in range(N_CLIENTS)]
        done.set()
        n_written = written.get()
        for helper in helpers:
            helper.join()
    unit = (before + reference_seconds()) / 2
    return Measured(start, np.concatenate([took for took, _ in found]), n_written, memory, unit)


def measure_memory(requests: Any, n_requests: int, process: int, helpers: list[Any]) -> list[tuple[int, float]]:
    """The memory of the service after each tenth of the requests."""
    memory: list[tuple[int, float]] = []
    while requests.value < n_requests:
        if any(helper.exitcode for helper in helpers):
            raise RuntimeError("A client failed.")
        if requests.value >= len(memory) * n_requests // 10:
            memory.append((requests.value, resident_mb(process)))
        sleep(0.2)
    return [*memory, (requests.value, resident_mb(process))]


def report(kind: str, load: Load, measured: Measured) -> None:
    start, took, written, memory, unit = measured
    median, high = np.percentile(took, [50, 99])
    print(f"{kind}: {load.dataset}, {N_CLIENTS} clients for {MEASURED_SECONDS:.0f} s")
    print(f"  events written per second: {written:.1f} of {load.events_per_second}")
    rate = len(took) / MEASURED_SECONDS
    print(f"  start: {start / unit:.1f} reference times ({unit:.2f} s each)")
    print(f"  requests per second: {rate:.0f}; per reference time: {rate * unit:.0f}")
    print(f"  median {median * 1e3:.1f} ms = {median / unit:.4f} of the reference, 99% within {high / unit:.4f}")
    print("  memory, MB, after requests:", ", ".join(f"{mb:.0f} ({number:,})" for number, mb in memory))


def compare(rules: Measured, model: Measured) -> None:
    """Print how much more a model takes than rules."""
    median, high = (np.percentile(model.took, q) / np.percentile(rules.took, q) for q in (50, 99))
    print(f"model / rules: start {model.start / rules.start:.2f}, median {median:.2f}, 99% {high:.2f}")


if __name__ == "__main__":
    main(LOADS[sys.argv[1] if len(sys.argv) > 1 else "icews18"], int(sys.argv[2]) if len(sys.argv) > 2 else N_REQUESTS)
