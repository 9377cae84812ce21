"""The one place that spreads work: over threads, for kernels release the GIL, or over a Ray cluster.

A cluster gets what a worker is made of once: it lies in the memory of each node, shared by the processes there. Large
arrays stay there as long as they are in use here, for all runs that need them. Each process makes a worker and keeps
it for the items of the run. An item is a task that is tried again where a process or a node dies, so that this costs no
more than the items that were under way.
"""

import logging
import os
import pickle
import socket
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from io import BytesIO
from threading import Lock, local
from traceback import format_exc
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np

from tlogic.errors import InputError, SettingsError, TLogicError

Item = TypeVar("Item")
Result = TypeVar("Result")
MakeWorker = Callable[[], Callable[[Item], Result]]

_FEWEST = 32  # chunks, so that the cores of a machine end about together
_RETRIES = 5
_PATIENCE = 5.0  # seconds; Ray itself would wait for minutes
_FRAME, _SETTINGS = 9, b"\x04"  # the length of the head of a frame of HTTP/2, and the kind that comes first
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0" + _SETTINGS + b"\0\0\0\0\0"
_LARGE = 1 << 16  # bytes; smaller arrays travel with what holds them
_workers: dict[str, Callable[[Any], Any]] = {}
"""In a process of a cluster: the worker of the run that it last had an item of."""
_lent: dict[Any, tuple[weakref.ref[np.ndarray], Any]] = {}
"""Where the arrays of this process lie on a cluster, by the connection to it and their identity."""


def thread_count(threads: int | None) -> int:
    """The number of threads to use: the one given, or one for each core this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise SettingsError(f"The number of threads must be 1 or more, not {threads}.")
    return threads


def in_chunks(items: np.ndarray, size: int) -> list[np.ndarray]:
    """Cut items into chunks to spread: of at most this size, and many of them, where there are enough items.

    How many depends on the items alone, not on who is there to work: what others have finished is of use to all.

    >>> [len(chunk) for chunk in in_chunks(np.arange(5), size=1000)]
    [1, 1, 1, 1, 1]
    >>> len(in_chunks(np.arange(10_000), size=1000)), len(in_chunks(np.arange(100_000), size=1000))
    (32, 100)
    """
    return np.array_split(items, max(-(-len(items) // size), min(_FEWEST, len(items)), 1))


def in_parallel(
    make_worker: MakeWorker[Item, Result],
    items: Sequence[Item],
    threads: int | None = None,
    cluster: str | None = None,
) -> Iterator[Result]:
    """The results of all items, in their order. Each thread makes a worker of its own, with its own scratch memory.

    So does each process of a cluster, which is given by its address or as ``auto``, the one that this machine is part
    of; the connection of a program that has one is used. Workers there share the arrays that they are made of, and must
    not write to them.

    >>> list(in_parallel(lambda: abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    return _over_threads(make_worker, items, threads) if cluster is None else _over_cluster(make_worker, items, cluster)


def _over_threads(
    make_worker: MakeWorker[Item, Result], items: Sequence[Item], threads: int | None
) -> Iterator[Result]:
    mine = local()

    def run(item: Item) -> Result:
        if not hasattr(mine, "worker"):
            mine.worker = make_worker()
        return mine.worker(item)

    with ThreadPoolExecutor(thread_count(threads)) as pool:
        futures = [pool.submit(run, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _over_cluster(make_worker: MakeWorker[Item, Result], items: Sequence[Item], address: str) -> Iterator[Result]:
    ray, run = connect(address), uuid4().hex
    task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_run_item)
    place_of: dict[Any, int] = {}
    finished: dict[int, bytes] = {}
    try:
        content, arrays = _packed(make_worker)
        shared = [ray.put(content), *(_lend(ray, array) for array in arrays)]
        for place, item in enumerate(items):
            place_of[task.remote(run, shared, _pickled(item))] = place
        for place in range(len(items)):
            while place not in finished:
                [done], _ = ray.wait(list(place_of))  # fetched at once, so that it outlives the node it comes from
                finished[place_of[done]] = ray.get(done)
                del place_of[done]
            yield _outcome(finished.pop(place))
    except ray.exceptions.RayError as error:
        raise TLogicError(f"The cluster {address} could not finish the work: {error}") from error
    finally:
        for unfinished in place_of:
            ray.cancel(unfinished, force=True)


def connect(address: str) -> Any:
    """Connect to a Ray cluster, unless this program is connected to one; the library, which is an extra."""
    try:
        import ray
    except ImportError:
        raise InputError("Work on a cluster needs Ray: pip install 'tlogic[ray]'.") from None
    if not ray.is_initialized():
        try:
            _knock(_find_cluster() if address == "auto" else address)
            # where a process dies, Ray would tell so on standard output, where results go
            ray._private.worker._worker_logs_enabled = False
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
            _lent.clear()
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            raise InputError(
                f"No Ray cluster can be reached at {address!r} ({error}). Expected auto, or HOST:PORT of a cluster "
                "that this machine is part of: `ray start --head` begins one, `ray start --address HOST:PORT` joins it."
            ) from None
    return ray


def _find_cluster() -> str:
    """The address of the cluster that this machine is part of."""
    from ray._private.services import get_ray_address_from_environment

    address = get_ray_address_from_environment("auto", None)
    if address in (None, "auto"):
        raise ConnectionError("this machine is part of none")
    return str(address)


def _knock(address: str) -> None:
    """See if somebody is there who speaks HTTP/2, as Ray does."""
    where = urlsplit(address if "://" in address else f"//{address}")
    if not where.hostname or where.port is None:
        raise ValueError("not an address")
    with socket.create_connection((where.hostname, where.port), _PATIENCE) as connection:
        if os.environ.get("RAY_USE_TLS") == "1":
            return
        connection.sendall(_GREETING)
        if connection.recv(_FRAME)[3:4] != _SETTINGS:
            raise ConnectionError("somebody else is there")


def _lend(ray: Any, array: np.ndarray) -> Any:
    """Put an array into the object store, unless it lies there."""
    connection = ray.get_runtime_context()
    key = connection.gcs_address, connection.get_job_id(), id(array)
    owner, place = _lent.get(key, (None, None))
    if owner is None or owner() is not array:
        place = ray.put(_bytes_of(array))
        _lent[key] = weakref.ref(array, lambda _: _lent.pop(key, None)), place
    return place


def _run_item(run: str, shared: Sequence[Any], item: bytes) -> bytes:
    """In a process of the cluster: the result of an item, or the error that it ended with, for ``_outcome``."""
    try:
        if run not in _workers:
            import ray

            _workers.clear()
            _workers[run] = _unpacked(ray.get(list(shared)))()
        return _pickled((_workers[run](pickle.loads(item)), None))
    except Exception as error:
        error.add_note(f"On the cluster:\n{format_exc()}")
        return _pickled((None, error))


def _outcome(told: bytes) -> Any:
    result, error = pickle.loads(told)
    if error is not None:
        raise error
    return result


def _packed(thing: Any) -> tuple[np.ndarray, list[np.ndarray]]:
    """A thing as bytes, and its large arrays, which are not copied."""
    arrays: list[np.ndarray] = []

    def goes_with_the_rest(buffer: pickle.PickleBuffer) -> bool:
        array = memoryview(buffer).obj
        if not isinstance(array, np.ndarray) or array.nbytes < _LARGE:
            return True
        arrays.append(array)
        return False

    return np.frombuffer(_pickled(thing, goes_with_the_rest), np.uint8), arrays


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """The memory of an array, which is not copied."""
    return np.frombuffer(pickle.PickleBuffer(array.data).raw(), np.uint8)


def _unpacked(packed: Sequence[np.ndarray]) -> Any:
    """The thing that was packed, from its bytes and those of its large arrays, which lie there."""
    content, *buffers = packed
    return pickle.loads(content.data, buffers=[np.asarray(_Unlocked(buffer)) for buffer in buffers])


class _Unlocked:
    """The memory of an array without its mark that it is only to be read.

    All that comes out of the object store has that mark, and for Numba such arrays are of another type, for which all
    kernels would have to be compiled again.
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
    """A pickler that takes closures, kernels by their names, for Numba would have them compiled again, and locks as new
    ones, for what they guard will be another process's own."""
    from _thread import LockType

    from numba.core.dispatcher import Dispatcher
    from ray.cloudpickle import CloudPickler

    class Pickler(CloudPickler):
        def reducer_override(self, thing: Any) -> Any:
            if isinstance(thing, Dispatcher) and thing.__module__.startswith("tlogic."):
                return thing.py_func.__qualname__
            return (Lock, ()) if isinstance(thing, LockType) else super().reducer_override(thing)

    return Pickler
