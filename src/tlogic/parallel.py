"""Parallel execution: over threads (kernels release the GIL) or over the processes of a Ray cluster.

On a cluster, the data that workers are built from is sent once per run and stored in the shared memory of each node.
Large arrays stay there as long as this process uses them, and later runs reuse them. Each cluster process builds one
worker and keeps it for all items of a run. Every item is one Ray task. Ray retries the tasks of a process or node that
fails, so only the items that were running there are computed again.
"""

import logging
import os
import pickle
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from threading import Event, Lock, Thread, local
from traceback import format_exc
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np

from tlogic.checks import check_count
from tlogic.errors import InputError, SettingsError, TLogicError

Item = TypeVar("Item")
Result = TypeVar("Result")
MakeWorker = Callable[[], Callable[[Item], Result]]

_MIN_CHUNKS = 32  # enough for all cores of a machine to finish at about the same time
_MAX_TASK_RETRIES = 5
_CONNECT_TIMEOUT_SECONDS = 5.0
_HEAD_CHECK_SECONDS = 5.0
_HEAD_TIMEOUT_VARIABLE = "RAY_gcs_rpc_server_reconnect_timeout_s"
"""The setting of Ray for how many seconds a process waits for a lost head of its cluster."""
_HEAD_TIMEOUT_SECONDS = "15"  # Ray waits for a minute, in calls that cannot be interrupted
_PROBE_TIMEOUT_SECONDS = 20.0  # includes the import of Ray; Ray itself would wait for minutes
_MIN_SHARED_ARRAY_BYTES = 1 << 16  # smaller arrays are pickled with the object that holds them

_PROBE_SCRIPT = "import sys, ray; ray.init(address=sys.argv[1], log_to_driver=False, logging_level='ERROR')"

_workers: dict[str, Callable[[Any], Any]] = {}
"""In a cluster process: the worker of its latest run."""
_shared_arrays: dict[Any, tuple[weakref.ref[np.ndarray], Any]] = {}
"""Arrays of this process in the object store of a cluster, by connection and array identity."""

_log = logging.getLogger(__name__)


def thread_count(threads: int | None) -> int:
    """Return the given number of threads, or by default the number of cores this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    check_count(threads, "The number of threads", SettingsError)
    return threads


def in_chunks(items: np.ndarray, size: int) -> list[np.ndarray]:
    """Split items into chunks of at most ``size``, and into at least 32 chunks if there are enough items.

    The chunks depend on the items alone, not on the number of workers, so that checkpoints fit any number of workers.

    >>> [len(chunk) for chunk in in_chunks(np.arange(5), size=1000)]
    [1, 1, 1, 1, 1]
    >>> len(in_chunks(np.arange(10_000), size=1000)), len(in_chunks(np.arange(100_000), size=1000))
    (32, 100)
    """
    return np.array_split(items, max(-(-len(items) // size), min(_MIN_CHUNKS, len(items)), 1))


def in_parallel(
    make_worker: MakeWorker[Item, Result],
    items: Sequence[Item],
    threads: int | None = None,
    cluster: str | None = None,
) -> Iterator[Result]:
    """Yield the results of all items, in their order.

    Args:
        make_worker: Builds a worker: a function from item to result. Each thread or cluster process calls it once and
            has its own scratch memory. Workers on a cluster share the arrays they are built from and must not write to
            them.
        items: The inputs.
        threads: The number of threads; by default one per core.
        cluster: The address of a Ray cluster, or ``auto`` for the cluster this machine belongs to. If the program is
            already connected to a cluster, that connection is used.

    Yields:
        One result per item.

    >>> list(in_parallel(lambda: abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    return _over_threads(make_worker, items, threads) if cluster is None else _over_cluster(make_worker, items, cluster)


def _over_threads(
    make_worker: MakeWorker[Item, Result], items: Sequence[Item], threads: int | None
) -> Iterator[Result]:
    thread_state = local()

    def run(item: Item) -> Result:
        if not hasattr(thread_state, "worker"):
            thread_state.worker = make_worker()
        return thread_state.worker(item)

    with ThreadPoolExecutor(thread_count(threads)) as pool:
        futures = [pool.submit(run, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _over_cluster(make_worker: MakeWorker[Item, Result], items: Sequence[Item], address: str) -> Iterator[Result]:
    ray = connect(address)
    with _head_watch(ray.get_runtime_context().gcs_address):
        yield from _over_connected_cluster(ray, make_worker, items, address)


def _over_connected_cluster(
    ray: Any, make_worker: MakeWorker[Item, Result], items: Sequence[Item], address: str
) -> Iterator[Result]:
    run = uuid4().hex
    task = ray.remote(num_cpus=1, max_retries=_MAX_TASK_RETRIES)(_run_item)
    running: dict[Any, int] = {}  # from the reference of a task to the index of its item
    finished: dict[int, bytes] = {}
    try:
        content, arrays = _packed(make_worker)
        shared = [ray.put(content), *(_share(ray, array) for array in arrays)]
        for index, item in enumerate(items):
            running[task.remote(run, shared, _pickled(item))] = index
        for index in range(len(items)):
            while index not in finished:
                [done], _ = ray.wait(list(running))  # fetched at once, so that the result outlives its node
                finished[running[done]] = ray.get(done)
                del running[done]
            yield _result_or_raise(finished.pop(index))
    except ray.exceptions.RayError as error:
        raise TLogicError(f"The cluster {address} could not finish the work: {error}") from error
    finally:
        for unfinished in running:
            ray.cancel(unfinished, force=True)


def connect(address: str) -> Any:
    """Connect to a Ray cluster, unless this program is already connected to one.

    Args:
        address: ``HOST:PORT`` of the cluster, or ``auto`` for the cluster this machine belongs to.

    Returns:
        The ``ray`` module, which is an optional dependency.

    Raises:
        InputError: If Ray is not installed, or no cluster answers at the address.
    """
    try:
        import ray
    except ImportError:
        raise InputError("Work on a cluster needs Ray: pip install 'tlogic[ray]'.") from None
    if not ray.is_initialized():
        try:
            _check_address(address)
            _check_cluster(address)
            _silence_error_messages(ray)
            os.environ.setdefault(_HEAD_TIMEOUT_VARIABLE, _HEAD_TIMEOUT_SECONDS)
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
            _shared_arrays.clear()
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            raise InputError(
                f"No Ray cluster can be reached at {address!r} ({error}). Expected auto, or HOST:PORT of a cluster "
                "that this machine is part of: `ray start --head` begins one, `ray start --address HOST:PORT` joins it."
            ) from None
    return ray


def _check_address(address: str) -> None:
    """Raise an error if nothing listens at the address; fast, without Ray."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or address
    if address == "auto":
        return
    where = urlsplit(address if "://" in address else f"//{address}")
    if not where.hostname or where.port is None:
        raise ValueError("not an address")
    socket.create_connection((where.hostname, where.port), _CONNECT_TIMEOUT_SECONDS).close()


@contextmanager
def _head_watch(head: str) -> Iterator[None]:
    """While the block runs, log an error if the head of the cluster ends.

    Ray then waits for a while, in calls that cannot be interrupted, and ends this process without an exception.
    """
    finished = Event()
    Thread(target=_watch_head, args=(head, finished), name="tlogic head watch", daemon=True).start()
    try:
        yield
    finally:
        finished.set()


def _watch_head(head: str, finished: Event) -> None:
    while not finished.wait(_HEAD_CHECK_SECONDS):
        try:
            _check_address(head)
        except OSError as error:
            _log.error(
                "tlogic: The head of the Ray cluster, %s, does not answer any more (%s). Ray waits for it for %s "
                "seconds and then ends this process. Start the cluster again; `tlogic learn --resume` continues its "
                "work.",
                head,
                error,
                os.environ.get(_HEAD_TIMEOUT_VARIABLE, "60"),
            )
            return


def _check_cluster(address: str) -> None:
    """Raise an error if no Ray cluster answers in time.

    ``ray.init`` has no time-out and cannot be interrupted: it waits for minutes for a server that is not Ray. So a
    short-lived process tries it first.
    """
    command = [sys.executable, "-c", _PROBE_SCRIPT, address]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ConnectionError(f"no answer within {_PROBE_TIMEOUT_SECONDS:.0f} seconds") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ConnectionError(lines[-1].partition(": ")[2] or lines[-1])


def _silence_error_messages(ray: Any) -> None:
    """Keep Ray's messages about failed processes out of standard output, where results go.

    ``log_to_driver=False`` stops the output of workers only. As of Ray 2.60 there is no public way to stop or redirect
    the messages of the cluster itself, which Ray prints to standard output; its debugger uses the same private flag.
    """
    worker: Any = getattr(getattr(ray, "_private", None), "worker", None)
    if hasattr(worker, "_worker_logs_enabled"):
        worker._worker_logs_enabled = False


def _share(ray: Any, array: np.ndarray) -> Any:
    """Put an array into the object store, unless it is already there."""
    connection = ray.get_runtime_context()
    key = connection.gcs_address, connection.get_job_id(), id(array)
    owner, reference = _shared_arrays.get(key, (None, None))
    if owner is None or owner() is not array:
        reference = ray.put(_bytes_of(array))
        _shared_arrays[key] = weakref.ref(array, lambda _: _shared_arrays.pop(key, None)), reference
    return reference


def _run_item(run: str, shared: Sequence[Any], item: bytes) -> bytes:
    """In a cluster process: the pickled result of an item, or the pickled exception."""
    try:
        if run not in _workers:
            import ray

            _workers.clear()
            _workers[run] = _unpacked(ray.get(list(shared)))()
        return _pickled((_workers[run](pickle.loads(item)), None))
    except Exception as error:
        error.add_note(f"On the cluster:\n{format_exc()}")
        return _pickled((None, error))


def _result_or_raise(outcome: bytes) -> Any:
    result, error = pickle.loads(outcome)
    if error is not None:
        raise error
    return result


def _packed(thing: Any) -> tuple[np.ndarray, list[np.ndarray]]:
    """Pickle an object; its large arrays are returned separately and not copied."""
    arrays: list[np.ndarray] = []

    def is_pickled_inline(buffer: pickle.PickleBuffer) -> bool:
        array = memoryview(buffer).obj
        if not isinstance(array, np.ndarray) or array.nbytes < _MIN_SHARED_ARRAY_BYTES:
            return True
        arrays.append(array)
        return False

    return np.frombuffer(_pickled(thing, is_pickled_inline), np.uint8), arrays


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """The memory of an array, without a copy."""
    return np.frombuffer(pickle.PickleBuffer(array.data).raw(), np.uint8)


def _unpacked(packed: Sequence[np.ndarray]) -> Any:
    """The object that was packed, from its pickle and the memory of its large arrays."""
    content, *buffers = packed
    return pickle.loads(content.data, buffers=[np.asarray(_Writeable(buffer)) for buffer in buffers])


class _Writeable:
    """The memory of a read-only array, without the read-only flag.

    Arrays from the object store are read-only. Numba gives read-only arrays another type, so every kernel would have to
    be compiled again.
    """

    def __init__(self, array: np.ndarray) -> None:
        self.owner = array
        self.__array_interface__ = array.__array_interface__ | {"data": (array.ctypes.data, False)}


def _pickled(thing: Any, buffer_callback: Callable[[pickle.PickleBuffer], Any] | None = None) -> bytes:
    file = BytesIO()
    _pickler()(file, pickle.HIGHEST_PROTOCOL, buffer_callback).dump(thing)
    return file.getvalue()


@cache
def _pickler() -> Any:
    """A pickler class that also takes closures, kernels and locks.

    Kernels are pickled by name, because Numba would compile them again. Locks are pickled as new, open locks.
    """
    from _thread import LockType

    from numba.core.dispatcher import Dispatcher
    from ray.cloudpickle import CloudPickler

    class Pickler(CloudPickler):
        def reducer_override(self, thing: Any) -> Any:
            if isinstance(thing, Dispatcher) and thing.__module__.startswith("tlogic."):
                return thing.py_func.__qualname__
            return (Lock, ()) if isinstance(thing, LockType) else super().reducer_override(thing)

    return Pickler
