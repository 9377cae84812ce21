"""A store whose content was changed by a failing disk is refused with a message, whichever table is hit."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.damage import flipped
from tests.serving.store_content import read_all, write_all, write_small_store
from tlogic.errors import TLogicError
from tlogic.serving.store.event_store import EventStore
from tlogic.serving.store.store_errors import DamagedStoreError, StoreError

Use = Callable[[EventStore], object]


def load(store: EventStore) -> object:
    return store.changes_since(0, 0, 0)


def find(store: EventStore) -> object:
    return store.find(limit=100)


def add(store: EventStore) -> object:
    return store.add(store.check([("Ann", "calls", "Bob", "2030-01-09")]))


def remove(store: EventStore) -> object:
    return store.remove(subject="Ann")


def claim(store: EventStore) -> object:
    return store.claim_learning("me", 0, 60)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_small_store(tmp_path / "live.db")
    return tmp_path / "live.db"


@pytest.mark.parametrize(
    ("damage", "uses", "problem"),
    [
        ("tlogic_events set subject = 'x' where number = 2", [load], "events 1 to 100,000 are not numbers"),
        ("tlogic_events set subject = 'x' where number = 2", [remove], "there is no entity 'x'"),
        ("tlogic_events set subject = 77 where number = 2", [load, find], "the subject of an event is not from 0 to 3"),
        ("tlogic_events set subject = 77 where number = 2", [remove], "there is no entity 77"),
        ("tlogic_events set object = -1 where number = 2", [load, find], "the object of an event is not from 0 to 3"),
        ("tlogic_events set relation = 9 where number = 2", [load, find], "the relation of an event is not from 0 to"),
        ("tlogic_events set step = 1 << 40 where number = 2", [load, find], "the step of an event is not from 0 to 3"),
        ("tlogic_events set step = 0.5 where number = 2", [load], "are not numbers"),
        ("tlogic_events set step = 0.5 where number = 2", [find], "step in the table tlogic_events is 0.5"),
        ("tlogic_events set number = 90 where number = 4", [load], "the events 1 to 4 are not complete"),
        ("tlogic_names set name = x'ff' where id = 1", [load, find], "checksum of the entity name 1 is wrong"),
        ("tlogic_names set name = 'Bo' where id = 1", [load, find], "checksum of the entity name 1 is wrong"),
        ("tlogic_names set id = 5 where id = 1 and kind = 'entity'", [load, find, remove], "are not complete"),
        (
            "tlogic_names set id = 'x' where id = 1 and kind = 'entity'",
            [load, find, add],
            r"not complete|no entity 'x'",
        ),
        (
            "tlogic_names set kind = 'entitx' where id = 1 and kind = 'entity'",
            [load, find, remove],
            "names .* are not complete",
        ),
        ("tlogic_state set last = 1 << 40", [load], "are not complete"),
        ("tlogic_state set last = 1 << 40", [add], "its number of events changed by"),
        ("tlogic_state set last = 0", [load, find, add, remove], "numbers of events and names are not valid"),
        ("tlogic_state set last = 3", [load], "the events 1 to 3 are not complete"),
        ("tlogic_state set entities = 'x'", [load, find, add, remove], "entities in the table tlogic_state is 'x'"),
        ("tlogic_state set entities = 9", [load], "the entity names 0 to 8 are not complete"),
        ("tlogic_state set last_step = null", [load, find, add, remove], "does not say when its events were"),
        ("tlogic_state set timeline = '{'", [load, find, add, remove], "its timeline is {"),
        ("tlogic_state set timeline = '[1]'", [load, find, add, remove], r"its timeline is \[1\]"),
        ("tlogic_state set timeline = cast(x'ff' as text)", [load], "is damaged|failed"),
        ("tlogic_removals set selection = '{'", [EventStore.removals], "a removal of events has the selection {"),
        ("tlogic_removals set events = 'x'", [EventStore.removals], "events in the table tlogic_removals is 'x'"),
        ("tlogic_versions set about = x'00'", [EventStore.versions, lambda store: store.version(1)], "about in the"),
        ("tlogic_learning set until = 'x'", [claim], "until in the table tlogic_learning is 'x'"),
    ],
)
def test_damage_is_reported(path: Path, damage: str, uses: list[Use], problem: str) -> None:
    with sqlite3.connect(path) as connection:
        assert connection.execute(f"update {damage}").rowcount > 0
    for use in uses:
        with EventStore.open(path) as store, pytest.raises(StoreError, match=problem):
            use(store)


def test_a_missing_event_is_noticed(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("delete from tlogic_removals")
        connection.execute("delete from tlogic_events where number = 2")
    with EventStore.open(path) as store, pytest.raises(DamagedStoreError, match="the events 1 to 4 are not complete"):
        load(store)


def test_a_damaged_definition_of_a_table_is_reported(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content.replace(b"UNIQUE", b"\xd5NIQUE"))  # SQLite repeats it in its message
    with pytest.raises(TLogicError, match="a text in it is not valid UTF-8"):
        EventStore.open(path)


def test_flipped_bits_give_no_traceback(path: Path) -> None:
    for content in [*flipped(path.read_bytes(), 60)][::3]:
        for beside in path.parent.glob("live.db-*"):
            beside.unlink()
        path.write_bytes(content)
        for problem in _problems(path):
            assert isinstance(problem, TLogicError), repr(problem)


def _problems(path: Path) -> list[Exception]:
    try:
        with EventStore.open(path) as store:
            return [*read_all(store)[1], *write_all(store)]
    except Exception as error:
        return [error]
