"""Pair tables: what two kinds of evidence say together, beyond the sum of what each says alone.

The bins of both kinds are joined to a few groups, and each combination of groups has a weight.
"""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Floats, Ints
from tlogic.models.bins import N_BINS

N_GROUPS = 8
"""Of each kind of evidence: one for candidates without it, and the others for about equally many bins each."""


class PairTables(NamedTuple):
    """Tables of two columns each; by default there are none."""

    column: Ints = np.zeros((0, 2), np.int64)
    """Per table: its two columns of evidence."""
    weight: Floats = np.zeros((0, N_GROUPS, N_GROUPS))
    """Per table, group of the first column and group of the second: what is added to the score."""
    group: Ints = np.zeros((0, N_BINS + 1), np.uint8)
    """Per column of evidence and bin: its group."""

    def scores(self, bins: Ints) -> Floats:
        """What all tables together add to the score of each candidate."""
        found: Floats = _scores(self.column, self.weight, self.group, bins)
        return found

    def contributions(self, bins: Ints) -> Floats:
        """What each table adds to the score of each candidate."""
        found: Floats = self.weight.reshape(len(self.weight), -1)[np.arange(len(self.weight)), self.cells(bins)]
        return found

    def cells(self, bins: Ints) -> Ints:
        """Per candidate and table: the number of the cell that it falls in, row by row."""
        found: Ints = _cells(self.column, self.group, bins)
        return found


def groups_of(sizes: Ints) -> Ints:
    """Per column and bin: its group, given the number of bins of each column.

    >>> groups_of(np.array([4, 16]))[:, :16].tolist()
    [[0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]]
    """
    groups = np.zeros((len(sizes), N_BINS + 1), np.uint8)
    for own, size in zip(groups, sizes.tolist(), strict=True):
        n = min(size - 1, N_GROUPS - 1)
        own[1:size] = 1 + np.arange(size - 1) * n // max(size - 1, 1)
    return groups


@kernel
def _scores(column: Ints, weight: Floats, group: Ints, bins: Ints) -> Floats:
    scores = np.empty(len(bins))
    for row in range(len(bins)):
        score = 0.0
        for k in range(len(column)):
            one, other = column[k, 0], column[k, 1]
            score += weight[k, group[one, bins[row, one]], group[other, bins[row, other]]]
        scores[row] = score
    return scores


@kernel
def _cells(column: Ints, group: Ints, bins: Ints) -> Ints:
    cells = np.empty((len(bins), len(column)), np.uint8)
    for row in range(len(bins)):
        for k in range(len(column)):
            one, other = column[k, 0], column[k, 1]
            cells[row, k] = N_GROUPS * group[one, bins[row, one]] + group[other, bins[row, other]]
    return cells
