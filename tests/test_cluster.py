"""Runs on a real Ray cluster: three nodes on this machine, each with one CPU and its own object store."""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import numpy as np
import pytest
import ray
from ray.cluster_utils import Cluster

import tlogic
from tests.cli.running import run, run_process
from tlogic import parallel
from tlogic.errors import InputError
from tlogic.graph import TemporalGraph
from tlogic.graph.sorting import counting_sort
from tlogic.parallel import connect, in_parallel

NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
SOON = {"health_check_initial_delay_ms": 500, "health_check_period_ms": 500, "health_check_failure_threshold": 4}
"""When a node that does not respond counts as failed."""


@pytest.fixture(scope="module")
def nodes() -> Iterator[Cluster]:
    cluster = Cluster(initialize_head=True, head_node_args=NODE | {"_system_config": SOON})
    for _ in range(2):
        cluster.add_node(**NODE)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def address(nodes: Cluster) -> str:
    return str(nodes.address)


@pytest.fixture(scope="module")
def graph() -> TemporalGraph:
    return tlogic.sample(days=200)


@pytest.fixture(scope="module")
def rules(graph: TemporalGraph) -> tlogic.RuleSet:
    return tlogic.learn(graph, threads=1)


@pytest.fixture(scope="module")
def model(graph: TemporalGraph) -> tlogic.Model:
    return tlogic.fit(graph, threads=1)


def test_learning_gives_the_same_rules(graph: TemporalGraph, rules: tlogic.RuleSet, address: str) -> None:
    assert tlogic.learn(graph, cluster=address).to_json() == rules.to_json()


def test_measuring_gives_the_same_supports(graph: TemporalGraph, rules: tlogic.RuleSet, address: str) -> None:
    measured = tlogic.measure(graph, rules, confidence="exact", threads=1)
    assert tlogic.measure(graph, rules, confidence="exact", cluster=address).to_json() == measured.to_json()


def test_fitting_gives_the_same_model(graph: TemporalGraph, model: tlogic.Model, address: str) -> None:
    assert tlogic.fit(graph, cluster=address).to_json() == model.to_json()


@pytest.mark.parametrize("by", ["rules", "model"])
def test_evaluating_gives_the_same_ranks(
    by: str, graph: TemporalGraph, address: str, request: pytest.FixtureRequest
) -> None:
    knowledge = request.getfixturevalue(by)
    alone, spread = (tlogic.evaluate(graph, knowledge, threads=1, cluster=where) for where in (None, address))
    assert np.array_equal(alone.ranks.optimistic, spread.ranks.optimistic)
    assert np.array_equal(alone.ranks.pessimistic, spread.ranks.pessimistic)
    assert np.array_equal(alone.fell_back, spread.fell_back)
    assert alone.to_dict().get("reliability") == spread.to_dict().get("reliability")


@pytest.mark.parametrize("by", ["rules", "model"])
def test_forecasting_gives_the_same_answers(
    by: str, graph: TemporalGraph, address: str, request: pytest.FixtureRequest
) -> None:
    knowledge = request.getfixturevalue(by)
    queries = [(name, relation) for name in graph.entities.names[:12] for relation in graph.relations.names[::3]]
    alone, spread = (tlogic.forecast(graph, knowledge, queries, threads=1, cluster=where) for where in (None, address))
    assert spread.frame.equals(alone.frame)
    assert spread.explain(0, spread[0][0].name).to_dict() == alone.explain(0, alone[0][0].name).to_dict()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "world"
    assert run("sample", "--out", folder, "--days", 200).returncode == 0
    return folder


def test_the_command_writes_the_same_rules(world: Path, address: str, tmp_path: Path) -> None:
    assert run("learn", world, "--out", tmp_path / "alone").returncode == 0
    done = run_process("learn", world, "--out", tmp_path / "spread", "--quiet", "--cluster", address)
    assert done.returncode == 0, done.stderr
    assert (len(done.stderr.splitlines()), done.stdout) == (1, "")
    assert (tmp_path / "spread").read_bytes() == (tmp_path / "alone").read_bytes()


def test_other_commands_print_the_same(world: Path, rules: tlogic.RuleSet, address: str, tmp_path: Path) -> None:
    rules.save(tmp_path / "rules")
    (tmp_path / "queries.csv").write_text(
        "subject,relation,object,at\nKite Aviation,sue,?,\nKite Aviation,bid_for,?,\n"
    )
    commands: list[tuple[object, ...]] = [
        ("evaluate", world, "--rules", tmp_path / "rules", "--json"),
        ("forecast", world, "--rules", tmp_path / "rules", "--queries", tmp_path / "queries.csv"),
    ]
    for command in commands:
        alone, spread = (run(*command, *where) for where in ((), ("--cluster", address)))
        assert spread.returncode == 0, spread.stderr
        assert _output_without_timings(spread.stdout) == _output_without_timings(alone.stdout) != ""


def _output_without_timings(output: str) -> Any:
    """The output of a command, without times and memory."""
    if not output.startswith("{"):
        return output
    return {name: value for name, value in json.loads(output).items() if name not in ("seconds", "peak_mb")}


def _note(folder: Path, *words: object) -> None:
    (folder / "-".join(map(str, (*words, uuid4().hex)))).touch()


def _notes(folder: Path) -> list[list[str]]:
    return [path.name.split("-")[:-1] for path in folder.iterdir()]


class Noted:
    """Records where it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        _note(folder, "arrived", os.getpid())

    def __reduce__(self) -> tuple[Any, ...]:
        return Noted, (self.folder,)


def test_what_makes_workers_is_put_once_and_arrives_once_in_a_process(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted, was_put = Noted(tmp_path), Mock(wraps=ray.put)
    monkeypatch.setattr(ray, "put", was_put)

    def make_worker() -> Callable[[int], int]:
        _note(noted.folder, "made", os.getpid())

        def work(item: int) -> int:
            time.sleep(0.05)
            return item + 1

        return work

    assert list(in_parallel(make_worker, range(40), cluster=address)) == list(range(1, 41))
    assert was_put.call_count == 1
    counted = Counter((word, pid) for word, pid in _notes(tmp_path))
    assert set(counted.values()) == {1}
    assert {pid for word, pid in counted if word == "made"} == {
        pid for word, pid in counted if word == "arrived" and pid != str(os.getpid())
    }


@pytest.fixture
def sizes_put(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The size in bytes of each array put into the object store."""
    sizes: list[int] = []
    put = ray.put

    def put_and_note(array: np.ndarray) -> Any:
        sizes.append(array.nbytes)
        return put(array)

    monkeypatch.setattr(ray, "put", put_and_note)
    return sizes


def test_a_large_array_is_put_once_for_all_runs_while_it_is_in_use(address: str, sizes_put: list[int]) -> None:
    def sum_up(array: np.ndarray) -> list[int]:
        return list(in_parallel(lambda: lambda item: int(array.sum()) + item, range(3), cluster=address))

    lent_before = set(parallel._shared_arrays)
    array = np.ones(100_000, np.int64)
    assert sum_up(array) == sum_up(array) == [100_000, 100_001, 100_002]
    assert sizes_put.count(array.nbytes) == 1
    del array
    assert set(parallel._shared_arrays) == lent_before
    other = np.full(100_000, 2)
    assert sum_up(other) == [200_000, 200_001, 200_002]
    assert sizes_put.count(other.nbytes) == 2


def test_learning_sends_the_graph_once(
    address: str, rules: tlogic.RuleSet, sizes_put: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "_MIN_SHARED_ARRAY_BYTES", 1 << 10)
    graph = tlogic.sample(days=200)
    assert tlogic.learn(graph, cluster=address).to_json() == rules.to_json()
    stored = sum(array.nbytes for record in (graph.facts, graph.triples, *graph.views) for array in record)
    assert sum(sizes_put) < 1.2 * stored


def test_arrays_lie_in_the_object_store_and_are_as_others_for_kernels(address: str) -> None:
    order, keys = np.array([0, 1]), np.arange(200_000, dtype=np.int32)

    def make_worker() -> Callable[[np.ndarray], tuple[Any, ...]]:
        def work(item: np.ndarray) -> tuple[Any, ...]:
            counting_sort(order.copy(), keys.copy(), len(keys))
            counting_sort(order, keys, len(keys))
            counting_sort(order, item, len(item))
            return keys.flags.writeable, _mapping(keys.ctypes.data), len(counting_sort.signatures)

        return work

    def _mapping(address: int) -> str:
        """The name of the memory mapping at an address."""
        for line in Path("/proc/self/maps").read_text().splitlines():
            first, end = (int(bound, 16) for bound in line.split()[0].split("-"))
            if first <= address < end:
                return line.split()[5]
        return ""

    for writeable, mapping, n_compiled in in_parallel(make_worker, [keys] * 6, cluster=address):
        assert writeable
        assert "plasma" in mapping
        assert n_compiled == 1


def test_results_are_ordinary_arrays(address: str) -> None:
    for n, found in zip((3, 300_000), in_parallel(lambda: np.arange, [3, 300_000], cluster=address), strict=True):
        assert found.flags.writeable
        assert found.tolist() == list(range(n))


@pytest.mark.parametrize("error", [InputError("There is no such thing."), ZeroDivisionError("by item 3")])
def test_errors_of_items_reach_the_caller(error: Exception, address: str) -> None:
    def work(item: int) -> int:
        if item == 3:
            raise error
        return item

    results = in_parallel(lambda: work, range(6), cluster=address)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(type(error)) as raised:
        next(results)
    assert type(raised.value) is type(error)
    assert str(raised.value) == str(error)


def test_only_the_item_of_a_failed_worker_is_retried(address: str, tmp_path: Path) -> None:
    def work(item: int) -> int:
        _note(tmp_path, item)
        if item == 2 and len([note for note in _notes(tmp_path) if note == ["2"]]) == 1:
            os._exit(1)
        return item

    assert list(in_parallel(lambda: work, range(8), cluster=address)) == list(range(8))
    assert Counter(note for [note] in _notes(tmp_path)) == {str(item): 1 + (item == 2) for item in range(8)}


def test_ray_itself_prints_nothing(address: str, capfd: pytest.CaptureFixture[str]) -> None:
    connect(address)
    message = {"lines": ["A worker died or was killed."], "pid": "raylet", "is_err": False}
    ray._private.worker.print_to_stdstream(message, ignore_prefix=False)
    assert capfd.readouterr().out == ""


def test_only_the_running_tasks_of_a_failed_node_are_retried(nodes: Cluster, tmp_path: Path) -> None:
    doomed = nodes.add_node(**NODE | {"num_cpus": 2})
    doomed_id = doomed.node_id
    connect(nodes.address)

    def work(item: int) -> int:
        node = ray.get_runtime_context().get_node_id()
        _note(tmp_path, item, node)
        time.sleep(60 if node == doomed_id else 0.5)
        return item

    def kill() -> None:
        while not any(node == doomed_id for _, node in _notes(tmp_path)):
            time.sleep(0.05)
        nodes.remove_node(doomed, allow_graceful=False)

    killer = Thread(target=kill, daemon=True)
    killer.start()
    assert list(in_parallel(lambda: work, range(36), cluster=nodes.address)) == list(range(36))
    killer.join()
    runs = Counter(item for item, _ in _notes(tmp_path))
    again = [item for item, n in runs.items() if n > 1]
    assert len(runs) == 36
    assert 1 <= len(again) <= 2
    assert all([item, doomed_id] in _notes(tmp_path) for item in again)


def test_closing_the_iterator_cancels_the_rest(address: str, tmp_path: Path) -> None:
    def work(folder: Path, item: int) -> int:
        _note(folder, item)
        time.sleep(0.3)
        return item

    results: Any = in_parallel(lambda: partial(work, tmp_path), range(40), cluster=address)
    assert next(results) == 0
    results.close()
    n_started = len(_notes(tmp_path))
    time.sleep(1)
    assert len(_notes(tmp_path)) <= n_started + 3
    assert n_started < 20
