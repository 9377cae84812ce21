"""Counter-based random numbers: the same whichever thread draws them, and in whatever order.

A stream is keyed by what it is for (seed, relation, length, walk number ...), and a draw is a hash of its counter:
SplitMix64.
"""

import numpy as np
from numba import njit

from tlogic.graph.hashing import splitmix64

_STEP = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def keyed(stream: np.uint64, key: int) -> np.uint64:
    """The stream that belongs to one more key."""
    return splitmix64(stream + _STEP * (np.uint64(key) + np.uint64(1)))


@njit(cache=True, nogil=True)
def advance(stream: np.uint64) -> np.uint64:
    """The stream before its next draw."""
    return stream + _STEP


@njit(cache=True, nogil=True)
def unit(stream: np.uint64) -> float:
    """A draw from [0, 1), with 53 random bits."""
    return float(splitmix64(stream) >> np.uint64(11)) * 2.0**-53


@njit(cache=True, nogil=True)
def below(stream: np.uint64, n: int) -> int:
    """A draw from 0 .. n - 1."""
    return int(unit(stream) * n)
