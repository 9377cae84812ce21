"""Linear-time sorting: stable counting sorts, the least significant key first."""

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Ints


@kernel
def counting_sort(order: Ints, keys: Ints, n_keys: int) -> Ints:
    """Reorder ``order`` so that ``keys[order]`` ascends; equal keys keep their order."""
    start = np.zeros(n_keys + 1, np.int64)
    for key in keys:
        start[key + 1] += 1
    for key in range(n_keys):
        start[key + 1] += start[key]
    sorted_order = np.empty_like(order)
    for item in order:
        key = keys[item]
        sorted_order[start[key]] = item
        start[key] += 1
    return sorted_order


@kernel
def run_starts(sorted_keys: Ints, n_keys: int) -> Ints:
    """The start of each key's run in ascending keys, followed by the end of the last run."""
    start = np.zeros(n_keys + 1, np.int64)
    for key in sorted_keys:
        start[key + 1] += 1
    for key in range(n_keys):
        start[key + 1] += start[key]
    return start
