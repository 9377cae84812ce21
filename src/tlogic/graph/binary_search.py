"""Binary searches in sorted arrays, used by all other kernels.

They take plain arrays, not records, so that they work with every view.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Ints, copy_items

_ONE = np.uint64(1)
_SHIFT = np.uint64(5)
_FENCE_SPACING = _ONE << _SHIFT


@kernel
def first_at_least(values: Ints, low: int, high: int, bound: int) -> int:
    """The first position in ``[low, high)`` of ascending values with ``values[i] >= bound``, else ``high``."""
    position, size = np.uint64(low), np.uint64(high - low)
    while size > 0:
        half = (size + _ONE) >> _ONE
        position += half & _all_bits_if_less(values[position + half - _ONE], bound)
        size -= half
    return int(np.int64(position))


@helper
def _all_bits_if_less(value: int, bound: int) -> np.uint64:
    """All bits set, or none. A comparison would compile to a branch that is mispredicted half of the time."""
    return np.uint64((np.int64(value) - np.int64(bound)) >> 63)


class Searches(NamedTuple):
    """The state of many binary searches that run together; one element per search."""

    position: Ints
    """The start of the searched range; after the search, the result."""
    end: Ints
    bound: Ints
    size: Ints
    """The number of values left to search."""
    first: Ints
    last: Ints
    """The original range, while fences are searched."""


@kernel
def new_searches(n: int) -> Searches:
    """Memory for ``n`` searches."""
    position, end, size, first, last = np.empty((5, n), np.uint64)
    return Searches(position, end, np.empty(n, np.int64), size, first, last)


@kernel
def search_all(values: Ints, searches: Searches, n: int) -> None:
    """Run ``first_at_least`` for the first ``n`` searches, interleaved so that their memory accesses overlap."""
    position, end, bound, size, _, _ = searches
    largest = 0
    for i in range(n):
        size[i] = end[i] - position[i]
        largest = max(largest, int(np.int64(size[i])))
    while largest > 0:
        largest >>= 1
        for i in range(n):
            half = (size[i] + _ONE) >> _ONE
            middle = max(position[i] + half, _ONE) - _ONE  # a finished search reads a value too
            position[i] += half & _all_bits_if_less(values[middle], bound[i])
            size[i] -= half


def fence_keys(values: Ints) -> Ints:
    """Every 32nd value: few enough to fit into the processor cache."""
    return values[::_FENCE_SPACING].copy()


@kernel
def search_all_fenced(values: Ints, fences: Ints, searches: Searches, n: int) -> None:
    """Like ``search_all``, for arrays larger than the cache: search the fences, then between two of them."""
    position, end, _, _, first, last = searches
    for i in range(n):
        first[i], last[i] = position[i], end[i]
        position[i], end[i] = (
            (position[i] + _FENCE_SPACING - _ONE) >> _SHIFT,
            (end[i] + _FENCE_SPACING - _ONE) >> _SHIFT,
        )
    search_all(fences, searches, n)
    for i in range(n):
        fence = position[i] << _SHIFT
        position[i], end[i] = max(first[i], max(fence, _FENCE_SPACING) - _FENCE_SPACING), min(last[i], fence)
    search_all(values, searches, n)
    copy_items(last, n, end)


@kernel
def first_equal(values: Ints, low: int, end: int) -> int:
    """The first position in ``[low, end)`` whose value equals the last one; fast if it is near the end."""
    last, width = values[end - 1], 1
    while end - width > low and values[end - 1 - width] == last:
        width *= 2
    return first_at_least(values, max(low, end - 1 - width), end, last)


@kernel
def find(start: Ints, values: Ints, run: int, value: int) -> int:
    """The position of a value in one run of ascending distinct values, or -1.

    In a triple index this finds the slot of (entity, relation) and the triple of (slot, target).
    """
    return find_within(values, start[run], start[run + 1], value)


@kernel
def find_within(values: Ints, start: int, end: int, value: int) -> int:
    """The position of a value among the ascending distinct values of ``[start, end)``, or -1."""
    found = first_at_least(values, start, end, value)
    return found if found < end and values[found] == value else -1
