"""Counter-based random numbers: independent of threads and of the order of draws.

A stream has a key (seed, relation, length, walk number, ...), and a draw hashes key and counter with SplitMix64.
"""

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.hashing import splitmix64

_STEP = np.uint64(0x9E3779B97F4A7C15)


@kernel
def keyed(stream: np.uint64, key: int) -> np.uint64:
    """The stream with one more component in its key."""
    return splitmix64(stream + _STEP * (np.uint64(key) + np.uint64(1)))


@kernel
def advance(stream: np.uint64) -> np.uint64:
    """The stream, ready for its next draw."""
    return stream + _STEP


@kernel
def unit(stream: np.uint64) -> float:
    """A uniform draw from [0, 1), with 53 random bits."""
    return float(splitmix64(stream) >> np.uint64(11)) * 2.0**-53


@kernel
def below(stream: np.uint64, n: int) -> int:
    """A uniform draw from 0 .. n - 1."""
    return int(unit(stream) * n)
