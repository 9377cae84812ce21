"""Binary searches in the sorted views: the alphabet of all other kernels.

They take plain arrays, not records: a record handed to a function in a hot loop costs a reference count per array.
So kernels
unpack what they need from a record once, at their top.
"""

from numba import njit

from tlogic.graph.arrays import Ints


@njit(cache=True, nogil=True)
def first_at_least(values: Ints, low: int, high: int, bound: int) -> int:
    """The first position in ``[low, high)`` of ascending values with ``values[i] >= bound``, else ``high``."""
    size = high - low
    while size > 0:  # no branch depends on the data, so none is mispredicted
        half = (size + 1) >> 1
        low += half * (values[low + half - 1] < bound)
        size -= half
    return low


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
