"""Compiled graphs: equal to the original graph, or rejected with a clear message."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tlogic
from tests.strategies import World, worlds
from tests.worlds import as_graph
from tlogic import InputError
from tlogic.graph.arrays import Ints
from tlogic.graph.compiled_graph import GRAPH_FILE, open_compiled, write_compiled
from tlogic.graph.graph_cache import read_with_cache
from tlogic.graph.temporal_graph import Precomputed, TemporalGraph

MAGIC = GRAPH_FILE.magic


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compiled") / "sample.graph"
    write_compiled(tlogic.sample(days=60), path)
    return path


def assert_same(one: TemporalGraph, other: TemporalGraph) -> None:
    assert one.entities.names == other.entities.names
    assert one.relations.base == other.relations.base
    assert (one.timeline, one.valid_from, one.test_from) == (other.timeline, other.valid_from, other.test_from)
    assert one.report == other.report
    assert one.fingerprint == other.fingerprint
    assert one.train.fingerprint == other.train.fingerprint
    for mine, theirs in zip(arrays_of(one), arrays_of(other), strict=True):
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs)


def arrays_of(graph: TemporalGraph) -> list[Ints]:
    return [array for record in (graph.facts, graph.triples, *graph.views) for array in record]


@settings(max_examples=50)
@given(worlds())
def test_what_is_opened_is_what_was_written(tmp_path_factory: pytest.TempPathFactory, world: World) -> None:
    path = tmp_path_factory.mktemp("worlds") / "world.graph"
    graph = as_graph(world)
    write_compiled(graph, path)
    again = open_compiled(path)
    assert_same(graph, again)
    for opened, expected in ((again, graph), (again.train, graph.train)):
        recomputed = replace(opened, precomputed=Precomputed()).fingerprint
        assert recomputed == expected.fingerprint  # computed from the facts, not read from the header


def test_everything_is_the_same_from_a_compiled_graph(compiled: Path) -> None:
    graph, opened = tlogic.sample(days=60), tlogic.read(compiled)
    rules = [tlogic.learn(each, walks=20) for each in (graph, opened)]
    assert rules[0].to_json() == rules[1].to_json()
    figures = [tlogic.evaluate(each, rules[0]).to_dict()["realistic"] for each in (graph, opened)]
    assert figures[0] == figures[1]
    queries = [("Kite Aviation", "sue"), (None, "sue", "Kite Aviation")]
    assert tlogic.forecast(graph, rules[0], queries).frame.equals(tlogic.forecast(opened, rules[0], queries).frame)


def test_other_periods_can_be_chosen_and_nothing_else(compiled: Path) -> None:
    later = tlogic.read(compiled, test_from="2030-02-20")
    assert later.timeline.label_of(later.test_from) == "2030-02-20"
    assert later.valid_from == later.test_from
    assert later.report is not None
    assert later.report.periods is not None
    assert sum(later.report.periods) == len(later)
    earlier = tlogic.read(compiled, valid_from="2030-01-20", test_from="2030-02-20")
    alone = tlogic.learn(replace(tlogic.sample(days=60), valid_from=earlier.valid_from), walks=20)
    assert tlogic.learn(earlier, walks=20).to_json() == alone.to_json()
    with pytest.raises(InputError, match="step has no effect on a compiled graph"):
        tlogic.read(compiled, step="1w")


@settings(max_examples=300)
@given(st.data())
def test_damaged_files_are_refused(
    compiled: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Any byte changed, any number of bytes missing at the end, or too many of them."""
    content = bytearray(compiled.read_bytes())
    damage = data.draw(st.sampled_from(["flip", "cut", "add", "zero"]))
    place = data.draw(st.integers(len(MAGIC), len(content) - 1))
    if damage == "flip":
        content[place] ^= 1 << data.draw(st.integers(0, 7))
    elif damage == "cut":
        del content[place:]
    elif damage == "add":
        content += bytes(data.draw(st.integers(1, 100)))
    else:
        end = place + 64
        content[place:end] = bytes(len(content[place:end]))
    assume(content != compiled.read_bytes())
    broken = tmp_path_factory.mktemp("broken") / "broken.graph"
    broken.write_bytes(content)
    with pytest.raises(InputError, match=r"damaged|version|not a compiled graph"):
        open_compiled(broken)


@pytest.mark.parametrize(
    "content",
    [b"", b"tlogic", MAGIC, MAGIC + b"\1\0\0\0", b"\x89PNG\r\n", Random(1).randbytes(1000)],
    ids=range(6),
)
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "foreign.graph"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"foreign\.graph"):
        open_compiled(path)


def test_another_version_is_rejected_with_advice(compiled: Path, tmp_path: Path) -> None:
    content = bytearray(compiled.read_bytes())
    content[len(MAGIC)] = 99
    (tmp_path / "new.graph").write_bytes(content)
    with pytest.raises(InputError, match=r"version 99.*tlogic index"):
        tlogic.read(tmp_path / "new.graph")


def test_a_graph_of_changed_files_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "events.csv"
    text.write_text("subject,relation,object,date\na,r,b,2030-01-01\nb,r,a,2030-01-02\n")
    write_compiled(tlogic.read(text), tmp_path / "events.graph", text)
    assert len(tlogic.read(tmp_path / "events.graph")) == 2
    text.write_text(text.read_text() + "a,r,a,2030-01-03\n")
    with pytest.raises(InputError, match="has changed since"):
        tlogic.read(tmp_path / "events.graph")
    text.unlink()
    assert len(tlogic.read(tmp_path / "events.graph")) == 2  # nothing to compare it with


def test_another_time_stamp_alone_is_no_change(tmp_path: Path) -> None:
    text = tmp_path / "events.csv"
    text.write_text("subject,relation,object,date\na,r,b,2030-01-01\nb,r,a,2030-01-02\n")
    write_compiled(tlogic.read(text), tmp_path / "events.graph", text)
    os.utime(text, (1e9, 1e9))
    assert len(tlogic.read(tmp_path / "events.graph")) == 2
    text.write_text(text.read_text().replace("b,r,a", "b,r,c"))  # of the same size
    with pytest.raises(InputError, match="has changed since"):
        tlogic.read(tmp_path / "events.graph")


@pytest.mark.parametrize("name", ["test.txt", "entity2id.txt"])
def test_a_graph_is_refused_when_its_folder_has_another_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "train.txt").write_text("0\t0\t1\t0\n1\t0\t0\t1\n")
    write_compiled(tlogic.read(tmp_path), tmp_path / "events.graph", tmp_path)
    write_compiled(tlogic.read(tmp_path), tmp_path / "again.graph", tmp_path / "events.graph")
    (tmp_path / "notes.txt").touch()  # which is not read
    assert len(tlogic.read(tmp_path / "events.graph")) == 2
    (tmp_path / name).write_text("0\t0\t1\t2\n")
    for graph in ("events.graph", "again.graph"):
        with pytest.raises(InputError, match=f"but {name} has changed since"):
            tlogic.read(tmp_path / graph)


def test_a_graph_whose_source_may_not_be_seen_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tmp_path / "events.csv"
    text.write_text("subject,relation,object,date\na,r,b,2030-01-01\nb,r,a,2030-01-02\n")
    write_compiled(tlogic.read(text), tmp_path / "events.graph", text)

    def forbidden(path: str | Path) -> list[Path]:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("tlogic.graph.compiled_graph.files_read", forbidden)
    assert len(tlogic.read(tmp_path / "events.graph")) == 2


def test_the_cache_is_used_and_notices_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLOGIC_CACHE", str(tmp_path / "cache"))
    text = tmp_path / "events.csv"

    def write(*rows: str) -> None:
        text.write_text("subject,relation,object,date\n" + "".join(f"{row}\n" for row in rows))
        settled = text.stat().st_mtime_ns - 10_000_000_000 + len(rows)
        os.utime(text, ns=(settled, settled))

    def kept() -> list[Path]:
        return list((tmp_path / "cache").glob("*.graph"))

    write("a,r,b,2030-01-01", "b,r,a,2030-01-02")
    first = read_with_cache(str(text))
    assert len(kept()) == 1
    assert_same(first, read_with_cache(str(text)))
    assert len(read_with_cache(str(text), step="1w").facts.time) == 2
    assert len(kept()) == 2  # other options, another graph
    write("a,r,b,2030-01-01", "b,r,a,2030-01-02", "a,r,a,2030-01-03")
    assert len(read_with_cache(str(text))) == 3
    damaged = max(kept(), key=lambda path: path.stat().st_mtime)
    whole = damaged.read_bytes()
    for content in (b"nothing", whole[:-64] + bytes(byte ^ 255 for byte in whole[-64:])):
        damaged.write_bytes(content)
        assert len(read_with_cache(str(text))) == 3
        assert damaged.read_bytes() == whole
    monkeypatch.setenv("TLOGIC_CACHE", "off")
    assert len(read_with_cache(str(text))) == 3


def test_the_cache_removes_what_is_its_own_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLOGIC_CACHE", str(tmp_path))
    monkeypatch.setattr("tlogic.graph.graph_cache._MAX_FILES", 1)
    text, own = tmp_path / "events.csv", tmp_path / "mine.graph"
    text.write_text("subject,relation,object,date\na,r,b,2030-01-01\nb,r,a,2030-01-02\n")
    for path in (text, own):
        path.touch()
        os.utime(path, (1e9, 1e9))
    for step in ("1d", "2d", "3d"):
        read_with_cache(str(text), step=step)
    assert own.exists()
    assert len(list(tmp_path.glob("*.graph"))) == 2


def test_processes_share_its_memory(compiled: Path) -> None:
    """The arrays are the file's own pages: they are mapped, and none of them is copied by opening."""
    code = (
        "import sys, tlogic; from pathlib import Path; graph = tlogic.read(sys.argv[1]); "
        "lines = Path('/proc/self/maps').read_text(); print(sys.argv[1] in lines, graph.facts.time.flags.owndata)"
    )
    if not Path("/proc/self/maps").exists():
        pytest.skip("This system does not tell what is mapped.")
    done = subprocess.run([sys.executable, "-c", code, str(compiled)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
