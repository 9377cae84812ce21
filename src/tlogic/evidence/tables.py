"""Hash tables from integer keys to consecutive numbers, for kernels."""

from typing import Any, TypeAlias

import numpy as np

from tlogic.compilation import helper, inlined_kernel, kernel
from tlogic.graph.arrays import Ints
from tlogic.graph.hashing import splitmix64

Table: TypeAlias = Ints
"""One row per place: a key, or -1, and its number; open addressing. The last row holds the number of keys.

The first key has the number 0, the next new one 1, and so on. The number of places is a power of two.
"""

_FREE = -1
_MIN_CAPACITY = 64
_MAX_LOAD = 0.6  # share of a table that may be in use


def new_table(capacity: int = _MIN_CAPACITY) -> Table:
    """A table without keys."""
    table = np.full((capacity + 1, 2), _FREE, np.int64)
    table[-1] = 0
    return table


def emptied(table: Table) -> Table:
    """The same table, with its keys removed."""
    table[:] = _FREE
    table[-1] = 0
    return table


def larger_table(table: Table) -> Table:
    """The same keys with the same numbers, in a table of twice the size."""
    larger = new_table(2 * (len(table) - 1))
    _copy_keys(table, larger)
    return larger


def keys_of(table: Table) -> Ints:
    """All keys, in the order of their numbers."""
    used = table[:-1][table[:-1, 0] != _FREE]
    keys = np.empty(len(used), np.int64)
    keys[used[:, 1]] = used[:, 0]
    return keys


def joint_parts(keys: Ints) -> tuple[Ints, Ints]:
    """The two numbers of each key that `joint_key` made.

    >>> [part.tolist() for part in joint_parts(np.array([joint_key(7, 5)]))]
    [[7], [5]]
    """
    return keys >> 32, keys & 0xFFFFFFFF


@inlined_kernel
def n_keys(table: Table) -> int:
    """The number of keys."""
    return table[len(table) - 1, 0]


@inlined_kernel
def joint_key(high: int, low: int) -> int:
    """One key for two numbers below 2^31."""
    return (int(high) << 32) | int(low)


@inlined_kernel
def has_room(table: Table, n_more: int) -> bool:
    """Whether so many more keys fit."""
    return n_keys(table) + n_more <= _MAX_LOAD * (len(table) - 1)


@inlined_kernel
def number_of(table: Table, key: int) -> int:
    """The number of a key, or -1."""
    at = _find(table, key)
    return table[at, 1] if table[at, 0] == key else -1


@kernel
def add_key(table: Table, key: int) -> int:
    """The number of a key, which is added if it is new. There must be room."""
    at = _find(table, key)
    if table[at, 0] != key:
        last = len(table) - 1
        table[at, 0], table[at, 1] = key, table[last, 0]
        table[last, 0] += 1
    return table[at, 1]


@helper
def _find(table: Table, key: int) -> int:
    """Where a key is, or the free place where it belongs."""
    mask = len(table) - 2
    at: Any = np.int64(splitmix64(np.uint64(key)) & np.uint64(mask))
    while table[at, 0] != key and table[at, 0] != _FREE:
        at = (at + 1) & mask
    return at


@kernel
def _copy_keys(table: Table, larger: Table) -> None:
    for i in range(len(table) - 1):
        if table[i, 0] != _FREE:
            at = _find(larger, table[i, 0])
            larger[at, 0], larger[at, 1] = table[i, 0], table[i, 1]
    larger[len(larger) - 1, 0] = table[len(table) - 1, 0]
