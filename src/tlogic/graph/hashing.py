"""A 64-bit hash for hash tables and random numbers."""

from collections.abc import Sequence

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Ints

_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_ODD = np.uint64(0x9E3779B97F4A7C15)


@helper
def splitmix64(x: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64: every input bit affects every output bit."""
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


def mixed_hashes(columns: Sequence[Ints]) -> Ints:
    """One 64-bit hash per row of several columns of integers.

    >>> mixed_hashes([np.array([1, 1, 2]), np.array([3, 4, 3])]).argsort().tolist()
    [0, 2, 1]
    """
    mixed: Ints = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed = further_hashes(mixed, column)
    return mixed


def further_hashes(hashes: Ints, column: Ints) -> Ints:
    """The hashes of rows with one more column, from the hashes of the columns before it."""
    mixed: Ints = splitmix64_of(hashes ^ column.astype(np.uint64))
    return mixed


@kernel
def splitmix64_of(words: Ints) -> Ints:
    """The hash of each word of an array."""
    found = np.empty_like(words)
    for i in range(len(words)):
        found[i] = splitmix64(words[i] + _ODD)
    return found
