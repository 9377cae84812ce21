"""`tlogic events`: events are shown first, then removed, and the removal is logged."""

from pathlib import Path

import pytest

from tests.cli.running import assert_refused, run
from tlogic.serving import EventStore

CALLS = [("Ann", "calls", "Bob", 3), ("Bob", "calls", "Eve", 1_000_000), ("Ann", "calls", "Eve", 4)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with EventStore.open(tmp_path / "events.db") as opened:
        opened.add(opened.check(CALLS, step=1))
    return tmp_path / "events.db"


def test_events_are_shown_and_then_removed(store: Path) -> None:
    shown = run("events", "remove", "--store", store, "--since", "1000")
    assert shown.stdout.splitlines() == [
        "1000000\tBob\tcalls\tEve",
        f"1 event found in {store}; nothing was removed. To remove them, add --yes.",
    ]
    done = run("events", "remove", "--store", store, "--since", "1000", "--yes")
    assert done.stdout == f"1 event removed from {store}; 2 left\n"
    with EventStore.open(store) as opened:
        assert opened.find()[1] == [("Ann", "calls", "Bob", "3"), ("Ann", "calls", "Eve", "4")]
    assert run("events", "removals", "--store", store).stdout.split("\t")[1:] == ["1 event", "since 1000\n"]


def test_ingest_counts_what_is_left(store: Path, tmp_path: Path) -> None:
    run("events", "remove", "--store", store, "--object", "bob", "--yes")
    (tmp_path / "more.txt").write_text("Ann\tcalls\tZoe\t5\n", "utf-8")
    done = run("ingest", tmp_path / "more.txt", "--store", store, "--quiet")
    assert done.stdout == f"1 event added to {store}, 0 already stored; 3 in total\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Give a subject, relation, object or time"),
        (["--subject", "Nobody"], "Unknown entity 'Nobody'"),
        (["--until", "some day"], "not understood"),
    ],
)
def test_wrong_options_are_refused(store: Path, options: list[str], message: str) -> None:
    assert_refused(run("events", "remove", "--store", store, *options), message)


def test_a_missing_store_is_not_created(tmp_path: Path) -> None:
    assert_refused(run("events", "remove", "--store", tmp_path / "no.db", "--subject", "Ann"), "does not exist")
    assert_refused(run("events", "removals", "--store", tmp_path / "no.db"), "does not exist")
    assert not (tmp_path / "no.db").exists()


def test_a_row_at_zero_among_seconds_can_be_removed(tmp_path: Path) -> None:
    """Unix seconds and one row at 0: the store accepts them by command, and an operator can take the row out again."""
    rows = [f"p{n % 7}\tcalls\tp{(n + 1) % 7}\t{1_400_000_000 + n}\n" for n in range(300)]
    (tmp_path / "events.txt").write_text("".join([*rows, "p1\tcalls\tp5\t0\n"]), "utf-8")
    assert run("ingest", tmp_path / "events.txt", "--store", tmp_path / "e.db", "--step", "1").returncode == 0
    done = run("events", "remove", "--store", tmp_path / "e.db", "--until", "1000", "--yes")
    assert "1 event removed" in done.stdout
    assert "300 left" in done.stdout
