from pathlib import Path

import pytest

from tests.cli.running import assert_refused, run
from tests.serving.test_store import empty_postgres as empty_postgres  # noqa: PLC0414 (a fixture)
from tlogic.events import Timeline
from tlogic.serving.store.event_store import EventStore

SECRET = "s3cr3t"


def write(path: Path, *facts: str) -> Path:
    path.write_text("".join(f"{fact}\n" for fact in ("subject,relation,object,date", *facts)))
    return path


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return write(tmp_path / "calls.csv", "Ann,calls,Bob,2014-08-09", "Bob,calls,Ann,2014-08-11")


def test_a_folder_is_ingested_once(world: Path, tmp_path: Path) -> None:
    store = tmp_path / "events.db"
    first = run("ingest", "--store", store, world)
    assert first.returncode == 0, first.stderr
    assert first.stdout == f"11,751 events added to {store}, 0 already stored; 11,751 in total\n"
    assert "in steps of 1 day (found from the data)" in first.stderr
    again = run("ingest", "--store", store, world, "--quiet")
    assert again.stdout == f"0 events added to {store}, 11,751 already stored; 11,751 in total\n"
    assert again.stderr == ""


def test_postgresql_and_its_password(empty_postgres: str, calls: Path) -> None:
    url = empty_postgres.replace("postgres:@", f"postgres:{SECRET}@")
    done = run("ingest", "--store", url, calls)
    assert done.stdout == "2 events added to postgresql:///postgres, 0 already stored; 2 in total\n"
    assert SECRET not in done.stderr


def test_the_store_determines_the_time_step(calls: Path, tmp_path: Path) -> None:
    store = tmp_path / "events.db"
    assert run("ingest", "--store", store, calls, "--step", "2d").returncode == 0
    later = write(tmp_path / "later.csv", "Ann,calls,Bob,2014-09-01", "Ann,calls,Bob,2014-08-01")
    done = run("ingest", "--store", store, later)
    assert "2 events added" in done.stdout, done.stderr
    assert "Warning" not in done.stderr
    assert run("ingest", "--store", store, later, "--step", "2d").stdout.startswith("0 events added")
    assert_refused(run("ingest", "--store", store, later, "--step", "1d"), "which is 2 days")
    assert_refused(run("ingest", "--store", store, later, "--time-zone", "Asia/Tokyo"), "is UTC, not Asia/Tokyo")
    with EventStore.open(store) as opened:
        assert opened.state().timeline == Timeline("day", 2, "2014-08-09")
        assert opened.changes_since(0, 0, 0).events.step.tolist() == [0, 1, 11, -4]


@pytest.mark.parametrize(("step", "unit"), [("15m", "minute"), ("1mo", "month"), ("1y", "year"), ("1w", "week")])
def test_every_time_step_is_kept(calls: Path, tmp_path: Path, step: str, unit: str) -> None:
    store = tmp_path / "events.db"
    assert run("ingest", "--store", store, calls, "--step", step).returncode == 0
    assert "0 events added" in run("ingest", "--store", store, calls).stdout
    with EventStore.open(store) as opened:
        timeline = opened.state().timeline
        assert timeline is not None
        assert timeline.unit == unit


def test_weekly_events_keep_their_dates(tmp_path: Path) -> None:
    store = tmp_path / "events.db"
    weekly = write(tmp_path / "weekly.csv", *(f"Ann,calls,Bob,2014-08-{day:02}" for day in (6, 13, 20)))
    first = run("ingest", "--store", store, weekly)
    assert "in steps of 1 week, on Wednesdays (found from the data)" in first.stderr
    later = write(tmp_path / "later.csv", "Ann,calls,Bob,2014-08-23", "Ann,calls,Bob,2014-08-27")
    done = run("ingest", "--store", store, later, "--step", "1w")
    assert done.stdout.startswith("1 event added"), done.stderr
    with EventStore.open(store) as opened:
        assert opened.state().timeline == Timeline("week", 1, "2014-08-06", day=3)
        assert opened.changes_since(0, 0, 0).events.step.tolist() == [0, 1, 2, 3]


def test_repeated_rows_are_not_called_stored(calls: Path, tmp_path: Path) -> None:
    store = tmp_path / "events.db"
    twice = write(tmp_path / "twice.csv", *calls.read_text().splitlines()[1:], "Bob,calls,Ann,2014-08-11")
    for stored, already in ((2, 0), (0, 2)):
        done = run("ingest", "--store", store, twice)
        expected = f"{stored} events added to {store}, {already} already stored, 1 repeated in the data; 2 in total\n"
        assert done.stdout == expected, done.stderr


def test_integers(tmp_path: Path) -> None:
    store = tmp_path / "events.db"
    run("ingest", "--store", store, write(tmp_path / "a.csv", "Ann,calls,Bob,5", "Ann,calls,Bob,29"))
    done = run("ingest", "--store", store, write(tmp_path / "b.csv", "Ann,calls,Bob,28", "Ann,calls,Bob,1999"))
    assert done.stdout == f"1 event added to {store}, 1 already stored; 3 in total\n", done.stderr
    dates = write(tmp_path / "c.csv", "Ann,calls,Bob,2014-08-09")
    assert_refused(run("ingest", "--store", store, dates), "The times are calendar dates")


def test_invalid_input_is_refused(calls: Path, tmp_path: Path) -> None:
    store = tmp_path / "events.db"
    assert_refused(run("ingest", "--store", store), "No data given")
    assert_refused(run("ingest", "--store", store, tmp_path / "none.csv"), "no file or folder")
    assert not store.exists()
    assert_refused(run("ingest", "--store", store, calls, "--test-from", "2014-08-11"), "leave out --valid-from")
    assert_refused(run("ingest", "--store", calls, calls), "Cannot open the store")
    inverse = write(tmp_path / "inverse.csv", "Ann,calls^-1,Bob,2014-08-09")
    assert_refused(run("ingest", "--store", store, inverse), "event 0 (counted from 0): the relation 'calls^-1'")
    away = f"postgresql://ann:{SECRET}@127.0.0.1:9/db"
    refused = run("ingest", "--store", away, calls)
    assert_refused(refused, "Cannot open the store postgresql://127.0.0.1:9/db")
    assert SECRET not in refused.stderr


def test_bad_rows_can_be_skipped(tmp_path: Path) -> None:
    data = write(tmp_path / "calls.csv", "Ann,calls,Bob,2014-08-09", "Ann,,Bob,2014-08-09", "Bob,calls,Ann,2014-08-10")
    store = tmp_path / "events.db"
    assert_refused(run("ingest", "--store", store, data), "the relation is empty")
    assert run("ingest", "--store", store, data, "--skip-bad-rows").stdout.startswith("2 events added")
