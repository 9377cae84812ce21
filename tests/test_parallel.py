import os
import pickle
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import numpy as np
import pytest

import tlogic
from tests.cli.running import assert_refused, run_process
from tests.waiting import wait_until
from tlogic import parallel
from tlogic.errors import InputError, SettingsError
from tlogic.graph.sorting import counting_sort
from tlogic.parallel import _bytes_of, _packed, _pickled, _unpacked, connect, in_parallel


def test_threads_give_results_in_order_and_make_one_worker_each() -> None:
    made: list[None] = []

    def make_worker() -> Any:
        made.append(None)
        return lambda item: item * item

    assert list(in_parallel(make_worker, range(50), threads=2)) == [item * item for item in range(50)]
    assert 1 <= len(made) <= 2


def test_no_threads_are_refused() -> None:
    with pytest.raises(SettingsError, match="1 or more"):
        list(in_parallel(lambda: abs, [1], threads=0))


def _memory_of(thing: Any) -> list[np.ndarray]:
    content, arrays = _packed(thing)
    return [content, *map(_bytes_of, arrays)]


def _as_from_the_object_store(thing: Any) -> Any:
    packed = _memory_of(thing)
    for memory in packed:
        memory.flags.writeable = False
    return _unpacked(packed)


def test_read_only_arrays_are_unpacked_unchanged_and_without_a_copy() -> None:
    large = np.arange(100_000), np.asfortranarray(np.ones((200, 300)))
    arrays: tuple[np.ndarray, ...] = (*large, np.arange(5), np.empty(0, np.int32))
    for before, after in zip(arrays, _as_from_the_object_store(arrays), strict=True):
        assert after.flags.writeable
        assert (after.dtype, after.shape) == (before.dtype, before.shape)
        assert after.flags.f_contiguous == before.flags.f_contiguous
        assert np.array_equal(after, before)
        assert (after.ctypes.data == before.ctypes.data) == any(before is each for each in large)


def test_arrays_keep_their_memory_alive() -> None:
    array = _as_from_the_object_store(np.arange(100_000))
    np.full(100_000, -1)  # would reuse the memory if it had been freed
    assert array.sum() == 100_000 * 99_999 // 2


def test_read_only_arrays_stay_read_only() -> None:
    array = np.arange(100_000)
    array.flags.writeable = False
    assert not _as_from_the_object_store(array).flags.writeable


def test_kernels_are_pickled_by_name_and_not_compiled_again() -> None:
    order, keys = np.array([0, 1]), np.array([4, 3], np.int32)
    expected = counting_sort(order, keys, 5)
    n_compiled = len(counting_sort.signatures)
    work = _as_from_the_object_store(partial(counting_sort, order))
    assert work.func is counting_sort
    assert work(pickle.loads(_pickled(keys)), 5).tolist() == expected.tolist()
    assert len(counting_sort.signatures) == n_compiled


def test_a_lock_is_unpickled_open() -> None:
    lock = Lock()
    with lock:
        assert not _as_from_the_object_store({"lock": lock})["lock"].locked()


def test_kernels_do_not_write_to_what_workers_share(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = 0

    def with_shared_memory(make_worker: Any, items: Any, _: Any) -> Iterator[Any]:
        nonlocal checked
        packed = [memory.copy() for memory in _memory_of(make_worker)]
        before = [memory.tobytes() for memory in packed]
        yield from map(_unpacked(packed)(), items)
        assert [memory.tobytes() for memory in packed] == before
        checked += 1

    graph = tlogic.sample(days=60)
    monkeypatch.setattr(parallel, "_MIN_SHARED_ARRAY_BYTES", 0)
    monkeypatch.setattr(parallel, "_over_threads", with_shared_memory)
    rules = tlogic.learn(graph, walks=20)
    tlogic.learn(graph, walks=5, confidence="exact")
    for knowledge in (rules, tlogic.fit(graph, names=True)):
        tlogic.evaluate(graph, knowledge)
        tlogic.forecast(graph, knowledge, [("Kite Aviation", "sue"), ("Kite Aviation", "bid_for")])
    assert checked > 12


def test_a_missing_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'tlogic\[ray\]'"):
        list(in_parallel(lambda: abs, [1], cluster="auto"))


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nowhere.invalid:6379", "nonsense", "host:x"])
def test_a_wrong_address_is_rejected_within_seconds(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    started = time.monotonic()
    with pytest.raises(InputError, match="No Ray cluster can be reached at"):
        connect(address)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("answer", [b"HTTP/1.0 400 Bad request syntax\r\n", b""])
def test_a_server_that_is_not_ray_is_rejected_within_seconds(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setattr("tlogic.parallel._PROBE_TIMEOUT_SECONDS", 3.0)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    Thread(target=answer_one, args=[server.accept()[0]], daemon=True).start()

        def answer_one(visitor: socket.socket) -> None:
            with visitor, suppress(ConnectionError):
                visitor.sendall(answer)
                while visitor.recv(1 << 10):
                    continue

        Thread(target=serve, daemon=True).start()
        with pytest.raises(InputError, match="No Ray cluster can be reached at"):
            connect(f"127.0.0.1:{server.getsockname()[1]}")


def test_a_stopped_cluster_is_rejected_within_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    started = time.monotonic()
    with pytest.raises(InputError, match="No Ray cluster can be reached at 'auto'"):
        connect("auto")
    assert time.monotonic() - started < 20


def test_the_command_rejects_a_wrong_address_before_reading(tmp_path: Path) -> None:
    done = run_process("learn", "no-such-data", "--out", tmp_path / "rules.json", "--cluster", "127.0.0.1:1")
    assert_refused(done, "No Ray cluster can be reached at '127.0.0.1:1'")


def test_a_lost_head_of_a_cluster_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(parallel, "_HEAD_CHECK_SECONDS", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = f"127.0.0.1:{head.getsockname()[1]}"
        with parallel._head_watch(address):
            time.sleep(0.1)
            assert caplog.messages == []
            head.close()
            wait_until(lambda: caplog.messages != [])
    assert f"The head of the Ray cluster, {address}, does not answer any more" in caplog.messages[0]
    assert "--resume" in caplog.messages[0]


def test_ray_waits_briefly_for_a_lost_head_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    found = list[str]()
    variable = "RAY_gcs_rpc_server_reconnect_timeout_s"
    for check in ("_check_address", "_check_cluster", "_silence_error_messages"):
        monkeypatch.setattr(parallel, check, lambda _: None)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda **_: found.append(os.environ[variable]))
    monkeypatch.setenv(variable, "40")
    connect("some.host:1")
    monkeypatch.delenv(variable)
    connect("some.host:1")
    assert found == ["40", "15"]
