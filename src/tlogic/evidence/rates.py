"""How often rules came true: counts of firing and hitting by rule and bucket, and the smoothed_rate they make."""

from typing import NamedTuple

import numpy as np
from numba import njit

from tlogic.graph.arrays import Floats


class Tally(NamedTuple):
    """How often rules fired and hit, per rule and bucket; a last row and a last column sum up."""

    fires: Floats
    hits: Floats


def new_tally(n_rules: int, n_buckets: int) -> Tally:
    """Rules that never fired."""
    return Tally(*np.zeros((2, n_rules + 1, n_buckets + 1)))


@njit(cache=True, nogil=True)
def smoothed_rate(tally: Tally, rule: int, bucket: int, prior: float) -> float:
    """The share of hits in a bucket, drawn to what the rule and the bucket lead one to expect.

    The prior says how many firings that expectation is worth.
    """
    fires, hits = tally.fires, tally.hits
    rate = (hits[-1, -1] + 1e-3) / (fires[-1, -1] + 1.0)
    of_rule = (hits[rule, -1] + prior * rate) / (fires[rule, -1] + prior)
    of_bucket = (hits[-1, bucket] + prior * rate) / (fires[-1, bucket] + prior)
    expected = min(of_rule * of_bucket / rate, 0.999)
    return (hits[rule, bucket] + prior * expected) / (fires[rule, bucket] + prior)


@njit(cache=True, nogil=True)
def count(tally: Tally, rule: int, bucket: int, hit: bool) -> None:
    """A rule fired once more."""
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
    """How many edges a value exceeds."""
    place = 0
    while place < len(edges) and value > edges[place]:
        place += 1
    return place


@njit(cache=True, nogil=True)
def insert_largest(row: Floats, first: int, n: int, value: float) -> None:
    """Keep the n largest values of a row from a place on, descending."""
    place = first + n - 1
    if value <= row[place]:
        return
    while place > first and row[place - 1] < value:
        row[place] = row[place - 1]
        place -= 1
    row[place] = value
