"""Binary searches in the sorted views: the alphabet of all other kernels.

They take plain arrays, not records: a record handed to a function in a hot loop costs a reference count per array.
So kernels
unpack what they need from a record once, at their top.
"""

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def first_at_least(values: Ints, low: int, high: int, bound: int) -> int:
    """The first position in ``[low, high)`` of ascending values with ``values[i] >= bound``, else ``high``."""
    place, size = np.uint64(low), np.uint64(high - low)
    while size > 0:
        half = (size + _ONE) >> _ONE
        place += half & _all_bits_if_less(values[place + half - _ONE], bound)
        size -= half
    return int(np.int64(place))


@njit(cache=True, nogil=True)
def _all_bits_if_less(value: int, bound: int) -> np.uint64:
    """All bits set, or none. A comparison would become a branch that is mispredicted half of the time."""
    return np.uint64((np.int64(value) - np.int64(bound)) >> 63)


@njit(cache=True, nogil=True)
def search_all(values: Ints, place: Ints, end: Ints, bound: Ints, size: Ints, n: int) -> None:
    """Do ``first_at_least`` for the first ``n`` of many searches, each from ``place`` to ``end``; ``size`` is room.

    They go on together, a step of each at a time, so that they wait for memory together. ``place`` becomes what is
    found. Numbers are unsigned, but for the bounds.
    """
    largest = 0
    for i in range(n):
        size[i] = end[i] - place[i]
        largest = max(largest, int(np.int64(size[i])))
    while largest > 0:
        largest >>= 1
        for i in range(n):
            half = (size[i] + _ONE) >> _ONE
            place[i] += half & _all_bits_if_less(values[place[i] + half - _ONE], bound[i])
            size[i] -= half


@njit(cache=True, nogil=True)
def first_equal(values: Ints, low: int, end: int) -> int:
    """The first position in ``[low, end)`` of ascending values that has the last one's; fast where it is near."""
    last, step = values[end - 1], 1
    while end - step > low and values[end - 1 - step] == last:
        step *= 2
    return first_at_least(values, max(low, end - 1 - step), end, last)


@njit(cache=True, nogil=True)
def find(start: Ints, values: Ints, run: int, wanted: int) -> int:
    """The position of a value in one run of ascending distinct values, or -1.

    With a triple index this finds the slot of (entity, relation) and the triple of (slot, target).
    """
    return find_within(values, start[run], start[run + 1], wanted)


@njit(cache=True, nogil=True)
def find_within(values: Ints, start: int, end: int, wanted: int) -> int:
    """The position of a value among the ascending distinct values of ``[start, end)``, or -1."""
    found = first_at_least(values, start, end, wanted)
    return found if found < end and values[found] == wanted else -1
