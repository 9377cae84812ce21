"""Distinct rows of integers, found with a small hash table of row numbers."""

import numpy as np
from numba import njit

from tlogic.graph.arrays import Ints
from tlogic.graph.hashing import splitmix64


@njit(cache=True, nogil=True)
def new_row_table(n_rows: int) -> Ints:
    """An empty table for up to ``n_rows`` rows; empty places hold -1."""
    size = 2
    while size < 2 * n_rows:
        size *= 2
    return np.full(size, -1, np.int64)


@njit(cache=True, nogil=True)
def is_new_row(rows: Ints, row: int, table: Ints) -> bool:
    """Put a row into the table; False where an equal one is there."""
    mask = len(table) - 1
    key = np.uint64(0)
    for i in range(rows.shape[1]):
        key = splitmix64(key + np.uint64(rows[row, i]) + np.uint64(1))
    place = np.int64(key) & mask
    while table[place] >= 0:
        if rows_equal(rows, table[place], row):
            return False
        place = (place + 1) & mask
    table[place] = row
    return True


@njit(cache=True, nogil=True)
def rows_equal(rows: Ints, a: int, b: int) -> bool:
    """Are two rows the same?"""
    for i in range(rows.shape[1]):
        if rows[a, i] != rows[b, i]:
            return False
    return True
