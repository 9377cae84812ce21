"""Memories of graphs that come from files are stored, and later commands go on from them."""

import os
from pathlib import Path

import pytest

import tlogic
from tests.damage import flip
from tlogic.graph import TemporalGraph
from tlogic.graph.graph_cache import FOLDER_VARIABLE, read_with_cache

LONG_AGO = 1_000_000_000


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file of facts that has not changed for long, and an empty cache."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    rows = [(s, "calls", (s + t % 3 + 1) % 5, t) for t in range(60) for s in range(5)]
    file = tmp_path / "calls.txt"
    file.write_text("".join(f"e{s}\t{r}\te{o}\t{t}\n" for s, r, o, t in rows))
    os.utime(file, (LONG_AGO, LONG_AGO))
    return str(file)


def read(data: str) -> TemporalGraph:
    return read_with_cache(data, valid_from="40", test_from="50")


def test_fitting_stores_what_evaluation_needs(data: str, n_added: list[int]) -> None:
    model = tlogic.fit(read(data), evidence=["pair", "rules"])
    expected = tlogic.evaluate(tlogic.read(data, valid_from="40", test_from="50"), model)
    del n_added[:]
    found = tlogic.evaluate(read(data), model)
    assert found.mrr == expected.mrr
    assert sum(n_added) == 9 * 5  # the facts of all time steps of the test but the last one


def test_a_forecast_stores_a_memory_of_all_facts(data: str, n_added: list[int]) -> None:
    model = tlogic.fit(read(data), evidence=["pair", "rules"])
    first = tlogic.forecast(read(data), model, [("e1", "calls")])
    del n_added[:]
    second = tlogic.forecast(read(data), model, [("e1", "calls")])
    assert second.frame.equals(first.frame)
    assert sum(n_added) == 0


def test_a_damaged_memory_is_built_and_stored_again(data: str, n_added: list[int]) -> None:
    model = tlogic.fit(read(data), evidence=["pair", "rules"])
    first = tlogic.forecast(read(data), model, [("e1", "calls")])
    cached = {path: path.read_bytes() for path in Path(data).with_name("cache").glob("*.memory")}
    assert cached
    for path, content in cached.items():
        path.write_bytes(flip(content, 4 * len(content)))
    assert tlogic.forecast(read(data), model, [("e1", "calls")]).frame.equals(first.frame)
    del n_added[:]
    assert tlogic.forecast(read(data), model, [("e1", "calls")]).frame.equals(first.frame)
    assert sum(n_added) == 0
