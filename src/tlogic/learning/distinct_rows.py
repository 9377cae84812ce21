"""Detection of duplicate rows in an integer matrix, with a hash table of row indices."""

import numpy as np

from tlogic.compilation import helper
from tlogic.graph.arrays import Ints
from tlogic.graph.hashing import splitmix64


@helper
def new_row_table(n_rows: int) -> Ints:
    """An empty hash table for up to ``n_rows`` rows; empty entries hold -1."""
    size = 2
    while size < 2 * n_rows:
        size *= 2
    return np.full(size, -1, np.int64)


@helper
def is_new_row(rows: Ints, row: int, table: Ints) -> bool:
    """Add a row to the table; False if an equal one is there already."""
    mask = len(table) - 1
    key = np.uint64(0)
    for i in range(rows.shape[1]):
        key = splitmix64(key + np.uint64(rows[row, i]) + np.uint64(1))
    index = np.int64(key) & mask
    while table[index] >= 0:
        if rows_equal(rows, table[index], row):
            return False
        index = (index + 1) & mask
    table[index] = row
    return True


@helper
def rows_equal(rows: Ints, a: int, b: int) -> bool:
    """Are two rows equal?"""
    for i in range(rows.shape[1]):
        if rows[a, i] != rows[b, i]:
            return False
    return True
