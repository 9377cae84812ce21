"""KeyIndexes: where each of some keys occurs in an array, for counts and draws within any range of indexes."""

import numpy as np

from tlogic.graph.arrays import Floats, Ints

_INDEX_BITS = 32


class KeyIndexes:
    """The indexes at which each key occurs.

    Args:
        keys: The keys.
        first: The index of the first of them.

    Example:
        >>> indexes = KeyIndexes(np.array([7, 5, 7, 7]), first=10)
        >>> indexes.count(np.array([5, 6, 7]), 11, 13).tolist()
        [1, 0, 1]
    """

    def __init__(self, keys: Ints, first: int = 0) -> None:
        self._distinct, number = np.unique(keys, return_inverse=True)
        self._sorted = np.sort((number << _INDEX_BITS) | np.arange(first, first + len(keys)))

    def count(self, keys: Ints, first: int, end: int) -> Ints:
        """How often each key occurs from one index to before another."""
        low, high = self._bounds(keys, first, end)
        return high - low

    def share(self, keys: Ints, first: int, end: int) -> Floats:
        """The share of each key among all from one index to before another."""
        return self.count(keys, first, end) / (end - first)

    def draw(self, keys: Ints, first: int, end: int, random: np.random.Generator) -> Ints:
        """One of the indexes of each key from one index to before another, at random; -1 if there are none."""
        low, high = self._bounds(keys, first, end)
        at = low + (random.random(len(keys)) * (high - low)).astype(np.int64)
        index = self._sorted[np.minimum(at, len(self._sorted) - 1)] & ((1 << _INDEX_BITS) - 1)
        return np.where(high > low, index, -1)

    def _bounds(self, keys: Ints, first: int, end: int) -> tuple[Ints, Ints]:
        """Where the indexes of each key lie among all that are sorted by key and index."""
        number = np.minimum(np.searchsorted(self._distinct, keys), len(self._distinct) - 1)
        begin = number << _INDEX_BITS
        low, high = (np.searchsorted(self._sorted, begin | index) for index in (first, end))
        return low, np.where(self._distinct[number] == keys, high, low)
