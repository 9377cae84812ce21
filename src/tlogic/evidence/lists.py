"""Many lists of records in one array, for kernels. Each list has room to grow, and moves when it is used up."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, inlined_kernel, kernel
from tlogic.graph.array_file import ArrayOrParts, ArrayParts
from tlogic.graph.arrays import Ints

_MIN_ROOM = 2  # records; most lists have one or two
_START, _SIZE, _ROOM = 0, 1, 2
_USED, _LONGEST = 0, 1
_TOTALS = 0
_ROWS_PER_PART = 1 << 18  # of a copy; a multiple of 8, so that checksums can be taken part by part


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


def compact_extent(lists: Lists) -> ArrayParts:
    """The extent of the same lists without spare room."""
    return ArrayParts(lists.extent.shape, lists.extent.dtype, partial(_parts_of_extent, lists))


def compact_records(lists: Lists) -> ArrayOrParts:
    """The records of the same lists without spare room. They are copied, in parts, only if there is some."""
    n = _n_records(lists)
    if _has_no_gaps(lists):
        return lists.record[:n]
    return ArrayParts((n, lists.record.shape[1]), lists.record.dtype, partial(_parts_of_records, lists, n))


def _n_records(lists: Lists) -> int:
    return int(lists.extent[1:, _SIZE].sum())


@kernel
def _has_no_gaps(lists: Lists) -> bool:
    """Whether the lists follow each other without room between them."""
    end = 0
    for row in range(1, len(lists.extent)):
        if lists.extent[row, _START] != end:
            return False
        end += lists.extent[row, _SIZE]
    return True


def _parts_of_extent(lists: Lists) -> Iterator[Ints]:
    n, end = len(lists.extent), 0
    for first in range(0, n, _ROWS_PER_PART):
        size = lists.extent[first : first + _ROWS_PER_PART, _SIZE].copy()
        if first == 0:
            size[_TOTALS] = 0
        part = np.column_stack([end + np.cumsum(size) - size, size, size])
        if first == 0:
            part[0] = lists.extent[0]
            part[_TOTALS, _USED] = _n_records(lists)
        end += int(size.sum())
        yield part


def _parts_of_records(lists: Lists, n: int) -> Iterator[Ints]:
    at = np.zeros(2, np.int64)
    for first in range(0, n, _ROWS_PER_PART):
        part = np.empty((min(_ROWS_PER_PART, n - first), lists.record.shape[1]), lists.record.dtype)
        _copy_next_records(lists, at, part)
        yield part


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
def _copy_next_records(lists: Lists, at: Ints, out: Ints) -> None:
    """Fill an array with the next records, and advance the list and the position in it."""
    row, position = at[0] + 1, at[1]
    for i in range(len(out)):
        while position == lists.extent[row, _SIZE]:
            row, position = row + 1, 0
        for field in range(out.shape[1]):
            out[i, field] = lists.record[lists.extent[row, _START] + position, field]
        position += 1
    at[0], at[1] = row - 1, position


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
