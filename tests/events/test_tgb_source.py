"""Folders of TGB 2.0, read without its package."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import tlogic
from tests.cli.running import run
from tests.tgb_data import midnights, write_dataset
from tlogic.errors import InputError
from tlogic.events.datasets import list_datasets
from tlogic.events.sources import delimited_files
from tlogic.events.sources.pickled_arrays import find_arrays
from tlogic.events.sources.tgb import ids_of_edge_list
from tlogic.events.splits import split_by_quantiles


def test_a_folder_of_tgb_is_read_and_split_at_its_quantiles(tmp_path: Path) -> None:
    write_dataset(tmp_path / "tkgl_smallpedia", "tkgl-smallpedia")
    graph, sample = tlogic.read(tmp_path / "tkgl_smallpedia"), tlogic.sample(days=60)
    assert len(graph) == len(sample)
    assert graph.timeline.label_of(0) == "1950"
    assert set(graph.relations.base) == {f"P{number}" for number in range(len(sample.relations.base))}
    assert (graph.valid_from, graph.test_from) == split_by_quantiles(sample.facts.time)
    assert f"{len(graph.train):,} facts for training" in str(graph.report)
    split_by_date = tlogic.read(tmp_path / "tkgl_smallpedia", valid_from=1990, test_from=2000)
    assert split_by_date.timeline.label_of(split_by_date.test_from) == "2000"


@pytest.mark.parametrize("n", range(1, 60))
def test_quantiles_are_those_of_both_directions(n: int) -> None:
    steps = np.sort(np.random.default_rng(n).integers(0, 12, n))
    both = np.concatenate([steps, steps])
    last_train, last_valid = np.quantile(both, [0.7, 0.85])
    split = split_by_quantiles(steps)
    assert (both[both <= last_train] < split.valid_from).all()
    assert (both[both > last_train] >= split.valid_from).all()
    assert (both[both <= last_valid] < split.test_from).all()
    assert (both[both > last_valid] >= split.test_from).all()


@pytest.fixture(params=[False, True], ids=["small", "large"])
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read as small ones, and as large ones, whose cells are categorical."""
    if request.param:
        monkeypatch.setattr(delimited_files, "_MIN_STREAMED_BYTES", 0)


@pytest.mark.usefixtures("reading")
def test_daily_times_are_days_also_across_summer_time(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, "tkgl-icews")
    graph = tlogic.read(path)
    assert graph.timeline.description == "1 day"
    assert graph.timeline.label_of(0) == "2018-03-10"
    assert graph.end == 60
    assert np.array_equal(graph.facts.time, tlogic.sample(days=60).facts.time)


@pytest.mark.usefixtures("reading")
def test_ids_follow_the_first_appearance(tmp_path: Path) -> None:
    (tmp_path / "tkgl-x_edgelist.csv").write_text("ts,head,tail,relation_type\n1,Q5,Q2,P9\n1,Q7,Q5,P1\n0,Q2,Q1,P9\n")
    entities, relations = ids_of_edge_list(tmp_path / "tkgl-x_edgelist.csv")
    assert entities.to_list() == ["Q5", "Q2", "Q7", "Q1"]
    assert relations.to_list() == ["P9", "P1"]


def test_times_within_a_day_are_kept_apart(tmp_path: Path) -> None:
    start = int(midnights(np.array([0]))[0])
    rows = "\n".join(f"{start + hour * 3600},1,2,{hour % 3}" for hour in range(48))
    (tmp_path / "tkgl-hours_edgelist.csv").write_text(f"timestamp,head,tail,relation_type\n{rows}\n")
    assert tlogic.read(tmp_path).end == 48


def test_static_edges_are_left_out_with_a_warning(tmp_path: Path) -> None:
    write_dataset(tmp_path, "tkgl-smallpedia")
    (tmp_path / "tkgl-smallpedia_static_edgelist.csv").write_text("head,tail,relation_type\nQ1,Q2,P31\n")
    graph = tlogic.read(tmp_path)
    assert "P31" not in graph.relations.base
    assert graph.report is not None
    assert any("static_edgelist.csv was not read: its edges have no time" in text for text in graph.report.warnings)


def test_a_folder_with_two_edge_lists_raises(tmp_path: Path) -> None:
    write_dataset(tmp_path, "tkgl-icews")
    write_dataset(tmp_path, "tkgl-polecat")
    with pytest.raises(InputError, match=r"several edge lists, tkgl-icews_edgelist.csv and tkgl-polecat"):
        tlogic.read(tmp_path)


def test_commands_take_folders_and_names_of_tgb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_dataset(tmp_path / "tkgl-smallpedia", "tkgl-smallpedia")
    monkeypatch.setenv("TLOGIC_DATA", str(tmp_path))
    assert "tkgl-smallpedia" in {status.name for status in list_datasets() if status.state != "absent"}
    rules = tmp_path / "small.rules"
    assert run("learn", "tkgl-smallpedia", "--lengths", "1", "--out", rules).returncode == 0
    done = run("evaluate", "tkgl-smallpedia", "--rules", rules, "--protocol", "tgb", "--json")
    assert done.returncode == 0, done.stderr
    assert '"protocol": "tgb"' in done.stdout
    by_default = run("evaluate", tmp_path / "tkgl-smallpedia", "--protocol", "tgb")
    assert by_default.returncode == 0, by_default.stderr
    assert "include" not in by_default.stderr  # no warning of known facts: the model is fitted to the training facts


def pickled(path: Path, content: object, protocol: int = 5) -> Path:
    path.write_bytes(pickle.dumps(content, protocol))
    return path


@pytest.mark.parametrize("protocol", [3, 4, 5])
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_pickled_arrays_are_found(tmp_path: Path, protocol: int, dtype: type) -> None:
    random = np.random.default_rng(0)
    keys = random.integers(0, 100_000, (3000, 3))
    content: dict[tuple[int, ...], np.ndarray] = {
        tuple(key): random.integers(0, 1000, 5 + row % 300).astype(dtype) for row, key in enumerate(keys)
    }
    found = find_arrays(pickled(tmp_path / "ns.pkl", content, protocol))
    assert [tuple(key) for key in found.key.tolist()] == list(content)
    some = np.array([0, 1, 299, 2998])
    for array, entry in zip(found.read(some), some, strict=True):
        assert np.array_equal(array, list(content.values())[entry])


class Malicious:
    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self._path,)


def test_pickles_are_not_executed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    path = pickled(tmp_path / "ns.pkl", {(1, 2, 3): Malicious(trace)})
    with pytest.raises(InputError, match="is not allowed"):
        find_arrays(path)
    assert not trace.exists()


@pytest.mark.parametrize("content", [[1, 2], {"a": np.arange(3)}, {(1, 2, 3): [1]}, {(1, 2, 3): np.array([0.5])}, {}])
def test_other_pickles_raise(tmp_path: Path, content: object) -> None:
    with pytest.raises(InputError, match=r"ns\.pkl"):
        find_arrays(pickled(tmp_path / "ns.pkl", content))


def test_files_that_are_no_pickles_raise(tmp_path: Path) -> None:
    path = tmp_path / "ns.pkl"
    path.write_text("no pickle")
    with pytest.raises(InputError, match="is not a pickled dictionary"):
        find_arrays(path)
    with pytest.raises(InputError, match="cannot be opened"):
        find_arrays(tmp_path / "missing.pkl")
