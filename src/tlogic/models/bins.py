"""Quantile bins of evidence: the bins of a column hold about equally many candidates."""

from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, kernel
from tlogic.graph.arrays import Floats, Ints

N_BINS = 24
_N_PADDED = 31  # edges of a column, with infinite ones behind


class Bins(NamedTuple):
    """Per column of evidence: the edges of its bins. Bin 0 is for missing evidence."""

    start: Ints
    """Per column: the index of its first edge."""
    edge: Floats

    @classmethod
    def cut(cls, evidence: Floats) -> "Bins":
        """Bins with edges at the distinct quantiles of each column."""
        edges = [_edges(column[~np.isnan(column)]) for column in evidence.T.astype(np.float32)]
        return cls(np.append(0, np.cumsum([len(each) for each in edges])), np.concatenate(edges))

    def of(self, evidence: Floats, rows: Ints | None = None) -> Ints:
        """The bins of values, in all rows or in some: 0 for nan, else one more than the number of edges below it."""
        rows = np.arange(len(evidence)) if rows is None else rows
        return _bins_of(self.start, self.edge, evidence.astype(np.float32, copy=False), rows)

    @property
    def sizes(self) -> Ints:
        """Per column: the number of its bins, with the one for missing evidence."""
        return np.diff(self.start) + 2


def _edges(values: Floats) -> Floats:
    """Edges halfway between a quantile and the next larger value, so that no frequent value lies on an edge."""
    distinct, n = np.unique(values, return_counts=True)
    quantiles = np.arange(1, N_BINS) / N_BINS * len(values)
    index = np.unique(np.searchsorted(np.cumsum(n), quantiles))
    index = index[index < len(distinct) - 1]
    return ((distinct[index] + distinct[index + 1]) / 2).astype(np.float32)


@kernel
def _bins_of(edge_start: Ints, edge: Floats, evidence: Floats, rows: Ints) -> Ints:
    n_columns = evidence.shape[1]
    edges = np.full((n_columns, _N_PADDED), np.float32(np.inf))
    for column in range(n_columns):
        for i in range(edge_start[column + 1] - edge_start[column]):
            edges[column, i] = edge[edge_start[column] + i]
    bins = np.empty((len(rows), n_columns), np.uint8)
    for i in range(len(rows)):
        for column in range(n_columns):
            value = evidence[rows[i], column]
            bins[i, column] = 0 if np.isnan(value) else 1 + _n_below(edges[column], value)
    return bins


@helper
def _n_below(edges: Floats, value: float) -> int:
    """The number of edges below a value: a binary search of fixed length, without branches."""
    n = 16 if edges[15] < value else 0
    n += 8 if edges[n + 7] < value else 0
    n += 4 if edges[n + 3] < value else 0
    n += 2 if edges[n + 1] < value else 0
    n += 1 if edges[n] < value else 0
    return n
