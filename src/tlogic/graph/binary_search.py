"""Binary searches in the sorted views: the alphabet of all other kernels.

They take plain arrays, not records, so that they serve any view.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints

_ONE = np.uint64(1)
_SHIFT = np.uint64(5)
_APART = _ONE << _SHIFT


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


class Searches(NamedTuple):
    """Many binary searches that go on together, and the room they need; numbers are per search."""

    place: Ints
    """Where it begins, and in the end what it has found."""
    end: Ints
    bound: Ints
    size: Ints
    """How many values are left."""
    first: Ints
    last: Ints
    """Where it began and was to end."""


@njit(cache=True, nogil=True)
def new_searches(n: int) -> Searches:
    """Room for so many searches."""
    place, end, size, first, last = np.empty((5, n), np.uint64)
    return Searches(place, end, np.empty(n, np.int64), size, first, last)


@njit(cache=True, nogil=True)
def search_all(values: Ints, searches: Searches, n: int) -> None:
    """Do ``first_at_least`` for the first ``n`` searches, a step of each at a time, so that they wait for memory
    together."""
    place, end, bound, size, _, _ = searches
    largest = 0
    for i in range(n):
        size[i] = end[i] - place[i]
        largest = max(largest, int(np.int64(size[i])))
    while largest > 0:
        largest >>= 1
        for i in range(n):
            half = (size[i] + _ONE) >> _ONE
            middle = max(place[i] + half, _ONE) - _ONE  # a search that is over looks at a value, too
            place[i] += half & _all_bits_if_less(values[middle], bound[i])
            size[i] -= half


def fence_keys(values: Ints) -> Ints:
    """Every 32nd of many values: few enough for the processor's cache."""
    return values[::_APART].copy()


@njit(cache=True, nogil=True)
def search_all_fenced(values: Ints, fences: Ints, searches: Searches, n: int) -> None:
    """The same among so many values that most are far away: first among the fences, then between two of them."""
    place, end, _, _, first, last = searches
    for i in range(n):
        first[i], last[i] = place[i], end[i]
        place[i], end[i] = (place[i] + _APART - _ONE) >> _SHIFT, (end[i] + _APART - _ONE) >> _SHIFT
    search_all(fences, searches, n)
    for i in range(n):
        fence = place[i] << _SHIFT
        place[i], end[i] = max(first[i], max(fence, _APART) - _APART), min(last[i], fence)
    search_all(values, searches, n)
    end[:n] = last[:n]


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
