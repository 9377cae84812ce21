"""Smoothed rates: how often rules fired and hit, by rule and bucket, and the probability that follows from it."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Floats

_MAX_EXPECTED_RATE = 0.999


class Tally(NamedTuple):
    """How often rules fired and hit, per rule and bucket; the last row and the last column hold sums."""

    fires: Floats
    hits: Floats


def new_tally(n_rules: int, n_buckets: int) -> Tally:
    """Counts of zero."""
    return Tally(*np.zeros((2, n_rules + 1, n_buckets + 1)))


@njit(cache=True, nogil=True)
def smoothed_rate(tally: Tally, rule: int, bucket: int, prior: float) -> float:
    """The share of hits of a rule in a bucket, shrunk towards the rate expected of that rule and that bucket.

    The prior is the number of firings that the expectation is worth.
    """
    fires, hits = tally.fires, tally.hits
    rate = (hits[-1, -1] + 1e-3) / (fires[-1, -1] + 1.0)
    of_rule = (hits[rule, -1] + prior * rate) / (fires[rule, -1] + prior)
    of_bucket = (hits[-1, bucket] + prior * rate) / (fires[-1, bucket] + prior)
    expected = min(of_rule * of_bucket / rate, _MAX_EXPECTED_RATE)
    return (hits[rule, bucket] + prior * expected) / (fires[rule, bucket] + prior)


@njit(cache=True, nogil=True)
def count(tally: Tally, rule: int, bucket: int, hit: bool) -> None:
    """Count one firing of a rule."""
    fires, hits = tally.fires, tally.hits
    fires[rule, bucket] += 1.0
    fires[rule, -1] += 1.0
    fires[-1, bucket] += 1.0
    fires[-1, -1] += 1.0
    if hit:
        hits[rule, bucket] += 1.0
        hits[rule, -1] += 1.0
        hits[-1, bucket] += 1.0
        hits[-1, -1] += 1.0


@njit(cache=True, nogil=True)
def bucket_of(value: float, edges: tuple[float, ...]) -> int:
    """The number of edges that a value exceeds."""
    bucket = 0
    while bucket < len(edges) and value > edges[bucket]:
        bucket += 1
    return bucket


@njit(cache=True, nogil=True)
def insert_largest(row: Floats, first: int, n: int, value: float) -> None:
    """Insert a value among the n largest of a row, which are kept in descending order from an index on."""
    index = first + n - 1
    if value <= row[index]:
        return
    while index > first and row[index - 1] < value:
        row[index] = row[index - 1]
        index -= 1
    row[index] = value
