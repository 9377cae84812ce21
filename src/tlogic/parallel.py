"""The one place that spreads work over threads. Kernels release the GIL, so threads are enough."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import local
from typing import TypeVar

from tlogic.errors import SettingsError

Item = TypeVar("Item")
Result = TypeVar("Result")


def thread_count(threads: int | None) -> int:
    """The number of threads to use: the one given, or one for each core this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise SettingsError(f"The number of threads must be 1 or more, not {threads}.")
    return threads


def in_parallel(
    make_worker: Callable[[], Callable[[Item], Result]], items: Sequence[Item], threads: int | None = None
) -> Iterator[Result]:
    """The results of all items, in their order. Each thread makes a worker of its own, with its own scratch memory.

    >>> list(in_parallel(lambda: abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
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
