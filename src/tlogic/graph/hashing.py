"""One good hash of 64 bits, for hash tables and for random numbers."""

import numpy as np
from numba import njit

_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True)
def splitmix64(x: np.uint64) -> np.uint64:
    """A hash of 64 bits in which every input bit reaches every output bit: the finish of SplitMix64."""
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))
