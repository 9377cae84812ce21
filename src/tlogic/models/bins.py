"""Bins: each kind of evidence is cut where its values are as often below as above, so that all kinds are alike."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Floats, Ints

N_BINS = 24


class Bins(NamedTuple):
    """Per column of evidence: the edges of its bins. Bin 0 is for evidence that is not there."""

    start: Ints
    """Per column: its first edge."""
    edge: Floats

    @classmethod
    def cut(cls, evidence: Floats) -> "Bins":
        """Edges after the quantiles of each column, where they differ."""
        edges = [_edges(column[~np.isnan(column)]) for column in evidence.T.astype(np.float32)]
        return cls(np.append(0, np.cumsum([len(each) for each in edges])), np.concatenate(edges))

    def of(self, evidence: Floats) -> Ints:
        """The bin of each piece of evidence: 0 where there is none, else one more than the edges below it."""
        return _bins_of(self.start, self.edge, np.ascontiguousarray(evidence, np.float32))

    @property
    def sizes(self) -> Ints:
        """Per column: how many bins it has, with that for evidence that is not there."""
        return np.diff(self.start) + 2


def _edges(values: Floats) -> Floats:
    """Edges halfway between a quantile and the next larger value, so that no value that occurs often lies on one."""
    distinct, n = np.unique(values, return_counts=True)
    wanted = np.arange(1, N_BINS) / N_BINS * len(values)
    places = np.unique(np.searchsorted(np.cumsum(n), wanted))
    places = places[places < len(distinct) - 1]
    return ((distinct[places] + distinct[places + 1]) / 2).astype(np.float32)


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
