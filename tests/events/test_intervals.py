"""Facts with a beginning and an end are read as the time steps that they cover, or as their beginning."""

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tlogic
from tests.cli.running import run
from tlogic.errors import InputError
from tlogic.events import intervals, read_events
from tlogic.serving.store.event_store import EventStore

DAYS = [("Ann", "2030-01-01", "2030-01-03"), ("Bob", "2030-01-02", "2030-01-02"), ("Cy", "2030-01-04", "")]


def frame(rows: list[tuple[str, Any, Any]] = DAYS, start: str = "start", end: str = "end") -> pl.DataFrame:
    names, begins, ends = zip(*rows, strict=True)
    n = len(rows)
    return pl.DataFrame(
        {"subject": names, "relation": ["leads"] * n, "object": ["X"] * n, start: begins, end: ends}, strict=False
    )


def read(source: Any, **options: Any) -> list[tuple[str, str]]:
    table = read_events(source, **options)
    dates = table.timeline.labels_of(table.frame["step"]).tolist()
    return sorted(zip(table.frame["subject"].to_list(), dates, strict=True))


COVERED = [
    *(("Ann", f"2030-01-0{day}") for day in (1, 2, 3)),
    ("Bob", "2030-01-02"),
    ("Cy", "2030-01-04"),
]


@pytest.mark.parametrize(
    ("start", "end"), [("start", "end"), ("From", "To"), ("begin", "until"), ("valid_from", "valid_to")]
)
def test_facts_cover_the_steps_from_beginning_to_end(start: str, end: str, tmp_path: Path) -> None:
    frame(start=start, end=end).write_csv(tmp_path / "facts.csv")
    assert read(tmp_path / "facts.csv") == read(frame(start=start, end=end)) == COVERED
    beginnings = [("Ann", "2030-01-01"), ("Bob", "2030-01-02"), ("Cy", "2030-01-04")]
    assert read(tmp_path / "facts.csv", intervals="start") == beginnings


@pytest.mark.parametrize("no_end", [None, "", "9999-12-31"])
def test_an_open_end_lasts_until_the_last_date(no_end: str | None) -> None:
    rows = [("Ann", "2030-01-02", no_end), ("Bob", "2030-01-01", "2030-01-04")]
    assert read(frame(rows))[:3] == [("Ann", f"2030-01-0{day}") for day in (2, 3, 4)]


def test_columns_can_be_given() -> None:
    named = frame(start="hired", end="left")
    assert read(named, columns=["subject", "relation", "object", "hired", "left"]) == COVERED
    assert read(named, columns={"time": "hired", "until": "left"}) == COVERED
    with pytest.raises(InputError, match="no column recognised as the end of facts; name it with columns="):
        read(named, columns={"time": "hired"}, intervals="cover")
    with pytest.raises(InputError, match='expected "cover" or "start"'):
        read(named, columns={"time": "hired"}, intervals="all")


def test_a_column_of_times_comes_first() -> None:
    assert read(frame().with_columns(date=pl.lit("2030-05-01"))) == [(n, "2030-05-01") for n in ("Ann", "Bob", "Cy")]


def test_years_integers_and_dates() -> None:
    assert read(frame([("Ann", 1999, 2001)])) == [("Ann", str(year)) for year in (1999, 2000, 2001)]
    assert read(frame([("Ann", 5, 7), ("Bob", 6, 6)])) == [("Ann", "5"), ("Ann", "6"), ("Ann", "7"), ("Bob", "6")]
    assert read(frame([("Ann", date(2030, 1, 1), date(2030, 1, 2))])) == COVERED[:2]
    assert len(read(frame([("Ann", "2030-01-05", "2030-03-02")]), step="1mo")) == 3


@pytest.mark.parametrize("end", ["2029-12-31", "soon"])
def test_an_invalid_end_makes_a_bad_row(end: str, tmp_path: Path) -> None:
    frame([*DAYS, ("Di", "2030-01-01", end)]).write_csv(tmp_path / "facts.csv")
    with pytest.raises(InputError, match=f"line 5: the end '{end}' is not understood, or before the beginning"):
        read(tmp_path / "facts.csv")
    assert read(tmp_path / "facts.csv", skip_bad_rows=True) == COVERED


def test_too_many_steps_are_an_error_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "MAX_COVERED_FACTS", 4)
    with pytest.raises(InputError, match=r"cover 5 steps of 1 day; at most 4 .* --step 1mo.* --intervals start"):
        read(frame())
    assert len(read(frame(), intervals="start")) == 3


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9) | st.none()), min_size=1, max_size=8))
def test_steps_are_counted_one_by_one(spans: list[tuple[int, int | None]]) -> None:
    rows = [(f"p{i}", begin, None if n is None else begin + n) for i, (begin, n) in enumerate(spans)]
    last = max(begin if end is None else end for _, begin, end in rows)
    expected = {
        (name, str(time)) for name, begin, end in rows for time in range(begin, (last if end is None else end) + 1)
    }
    typed = frame(rows).with_columns(pl.col("end").cast(pl.Int64))
    assert set(read(typed, step=1)) == expected


def test_the_report_and_the_commands(tmp_path: Path) -> None:
    frame().write_csv(tmp_path / "facts.csv")
    graph = tlogic.read(tmp_path / "facts.csv")
    assert "3 rows with a beginning and an end, as the steps that they cover" in str(graph.report)
    assert "5 facts" in run("stats", tmp_path / "facts.csv").stdout
    assert "3 facts" in run("stats", tmp_path / "facts.csv", "--intervals", "start").stdout
    store = tmp_path / "events.db"
    assert run("ingest", tmp_path / "facts.csv", "--store", store).stdout.startswith("5 events added")
    with EventStore.open(store) as opened:
        assert opened.state().last == 5
