"""Reads and writes without a pause, and the memory that the service takes."""

import tempfile
import time
from pathlib import Path

import tlogic
from benchmarks.soak.record import Budget, Record
from benchmarks.soak.service_process import ServiceProcess
from tlogic.events.sample.simulation import sample_events
from tlogic.serving import Client
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore

PROMISE = "Under load, every request is answered and the memory of the service stays flat."
_WARM_UP_SHARE = 0.3
_MAX_GROWTH = 0.1


def measure(budget: Budget) -> Record:
    """Ask and write as fast as the service answers; compare its memory after the warm-up and at the end."""
    graph = tlogic.sample(days=200)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tlogic.learn(graph, lengths=(1,)).save(folder / "some.rules")
        with EventStore.open(folder / "events.db") as store:
            store.add(EncodedEvents.from_table(sample_events(days=200)))
        service = ServiceProcess(str(folder / "events.db"), folder / "some.rules")
        try:
            return _under_load(service, graph.entities.names, budget)
        finally:
            service.kill()


def _under_load(service: ServiceProcess, names: list[str], budget: Budget) -> Record:
    began, warm, questions, events = time.monotonic(), None, 0, 0
    with Client(service.url) as client:
        for number in budget.rounds():
            for name in names[:10]:
                client.forecast(name, "sue", top=5)
                questions += 1
            one, other = names[number % len(names)], names[(number * 7 + 1) % len(names)]
            events += client.add([(one, "meet", other, "2030-07-19")]).added
            if warm is None and time.monotonic() - began > _WARM_UP_SHARE * budget.seconds:
                warm = service.resident_megabytes()
    end = service.resident_megabytes()
    warm = end if warm is None else warm
    figure = (
        f"{questions:,} forecasts and {events:,} new events in {time.monotonic() - began:,.0f} s; "
        f"{warm:,.0f} MB after the warm-up, {end:,.0f} MB at the end"
    )
    return Record(PROMISE, figure, int(end > (1 + _MAX_GROWTH) * warm))
