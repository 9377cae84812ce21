"""The event store returns what was added, once and in order, with SQLite and PostgreSQL."""

import sqlite3
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
import sqlalchemy as sql
from hypothesis import given, settings
from hypothesis import strategies as st

from tlogic.errors import InputError
from tlogic.events import Timeline, read_events
from tlogic.events.sources.databases import parse_url
from tlogic.names import INVERSE_MARK
from tlogic.serving.store import encoded_events
from tlogic.serving.store.encoded_events import MAX_STEPS, EncodedEvents, InvalidEventsError, Span, check_events
from tlogic.serving.store.event_store import AddResult, EventStore, VersionInfo

Event = tuple[str, str, str, Any]

SECRET = "s3cr3t"
DAYS = Timeline("day", 1, "2014-08-09")
FIRST: list[Event] = [("Ann", "calls", "Bob", "2014-08-09"), ("Bob", "meets", "Eve", "2014-08-11")]
ODD_NAMES = [
    "<script>alert(1)</script>",
    """'; DROP TABLE "tlogic_events"; --""",
    "x" * 10_000,
    "\U0001f600" * 10_000,
    "שלום عالم",
    "a\0b",
    "\0",
    "👩‍👩‍👧",
    "é",
    "e\u0301",
    "100%",
    "a\nb\tc",
    "{1,2}",
    "\\x00",
]


def clear(url: str) -> str:
    engine = sql.create_engine(parse_url(url), poolclass=sql.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return url


@pytest.fixture
def empty_postgres(postgres: str) -> str:
    """The URL of an empty PostgreSQL database."""
    return clear(postgres)


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The path or URL of a new store."""
    return str(tmp_path / "events.db") if request.param == "sqlite" else request.getfixturevalue("empty_postgres")


@pytest.fixture
def store(store_url: str) -> Iterator[EventStore]:
    with EventStore.open(store_url) as store:
        yield store


def stored_events(store: EventStore) -> list[Event]:
    """All events of a store, with names and dates."""
    changes = store.changes_since(0, 0, 0)
    if changes.state.timeline is None:
        return []
    subjects, relations, objects, steps = (column.tolist() for column in changes.events[:4])
    labels = changes.state.timeline.labels_of(steps).tolist()
    return [
        (changes.entities[s], changes.relations[r], changes.entities[o], label)
        for s, r, o, label in zip(subjects, relations, objects, labels, strict=True)
    ]


def add(store: EventStore, events: list[Event], **options: Any) -> AddResult:
    return store.add(store.check(events, **options))


# Adding


def test_an_empty_store(store: EventStore) -> None:
    assert store.state() == (0, 0, 0, None, None)
    changes = store.changes_since(0, 0, 0)
    assert (changes.events.step.tolist(), changes.entities) == ([], [])
    assert stored_events(store) == []


def test_events_come_back_in_order(store: EventStore, store_url: str) -> None:
    assert add(store, FIRST) == (2, 0, 2)
    assert stored_events(store) == FIRST
    assert store.state() == (2, 3, 2, DAYS, (0, 2))
    after = store.changes_since(1, n_entities=1, n_relations=0)
    assert (after.entities, after.relations) == (["Bob", "Eve"], ["calls", "meets"])
    assert [column.tolist() for column in after.events[:4]] == [[1], [1], [2], [2]]
    assert (after.events.last, after.events.step.dtype) == (2, "int64")
    store.close()
    with EventStore.open(store_url) as again:
        assert stored_events(again) == FIRST


def test_the_same_batch_twice(store: EventStore) -> None:
    add(store, FIRST)
    assert add(store, FIRST) == (0, 2, 2)
    assert stored_events(store) == FIRST


def test_overlapping_batches(store: EventStore) -> None:
    add(store, FIRST)
    news: Event = ("Zoë", "calls", "Ann", "2014-08-12")
    assert add(store, [FIRST[1], news, news, FIRST[0]]) == (1, 3, 3)
    assert stored_events(store) == [*FIRST, news]
    assert store.state().n_entities == 4


def test_older_events_have_negative_steps(store: EventStore) -> None:
    add(store, FIRST)
    add(store, [("Ann", "calls", "Bob", "2014-07-31")])
    assert store.changes_since(2, 0, 0).events.step.tolist() == [-9]
    assert store.state().span == (-9, 2)
    assert stored_events(store)[-1][3] == "2014-07-31"


def test_odd_names(store: EventStore) -> None:
    events: list[Event] = [(name, name, name, "2014-08-09") for name in ODD_NAMES]
    assert add(store, events).added == len(events)
    assert stored_events(store) == events
    assert add(store, events) == (0, len(events), len(events))


def test_more_events_than_go_into_one_statement(store: EventStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tlogic.serving.store.sql_tables._ROWS_PER_CHUNK", 7)
    monkeypatch.setattr("tlogic.serving.store.sql_tables._MAX_VALUES", 3)
    events: list[Event] = [(f"a{i}", f"r{i % 5}", f"b{i % 11}", i) for i in range(50)]
    assert add(store, events[20:30]) == (10, 0, 10)
    assert add(store, events) == (40, 10, 50)
    assert stored_events(store) == [(s, r, o, str(t)) for s, r, o, t in [*events[20:30], *events[:20], *events[30:]]]


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3).filter(
    lambda name: pl.Series([name]).str.strip_chars().item() == name and not name.endswith(INVERSE_MARK)
)
batches = st.lists(
    st.lists(st.tuples(*[st.sampled_from("abcd") | names] * 3, st.integers(-5, 5)), min_size=1, max_size=8), max_size=5
)


@settings(max_examples=25)
@given(batches=batches)
def test_event_numbers_do_not_depend_on_batches_sqlite(batches: list[list[Event]]) -> None:
    with TemporaryDirectory() as folder:
        check_numbers(f"{folder}/events.db", batches)


@settings(max_examples=25)
@given(batches=batches)
def test_event_numbers_do_not_depend_on_batches_postgresql(postgres: str, batches: list[list[Event]]) -> None:
    check_numbers(clear(postgres), batches)


def check_numbers(where: str, batches: list[list[Event]]) -> None:
    """Compare a store with plain dicts."""
    entities: dict[str, int] = {}
    relations: dict[str, int] = {}
    facts: dict[tuple[int, ...], None] = {}
    with EventStore.open(where) as store:
        for batch in batches:
            known = len(facts)
            for s, r, o, t in batch:
                subject = entities.setdefault(s, len(entities))
                fact = (subject, relations.setdefault(r, len(relations)), entities.setdefault(o, len(entities)), t)
                facts[fact] = None
            added = store.add(check_events(batch, Timeline("integer", 1, "0")))
            assert added == (len(facts) - known, len(batch) - len(facts) + known, len(facts))
        changes = store.changes_since(0, 0, 0)
        assert (changes.entities, changes.relations) == (list(entities), list(relations))
        assert list(zip(*(column.tolist() for column in changes.events[:4]), strict=True)) == list(facts)


# Time


def test_batches_on_different_timelines(store: EventStore) -> None:
    """Two processes that fill an empty store at once may each derive a timeline."""
    early, late = check_events(FIRST), check_events([("Ann", "calls", "Bob", "2014-08-20")])
    store.add(late)
    store.add(early)
    assert store.changes_since(0, 0, 0).events.step.tolist() == [0, -11, -9]
    hours = check_events([("Ann", "calls", "Bob", "2014-08-20 13:00")])
    with pytest.raises(
        InputError, match=r"time steps of 1 hour from .* the store has time steps of 1 day from 2014-08-20"
    ):
        store.add(hours)
    assert store.state().last == 3


def test_integers_on_another_grid(store: EventStore) -> None:
    add(store, [("a", "r", "b", 5), ("a", "r", "b", 29)])
    assert store.state().timeline == Timeline("integer", 24, "5")
    assert add(store, [("a", "r", "b", 28), ("a", "r", "b", 4)]) == (1, 1, 3)
    with pytest.raises(InputError, match="have time steps of 24 from 0"):
        store.add(check_events([("a", "r", "b", 0)], step=24))


def test_a_table_gets_the_timeline_of_the_store(store: EventStore) -> None:
    add(store, FIRST)
    frame = pl.DataFrame(FIRST, schema=["subject", "relation", "object", "date"], orient="row")
    assert store.add(EncodedEvents.from_table(read_events(frame), DAYS)) == (0, 2, 2)
    with pytest.raises(InvalidEventsError, match="which marks inverse relations"):
        EncodedEvents.from_table(read_events(frame.with_columns(relation=pl.lit("calls^-1"))))


def test_a_given_step(store: EventStore) -> None:
    add(store, FIRST, step="1w")
    assert store.state().timeline == Timeline("week", 1, "2014-08-04")
    add(store, FIRST, step="1w")
    with pytest.raises(InputError, match=r"The time step '1d' differs from the one of the store, which is 1 week"):
        add(store, FIRST, step="1d")


def test_the_time_zone_is_that_of_the_store(store: EventStore) -> None:
    add(
        store,
        [("a", "r", "b", "2024-03-30T23:30+00:00"), ("a", "r", "b", "2024-03-30")],
        step="1d",
        time_zone="Asia/Tokyo",
    )
    add(store, [("a", "r", "c", datetime(2024, 3, 31, 16, tzinfo=UTC))])
    assert [event[3] for event in stored_events(store)] == ["2024-03-31", "2024-03-30", "2024-04-01"]


@pytest.mark.parametrize("time", ["2014-08-11", "20140811", 20140811, date(2014, 8, 11), " 2014-08-11 17:00 "])
def test_spellings_of_times(time: Any) -> None:
    assert check_events([("a", "r", "b", time)], DAYS).step.tolist() == [2]


def test_events_too_far_apart(store: EventStore) -> None:
    add(store, [("a", "r", "b", 0)], step=1)
    store.add(check_events([("a", "r", "b", -MAX_STEPS)], Timeline("integer", 1, "0")))
    with pytest.raises(InputError, match="which is the limit"):
        store.add(check_events([("a", "r", "b", 1)], Timeline("integer", 1, "0")))
    assert store.state().last == 2


# Invalid events


def problems_of(rows: Any, *arguments: Any, **options: Any) -> dict[int, str]:
    with pytest.raises(InvalidEventsError) as caught:
        check_events(rows, *arguments, **options)
    return dict(caught.value.problems)


GOOD: Event = ("a", "r", "b", "2014-08-09")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (("", "r", "b", "2014-08-09"), "the subject is empty"),
        (("a", " \t", "b", "2014-08-09"), "the relation is empty"),
        (("a", "r", None, "2014-08-09"), "the object is missing"),
        ({"subject": "a", "relation": "r", "object": "b"}, "the time is missing"),
        (("a", 7, "b", "2014-08-09"), "the relation is 7; expected a string"),
        (("a", "r", "b" * 10_001, "2014-08-09"), "the object has 10,001 characters; expected at most 10,000"),
        (("a\ud800", "r", "b", "2014-08-09"), r"the subject 'a\ud800' is not valid Unicode (it has a lone surrogate)"),
        (("a", "r^-1", "b", "2014-08-09"), "the relation 'r^-1' ends in '^-1', which marks inverse relations"),
        (("a", "r", "b", "soon"), "the time 'soon' cannot be parsed"),
        (("a", "r", "b", ""), "the time is empty"),
        (("a", "r", "b", "2014-02-30"), "the time '2014-02-30' cannot be parsed"),
        (("a", "r", "b", 17), "the time '17' is an integer, but a date is expected"),
        (("a", "r", "b", 10**30), f"the time '{10**30}' cannot be parsed"),
        (("a", "r", "b", True), "the time is True; expected a string, an integer or a date"),
        (("a", "r", "b", 1.5), "the time is 1.5; expected a string, an integer or a date"),
        (("a", "r", "b"), "expected subject, relation, object and time"),
        ("abcd", "expected subject, relation, object and time"),
        (5, "expected subject, relation, object and time"),
    ],
)
@pytest.mark.parametrize("timeline", [DAYS, None])
def test_invalid_events_are_reported_by_position(bad: Any, reason: str, timeline: Timeline | None) -> None:
    assert problems_of([GOOD, GOOD, bad, GOOD], timeline) == {2: reason}
    assert len(check_events([GOOD, GOOD], timeline)) == 2


def test_dates_where_integers_are_expected() -> None:
    problems = problems_of([("a", "r", "b", 3), ("a", "r", "b", "2014-08-09")], Timeline("integer", 1, "0"))
    assert problems == {1: "the time '2014-08-09' is a date, but an integer is expected"}


def test_events_too_far_away() -> None:
    integers, span = Timeline("integer", 1, "0"), Span(-5, 10)
    times = [100_010, 100_011, 10 - MAX_STEPS, 100_010 - MAX_STEPS]
    rows = [("a", "r", "b", time) for time in times]
    assert problems_of(rows, integers, span=span) == {
        1: "the time 100011 is more than 100,000 time steps after 10; is it mistyped?",
        2: "the time -2147483637 is more than 10,000,000 time steps before -5; is it mistyped?",
        3: "the time -2147383637 is more than 10,000,000 time steps before -5; is it mistyped?",
    }
    far = {1: "the time 3000000000 is more than 2,147,483,647 time steps after 0; is it mistyped?"}
    assert problems_of([("a", "r", "b", 0), ("a", "r", "b", 3_000_000_000)], step=1) == far


def test_a_live_event_far_ahead(store: EventStore) -> None:
    add(store, FIRST)
    with pytest.raises(InvalidEventsError, match="is it mistyped"):
        add(store, [("Ann", "calls", "Bob", "2914-08-09")])
    assert stored_events(store) == FIRST


def test_all_invalid_events_are_counted_and_some_are_shown(store: EventStore) -> None:
    with pytest.raises(InvalidEventsError) as caught:
        add(store, [GOOD, *[("", "r", "b", "never")] * 8])
    assert [problem.position for problem in caught.value.problems] == list(range(1, 9))
    lines = str(caught.value).splitlines()
    assert (lines[0], lines[-1]) == ("8 of 9 events are invalid, so none was added:", "and 3 more.")
    assert len(lines) == 7
    assert stored_events(store) == []


def test_a_batch_without_events() -> None:
    with pytest.raises(InputError, match="no events"):
        check_events([], DAYS)


def test_names_are_stripped(store: EventStore) -> None:
    add(store, FIRST)
    assert add(store, [(" Ann", "calls ", "\u3000Bob", "2014-08-09")]) == (0, 1, 2)


# Versions


def test_versions_are_stored(store: EventStore) -> None:
    assert store.versions() == []
    content = "rule ☃\0\n" * 1000
    assert store.save_version("rules", content, {"facts": 7}) == 1
    assert store.save_version("model", "{}", {}) == 2
    newest, first = store.versions()
    assert (newest.version, newest.kind, newest.about) == (2, "model", {})
    assert isinstance(first, VersionInfo)
    assert first.about == {"facts": 7}
    assert datetime.fromisoformat(first.made).utcoffset() is not None
    assert store.version(1).content == content
    assert store.version(1).made == first.made


def test_an_unknown_version(store: EventStore) -> None:
    with pytest.raises(InputError, match="no version 3"):
        store.version(3)
    with pytest.raises(InputError, match="'rules' or 'model', not 'poem'"):
        store.save_version("poem", "", {})  # type: ignore[arg-type]


# Opening


def open_error(where: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        EventStore.open(where)
    assert SECRET not in str(caught.value)
    return str(caught.value)


def test_a_url_of_a_file_is_its_path(tmp_path: Path) -> None:
    with EventStore.open(tmp_path / "events 1%.db") as store:
        add(store, FIRST)
    with EventStore.open(f"sqlite:///{tmp_path}/events 1%.db") as store:
        assert stored_events(store) == FIRST


def test_sqlite_is_durable(tmp_path: Path) -> None:
    with EventStore.open(tmp_path / "events.db") as store, store._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # which is FULL


def test_locations_that_are_not_a_store(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("These are notes, and not events. " * 100)
    assert "the file is not a database" in open_error(tmp_path / "notes.txt")
    assert "does not exist; create it" in open_error(tmp_path / "nowhere" / "events.db")
    assert "Cannot open the store" in open_error(tmp_path)
    assert "needs a file" in open_error("sqlite://")
    assert "cannot be an event store" in open_error("mysql://host/name")
    assert "cannot be an event store" in open_error(f"duckdb:///{tmp_path}/events.duckdb")


def test_another_database_is_left_unchanged(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    before = (tmp_path / "other.db").read_bytes()
    assert "another database (its tables are songs)" in open_error(tmp_path / "other.db")
    assert (tmp_path / "other.db").read_bytes() == before


def test_a_store_of_another_format(store: EventStore, store_url: str) -> None:
    with store._transaction(writing=True) as connection:
        connection.exec_driver_sql("UPDATE tlogic_state SET format = 99")
    assert "has format 99, but this version of tlogic reads format 1" in open_error(store_url)


def test_foreign_tables_with_the_same_names(store: EventStore, store_url: str) -> None:
    with store._transaction(writing=True) as connection:
        connection.exec_driver_sql("ALTER TABLE tlogic_state RENAME COLUMN format TO layout")
    assert "the database reported an error" in open_error(store_url)


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ann:{SECRET}@127.0.0.1:9/db",
        f"postgresql://ann:{SECRET}@host:port/db",
        f"postgresql:///db?host=/nowhere&password={SECRET}",
        f"postgresql+nodriver://ann:{SECRET}@host/db",
    ],
)
def test_an_unreachable_database(url: str) -> None:
    assert "postgresql" in open_error(url)


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tlogic.serving.store.event_store")
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(InputError, match=r"a package is missing .* pip install 'tlogic\[databases\]'"):
        import_module("tlogic.serving.store.event_store")


def test_business_days(store: EventStore) -> None:
    days = [date(2014, 8, 4) + timedelta(day) for day in range(12)]
    add(store, [("Ann", "calls", "Bob", day) for day in days if day.weekday() < 5])
    assert store.state().timeline == Timeline("business day", 1, "2014-08-04")
    # A Saturday counts for the Monday after it.
    assert add(store, [("Ann", "calls", "Bob", "2014-08-16"), ("Ann", "calls", "Bob", "2014-08-18")])[:2] == (1, 1)
    assert store.state().span == Span(0, 10)
    with pytest.raises(InputError, match="differs from the one of the store, which is 1 business day"):
        add(store, FIRST, step="1d")


def test_weekly_events_in_a_store_of_days(store: EventStore) -> None:
    add(store, FIRST)
    weeks = [("Ann", "calls", "Bob", f"2014-08-{day}") for day in (13, 20, 27)]
    events = check_events(weeks)
    assert events.timeline == Timeline("week", 1, "2014-08-13", day=3)
    assert events.on(DAYS).step.tolist() == [4, 11, 18]
    with pytest.raises(InputError, match=r"have time steps of 1 day from .*, the store has .* 1 week, on Wednesdays"):
        check_events(FIRST).on(events.timeline)


def test_live_events_of_one_date_need_no_data_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data frames hand their work to other threads; in a busy service, each time costs milliseconds."""
    first = check_events([("Ann", "calls", "Bob", "2014-08-09")])
    check_events([("Ann", "calls", "Bob", "2014-08-10")], first.timeline)
    monkeypatch.setattr(encoded_events, "pl", None)
    again = check_events([("Eve", "calls", "Bob", "2014-08-10"), ("Bob", "sees", "Eve", "2014-08-10")], first.timeline)
    assert (again.entities, again.relations) == (["Eve", "Bob"], ["calls", "sees"])
    assert (again.subject.tolist(), again.relation.tolist(), again.object.tolist()) == ([0, 1], [0, 1], [1, 0])
    assert again.step.tolist() == [1, 1]
