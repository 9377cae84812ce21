"""Quantile bins of evidence: the bins of a column hold about equally many candidates."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Floats, Ints

N_BINS = 24


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

    def of(self, evidence: Floats) -> Ints:
        """The bin of each value: 0 if it is nan, else one more than the number of edges below it."""
        return _bins_of(self.start, self.edge, np.ascontiguousarray(evidence, np.float32))

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


@njit(cache=True, nogil=True)
def _bins_of(edge_start: Ints, edge: Floats, evidence: Floats) -> Ints:
    bins = np.zeros(evidence.shape, np.uint8)
    for row in range(evidence.shape[0]):
        for column in range(evidence.shape[1]):
            value = evidence[row, column]
            if not np.isnan(value):
                own = edge[edge_start[column] : edge_start[column + 1]]
                bins[row, column] = 1 + np.searchsorted(own, value)
    return bins
