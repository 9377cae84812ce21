"""Tallies: how often rules fired and hit, by head relation, rule and bucket, and the probability that follows."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tlogic.compilation import helper, inlined_kernel
from tlogic.evidence.rule_kinds import RuleCounts
from tlogic.evidence.tables import Table, has_room, keys_of, larger_table, n_keys, new_table
from tlogic.graph.arrays import Floats, Ints

_MAX_EXPECTED_RATE = 0.999
_LOG_UNIT = 2.0**32
_SMALL_RATE = 0.01
FIRES, HITS = 0, 1
_RELATION_BITS = 15
MAX_RELATIONS = 1 << _RELATION_BITS
"""With more relations, in both directions, rules with two body relations cannot be counted."""


class Tally(NamedTuple):
    """Counts of rules by bucket; one of the buckets holds the sum over others."""

    rule: Table
    """From the key of a rule, which includes its head, to its number."""
    counts: Ints
    """Per rule and bucket: firings and hits, side by side, as both are read at once."""
    totals: Ints
    """Per head relation and bucket: firings and hits of all its rules."""


def new_tally(n_buckets: int) -> Tally:
    """Counts of no rules, for no head relations."""
    return Tally(new_table(), np.zeros((0, n_buckets, 2), np.int32), np.zeros((0, n_buckets, 2), np.int64))


def with_more_heads(tally: Tally, n: int) -> Tally:
    """The same tally for at least so many head relations."""
    more = np.zeros((max(n - len(tally.totals), 0), *tally.totals.shape[1:]), np.int64)
    return tally._replace(totals=np.concatenate([tally.totals, more]))


def with_more_rules(tally: Tally, n_more: int) -> Tally:
    """The same tally with room for at least so many more rules."""
    table, n = tally.rule, int(n_keys(tally.rule))
    while not has_room(table, n_more):
        table = larger_table(table)
    if n + n_more > len(tally.counts):
        counts = np.zeros((2 * n + n_more, *tally.counts.shape[1:]), np.int32)
        counts[:n] = tally.counts[:n]
        tally = tally._replace(counts=counts)
    return tally._replace(rule=table)


def rules_by_head(tally: Tally, buckets: slice, length: int) -> Iterator[RuleCounts]:
    """The rules that fired, by head, with their counts in some buckets, of which the last holds sums."""
    key = keys_of(tally.rule)
    fired = np.flatnonzero(tally.counts[: len(key), :, FIRES].any(axis=1))
    fired = fired[np.argsort(key[fired], kind="stable")]
    heads, starts = np.unique(key[fired] >> 32, return_index=True)
    for head, own in zip(heads.tolist(), np.split(fired, starts)[1:], strict=True):
        counts = np.concatenate([tally.counts[own], tally.totals[head : head + 1]])[:, buckets]
        yield RuleCounts(head, body_relations(key[own], length), counts[:, :, FIRES], counts[:, :, HITS])


def body_relations(key: Ints, length: int) -> Ints:
    """The body relations of rules, one row per rule."""
    low = key & 0x7FFFFFFF
    return (low[:, None] >> (_RELATION_BITS * np.arange(length - 1, -1, -1))) & (
        (1 << _RELATION_BITS) - 1 if length > 1 else -1
    )


@helper
def can_add_rules(tally: Tally, n: int) -> bool:
    """Whether so many more rules fit."""
    return has_room(tally.rule, n) and n_keys(tally.rule) + n <= len(tally.counts)


@inlined_kernel
def two_relations(first: int, second: int) -> int:
    """One number for two body relations."""
    return (first << _RELATION_BITS) | second


@helper
def add_counts(of_rule: Ints, of_head: Ints, what: int, bucket: int, whole: int, n: int) -> None:
    """Count firings, or hits, of a rule in a bucket, and in the bucket that holds the sum."""
    of_rule[bucket, what] += n
    of_rule[whole, what] += n
    of_head[bucket, what] += n
    of_head[whole, what] += n


@inlined_kernel
def smoothed_rate(
    own: tuple[float, float],
    rule: tuple[float, float],
    bucket: tuple[float, float],
    every: tuple[float, float],
    prior: float,
) -> float:
    """The share of hits of a rule in a bucket, shrunk towards the rate expected of that rule and that bucket.

    Args:
        own: Firings and hits of the rule in the bucket.
        rule: Firings and hits of the rule in all buckets.
        bucket: Firings and hits of all rules in the bucket.
        every: Firings and hits of all rules in all buckets.
        prior: The number of firings that the expectation is worth.
    """
    overall = _overall_rate(every)
    of_rule, of_bucket = _shrunk_rate(rule, overall, prior), _shrunk_rate(bucket, overall, prior)
    return _shrunk_rate(own, _expected_rate(of_rule, of_bucket / overall), prior)


@inlined_kernel
def rate_of(tally: Tally, rule: int, head: int, bucket: int, whole: int, prior: float) -> float:
    """The smoothed rate of a rule in a bucket; of rule -1, which never fired, what is expected of such rules."""
    own, of_rule = _counts(tally.counts, rule, bucket), _counts(tally.counts, rule, whole)
    totals = tally.totals[head]
    every = totals[whole, FIRES], totals[whole, HITS]
    return smoothed_rate(own, of_rule, (totals[bucket, FIRES], totals[bucket, HITS]), every, prior)


# The same in parts, for the many rules of one head. Tallies have many arrays, which are costly to pass on to functions
# that need one of them.


@helper
def fill_head_rates(totals: Ints, whole: int, first: int, end: int, prior: float, out: Floats) -> None:
    """Write the rate of all rules of a head in all buckets, and their rates in some buckets relative to it."""
    out[whole] = _overall_rate((totals[whole, FIRES], totals[whole, HITS]))
    for bucket in range(first, end):
        out[bucket] = _shrunk_rate((totals[bucket, FIRES], totals[bucket, HITS]), out[whole], prior) / out[whole]


@helper
def rate_of_rule(counts: Ints, rule: int, whole: int, head_rates: Floats, prior: float) -> float:
    """The rate of a rule in all buckets, from the counts of a tally."""
    return _shrunk_rate(_counts(counts, rule, whole), head_rates[whole], prior)


@helper
def rate_in_bucket(counts: Ints, rule: int, bucket: int, of_rule: float, head_rates: Floats, prior: float) -> float:
    """The smoothed rate of a rule in a bucket, given its rate in all buckets."""
    expected = _expected_rate(of_rule, head_rates[bucket])
    return _shrunk_rate(_counts(counts, rule, bucket), expected, prior)


@helper
def _counts(counts: Ints, rule: int, bucket: int) -> tuple[int, int]:
    """The firings and hits of a rule in a bucket; none of rule -1."""
    if rule < 0:
        return 0, 0
    return int(counts[rule, bucket, FIRES]), int(counts[rule, bucket, HITS])


@helper
def _overall_rate(counts: tuple[float, float]) -> float:
    return (counts[HITS] + 1e-3) / (counts[FIRES] + 1.0)


@helper
def _shrunk_rate(counts: tuple[float, float], expected: float, prior: float) -> float:
    return (counts[HITS] + prior * expected) / (counts[FIRES] + prior)


@helper
def _expected_rate(of_rule: float, relative_rate: float) -> float:
    return min(of_rule * relative_rate, _MAX_EXPECTED_RATE)


@inlined_kernel
def bucket_of(value: float, edges: tuple[float, ...]) -> int:
    """The number of edges that a value exceeds."""
    bucket = 0
    while bucket < len(edges) and value > edges[bucket]:
        bucket += 1
    return bucket


@helper
def insert_largest(row: Floats, first: int, n: int, value: float) -> None:
    """Insert a value among the n largest of a row, which are kept in descending order from an index on."""
    index = first + n - 1
    if value <= row[index]:
        return
    while index > first and row[index - 1] < value:
        row[index] = row[index - 1]
        index -= 1
    row[index] = value


@helper
def log_of_none(rate: float) -> int:
    """Minus the logarithm of the probability that something with this rate is not so, as an integer.

    Sums of integers do not depend on the order of their terms. For small rates, a few terms of the series are exact.
    """
    if rate < _SMALL_RATE:
        return int(rate * (1.0 + rate * (1 / 2 + rate * (1 / 3 + rate / 4))) * _LOG_UNIT + 0.5)
    return int(-np.log(1.0 - rate) * _LOG_UNIT + 0.5)


@helper
def log_as_float(total: int) -> float:
    """A sum of such logarithms as a floating-point number."""
    return total / _LOG_UNIT


@helper
def rank_within(rows: Floats, value: int, rank: int) -> None:
    """Write how many rows have a larger value in a column, for rows that have a value."""
    values = np.empty(len(rows), np.float32)
    for i in range(len(rows)):
        values[i] = rows[i, value]
    for i in range(len(rows)):
        n = 0
        for j in range(len(rows)):
            n += values[j] > values[i]
        if not np.isnan(values[i]):
            rows[i, rank] = n


@helper
def share_of_best(rows: Floats, value: int, share: int) -> None:
    """Write the share that each value of a column has of the largest one."""
    best = np.float32(1e-9)
    for i in range(len(rows)):
        best = max(best, rows[i, value])
    for i in range(len(rows)):
        rows[i, share] = rows[i, value] / best
