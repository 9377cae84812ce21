"""Many lists of records in one array, for kernels. Each list has room to grow, and moves when it is used up."""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, inlined_kernel, kernel
from tlogic.graph.arrays import Ints

_MIN_ROOM = 2  # records; most lists have one or two
_START, _SIZE, _ROOM = 0, 1, 2
_USED, _LONGEST = 0, 1
_TOTALS = 0


class Lists(NamedTuple):
    """Lists of records, which are rows of integers."""

    extent: Ints
    """The first row has totals: the records in use, and the size of the longest list. Then per list: the index of its
    first record, its size and its room."""
    record: Ints
    """All records, one row each; those of a list are consecutive."""


def new_lists(n: int, width: int) -> Lists:
    """Empty lists of records with so many fields."""
    return Lists(np.zeros((n + 1, 3), np.int64), np.empty((64, width), np.int32))


def with_more_lists(lists: Lists, n: int) -> Lists:
    """The same lists, and empty ones behind them."""
    extent = np.zeros((n + 1, 3), np.int64)
    extent[: len(lists.extent)] = lists.extent
    return lists._replace(extent=extent)


def with_rooms(lists: Lists, rooms: Ints) -> Lists:
    """Lists without records as these are, each with room for as many as it will have."""
    return _moved(lists, rooms, 2 * (2 * int(rooms.max(initial=0)) + _MIN_ROOM))  # as `can_extend` asks for two of them


def with_more_records(lists: Lists, n_longer: int) -> Lists:
    """The same lists with at least half as much more room, also if so many lists become longer by one.

    The room that lists left when they moved is used again.
    """
    rooms = lists.extent[1:, _ROOM]
    return _moved(lists, rooms, int(rooms.sum()) // 2 + 2 * _reserve(lists, n_longer))


def compact_extent(lists: Lists) -> Ints:
    """The extent of the same lists without spare room."""
    return _extent(lists, lists.extent[1:, _SIZE])


def compact_records(lists: Lists) -> Ints:
    """The records of the same lists without spare room. They are copied only if there is some."""
    extent = compact_extent(lists)
    if np.array_equal(extent[:, _START], lists.extent[:, _START]):
        return lists.record[: extent[_TOTALS, _USED]]
    return _moved(lists, lists.extent[1:, _SIZE], 0).record


def _moved(lists: Lists, rooms: Ints, n_spare: int) -> Lists:
    """The same lists, each with so much room, and spare room behind them."""
    extent = _extent(lists, rooms)
    moved = Lists(extent, np.empty((extent[_TOTALS, _USED] + n_spare, lists.record.shape[1]), np.int32))
    _copy_records(lists, moved)
    return moved


def _extent(lists: Lists, rooms: Ints) -> Ints:
    extent = lists.extent.copy()
    extent[1:, _START], extent[1:, _ROOM] = np.cumsum(rooms) - rooms, rooms
    extent[_TOTALS, _USED] = rooms.sum()
    return extent


@kernel
def _copy_records(lists: Lists, moved: Lists) -> None:
    for row in range(1, len(lists.extent)):
        first, other = lists.extent[row, _START], moved.extent[row, _START]
        for i in range(lists.extent[row, _SIZE]):
            for field in range(lists.record.shape[1]):
                moved.record[other + i, field] = lists.record[first + i, field]


@kernel
def _reserve(lists: Lists, n_longer: int) -> int:
    """The rows that some lists need at most when they move."""
    return n_longer * (2 * lists.extent[_TOTALS, _LONGEST] + _MIN_ROOM)


@kernel
def can_extend(lists: Lists, n_longer: int) -> bool:
    """Whether so many lists can take one more record each."""
    return lists.extent[_TOTALS, _USED] + _reserve(lists, n_longer) <= len(lists.record)


@helper
def extend(lists: Lists, which: int) -> int:
    """Make one list longer by a record; return the index of that record."""
    extent, record = lists
    row = which + 1
    first, size = extent[row, _START], extent[row, _SIZE]
    if size == extent[row, _ROOM]:
        free = extent[_TOTALS, _USED]
        extent[row, _START], extent[row, _ROOM] = free, size + max(size // 2, 1) if size else _MIN_ROOM
        for i in range(size):
            for field in range(record.shape[1]):
                record[free + i, field] = record[first + i, field]
        extent[_TOTALS, _USED] += extent[row, _ROOM]
    extent[row, _SIZE] = size + 1
    extent[_TOTALS, _LONGEST] = max(extent[_TOTALS, _LONGEST], size + 1)
    return extent[row, _START] + size


@kernel
def append(lists: Lists, which: int, first: int, second: int) -> int:
    """Append a record to a list, given its first two fields; return its position in the list, which never changes."""
    at = extend(lists, which)
    lists.record[at, 0], lists.record[at, 1] = first, second
    return at - first_of(lists, which)


@inlined_kernel
def first_of(lists: Lists, which: int) -> int:
    """The index of the first record of a list."""
    return lists.extent[which + 1, _START]


@inlined_kernel
def size_of(lists: Lists, which: int) -> int:
    """The number of records of a list; none for list -1."""
    return lists.extent[which + 1, _SIZE] if which >= 0 else 0


@helper
def indexes_of(lists: Lists, which: int) -> range:
    """The indexes of the records of a list; none for list -1."""
    first = first_of(lists, max(which, 0))
    return range(first, first + size_of(lists, which))
