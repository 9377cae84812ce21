"""Large text files are read in pieces, with the same result and the same messages."""

from pathlib import Path

import pytest

import tlogic
from tests.datasets import Datasets
from tlogic import InputError, TemporalGraph
from tlogic.events.sources import delimited_files

TABLES = {
    "plain": "a\tr\tb\t2030-01-01\nb\tr\ta\t2030-01-02\n a \tr\tb\t2030-01-03\n",
    "quotes.csv": 'who,does,"whom, if any",day\n"a ""x""",r,"b\nc",2030-01-01\nb,r,a,2030-01-02\n',
    "ragged": "a\tr\tb\t2030-01-01\textra\nb\tr\ta\t2030-01-02\n\n",
    "times": "a\tr\tb\t2030-01-01 10:00\nb\tr\ta\t2030-01-01T11:00:00Z\n",
}
BROKEN: dict[str, str | bytes] = {
    "short": "a\tr\tb\t2030-01-01\nb\tr\n",
    "no time": "a\tr\tb\t2030-01-01\nb\tr\ta\tsoon\n",
    "no name": "a\tr\tb\t2030-01-01\n \tr\ta\t2030-01-02\n",
    "not text": b"a\tr\tb\t2030-01-01\n\xff\tr\ta\t2030-01-02\n",
    "open quote.csv": 'a,r,b,2030-01-01\n"b,r,a,2030-01-02\n',
}


def read_both(path: Path, monkeypatch: pytest.MonkeyPatch, **options: object) -> list[TemporalGraph | str]:
    """The graph, or the error, of a file as it is and as if it were large."""
    found: list[TemporalGraph | str] = []
    for large in (1 << 40, 0):
        monkeypatch.setattr(delimited_files, "_MIN_STREAMED_BYTES", large)
        try:
            found.append(tlogic.read(path, **options))  # type: ignore[arg-type]
        except InputError as error:
            found.append(str(error))
    return found


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / (name if "." in name else f"{name}.txt")
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    columns = [0, 1, 2, 3] if name != "quotes.csv" else ["who", "does", "whom, if any", "day"]
    one, other = read_both(write(tmp_path, name, TABLES[name]), monkeypatch, columns=columns)
    assert isinstance(one, TemporalGraph)
    assert isinstance(other, TemporalGraph)
    assert one.fingerprint == other.fingerprint
    assert one.report == other.report


@pytest.mark.parametrize("name", BROKEN)
def test_messages_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    one, other = map(str, read_both(write(tmp_path, name, BROKEN[name]), monkeypatch))
    assert "TemporalGraph" not in one
    assert one == other


def test_a_dataset_is_the_same(dataset: Datasets, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = read_both(dataset("icews14"), monkeypatch)
    assert isinstance(one, TemporalGraph)
    assert isinstance(other, TemporalGraph)
    assert one.fingerprint == other.fingerprint
    assert one.report == other.report


def test_large_and_small_files_go_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.txt").write_text("a\tr\tb\t2030-01-01\n" * 50)
    (tmp_path / "test.txt").write_text("c\tr\tb\t2030-01-02\n")
    graphs = [read_both(tmp_path, monkeypatch)[0]]
    monkeypatch.setattr(delimited_files, "_MIN_STREAMED_BYTES", 200)
    graphs.append(tlogic.read(tmp_path))
    assert [each.fingerprint for each in graphs if isinstance(each, TemporalGraph)] == [graphs[1].fingerprint] * 2  # type: ignore[union-attr]
