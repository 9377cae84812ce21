"""Data frames of pandas, pyarrow and polars give the same facts."""

import subprocess
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tlogic
from tlogic.errors import InputError
from tlogic.events import Timeline, read_events

NAMES = {"subject": ["Ann", "Bob"], "relation": ["calls", "meets"], "object": ["Bob", "Zoë"]}
DAYS = ["2014-08-09", "2014-08-11"]

PANDAS: dict[str, Callable[[], Any]] = {
    "strings": lambda: DAYS,
    "objects": lambda: pd.Series(DAYS, dtype=object),
    "categories": lambda: pd.Categorical(DAYS),
    "dates": lambda: [date.fromisoformat(day) for day in DAYS],
    "datetimes": lambda: pd.to_datetime(DAYS),
    "zoned": lambda: pd.to_datetime(DAYS).tz_localize("UTC").tz_convert("Asia/Tokyo"),
    "integers": lambda: [20140809, 20140811],
    "nullable integers": lambda: pd.array([20140809, 20140811], dtype="Int64"),
    "day first": lambda: ["09/08/2014", "31/08/2014"],
}

ARROW: dict[str, Callable[[], Any]] = {
    "strings": lambda: DAYS,
    "dictionary": lambda: pa.array(DAYS).dictionary_encode(),
    "dates": lambda: pa.array([date.fromisoformat(day) for day in DAYS]),
    "date64": lambda: pa.array([date.fromisoformat(day) for day in DAYS], pa.date64()),
    "timestamps": lambda: pa.array(pd.to_datetime(DAYS), pa.timestamp("ns")),
    "zoned": lambda: pa.array(pd.to_datetime(DAYS), pa.timestamp("us", "UTC")),
    "decimals": lambda: pa.array([Decimal(20140809), Decimal(20140811)], pa.decimal128(8, 0)),
}


def check(source: object) -> None:
    table = read_events(source)
    assert table.frame.select("subject", "relation", "object").to_dict(as_series=False) == NAMES
    assert table.timeline == Timeline("day", 1, "2014-08-09")
    assert table.report.files[0].name == "data frame"


def refusal(source: object) -> str:
    with pytest.raises(InputError) as caught:
        read_events(source)
    return str(caught.value)


@pytest.mark.parametrize("times", PANDAS)
def test_pandas(times: str) -> None:
    check(pd.DataFrame({**NAMES, "date": PANDAS[times]()}))


@pytest.mark.parametrize("times", ARROW)
def test_pyarrow(times: str) -> None:
    table = pa.table({**NAMES, "date": ARROW[times]()})
    for source in (table, table.to_reader(), table.to_batches()[0]):
        check(source)


def test_polars() -> None:
    frame = pl.DataFrame({**NAMES, "date": DAYS})
    check(frame)
    check(frame.lazy())


def test_other_columns_and_the_index_do_not_matter() -> None:
    check(pd.DataFrame({"weight": [0.5, None], **NAMES, "date": DAYS}, index=["x", "y"]).iloc[:, ::-1])


def test_columns_without_names_are_given_by_position() -> None:
    frame = pd.DataFrame([["Ann", "calls", "Bob", 5]])
    assert len(tlogic.read(frame, columns=[0, 1, 2, 3])) == 1


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (lambda: pd.DataFrame({**NAMES, "time": [2014.0, None]}), "the time column 'time' holds Float64; expected"),
        (
            lambda: pd.DataFrame({**NAMES, "time": pd.period_range("2014", periods=2, freq="M")}),
            "the time column 'time'",
        ),
        (lambda: pd.DataFrame({**NAMES, "time": ["2014", 2015]}), "This DataFrame cannot be read as a table ("),
        (
            lambda: pd.DataFrame({**NAMES, "subject": [uuid4(), uuid4()], "time": 1}),
            "the subject column 'subject' holds",
        ),
        (lambda: pd.DataFrame([list("arb12")], columns=[*NAMES, "time", "time"]), "cannot be read as a table ("),
        (
            lambda: pd.DataFrame({**NAMES, "time": pd.array([1, None], dtype="Int64")}),
            "data frame row 2: the time is empty",
        ),
        (lambda: pd.DataFrame({**NAMES, "time": 1}).head(0), "data frame has no facts."),
        (lambda: pd.DataFrame(NAMES), "data frame has no column recognised as the time; its columns are 'subject'"),
        (lambda: pd.Series([1, 2]), "This Series cannot be read as a table ("),
        (
            lambda: pa.table({**NAMES, "time": pa.array([1, 2], pa.duration("s"))}),
            "the time column 'time' holds Duration",
        ),
        (
            lambda: pa.table({**NAMES, "time": pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval())}),
            "This Table cannot be read as a table (",
        ),
        (lambda: pa.array([1, 2]), "not Int64Array"),
        (lambda: pl.Series([1, 2]), "has no column recognised as the subject"),
        (lambda: [("a", "r", "b", 1)], "not list"),
        (lambda: {**NAMES, "time": [1, 2]}, "not dict"),
    ],
)
def test_frames_that_hold_no_facts(frame: Callable[[], object], message: str) -> None:
    assert message in refusal(frame())


WITHOUT_PYARROW = f"""
import sys
from importlib.machinery import PathFinder

class Hiding(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.split(".")[0] == "pyarrow" else super().find_spec(name, path, target)

sys.meta_path = [Hiding if finder is PathFinder else finder for finder in sys.meta_path]
import pandas, tlogic
try:
    tlogic.read(pandas.DataFrame({{**{NAMES!r}, "date": {DAYS!r}}}))
except tlogic.InputError as error:
    print(error)
"""


def test_pandas_without_pyarrow_says_what_is_missing() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, check=False)
    assert "which needs pyarrow" in done.stdout, done.stderr
