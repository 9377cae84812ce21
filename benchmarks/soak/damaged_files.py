"""Single bits flipped in files of all formats."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.damage import flipped

import tlogic
from benchmarks.soak.record import Budget, Record
from tlogic.events.sample.simulation import sample_events
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore

PROMISE = "Files with a flipped bit are refused: {}."
SQLITE_PROMISE = "A SQLite store with a flipped bit is refused with a message, or read; it gives no traceback."
_FLIPS_PER_ROUND = 50


def measure(budget: Budget) -> list[Record]:
    """Flip bits all over rule files, model files, compiled graphs and SQLite stores."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        readers = _files(folder)
        share = Budget(budget.seconds / (len(readers) + 1))
        records = [_measure(share, kind, path, read) for kind, (path, read) in readers.items()]
        return [*records, _measure_sqlite(share, folder)]


def _files(folder: Path) -> dict[str, tuple[Path, Callable[[Path], object]]]:
    """A file of each format, with the function that reads it."""
    graph = tlogic.sample(days=60)
    tlogic.learn(graph, lengths=(1,)).save(folder / "a.rules")
    scorecard = tlogic.fit(graph, threads=1)
    scorecard.save(folder / "a.model")
    tlogic.fit(graph, model="boosted", evidence=["recurrence", "rules"], threads=1).save(folder / "b.model")
    tlogic.index(graph, folder / "a.graph", model=scorecard)
    return {
        "rules": (folder / "a.rules", tlogic.load),
        "scorecards": (folder / "a.model", tlogic.load),
        "boosted models": (folder / "b.model", tlogic.load),
        "compiled graphs": (folder / "a.graph", _use_graph),
    }


def _use_graph(path: Path) -> object:
    graph = tlogic.read(path)
    return graph.facts, graph.entities.names, graph.views, graph.triples


def _measure(budget: Budget, kind: str, path: Path, read: Callable[[Path], object]) -> Record:
    content, n_flips, accepted = path.read_bytes(), 0, 0
    for number in budget.rounds():
        for damaged in flipped(content, _FLIPS_PER_ROUND + number):
            path.write_bytes(damaged)
            n_flips += 1
            try:
                read(path)
                accepted += 1
            except tlogic.TLogicError:
                continue
    path.write_bytes(content)
    return Record(PROMISE.format(kind), f"{n_flips:,} flips, {n_flips - accepted:,} refused", accepted)


def _measure_sqlite(budget: Budget, folder: Path) -> Record:
    path = folder / "events.db"
    with EventStore.open(path) as store:
        store.add(EncodedEvents.from_table(sample_events(days=30)))
        expected = _content(store)
    content, counts = path.read_bytes(), {"refused": 0, "unchanged": 0, "changed": 0, "traceback": 0}
    for number in budget.rounds():
        for damaged in flipped(content, _FLIPS_PER_ROUND + number):
            for beside in folder.glob("events.db-*"):
                beside.unlink()
            path.write_bytes(damaged)
            counts[_outcome(path, expected)] += 1
    figure = (
        f"{sum(counts.values()):,} flips: {counts['refused']:,} refused, {counts['unchanged']:,} read without a "
        f"difference, {counts['changed']:,} read with other content"
    )
    note = "SQLite keeps no checksums of its pages, so that a flip inside a name or number can stay unnoticed."
    return Record(SQLITE_PROMISE, figure, counts["traceback"], note)


def _outcome(path: Path, expected: Any) -> str:
    try:
        with EventStore.open(path) as store:
            return "unchanged" if _content(store) == expected else "changed"
    except tlogic.TLogicError:
        return "refused"
    except Exception:
        return "traceback"


def _content(store: EventStore) -> Any:
    everything = store.changes_since(0, 0, 0)
    return everything.entities, everything.relations, [np.asarray(column).tolist() for column in everything.events]
