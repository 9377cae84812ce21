"""Recurrence: which facts repeat what happened before."""

from typing import NamedTuple

import numpy as np

from tlogic.graph import Facts
from tlogic.graph.arrays import Bools, Ints


class Seen(NamedTuple):
    """For each fact: what of it had happened before."""

    fact: Bools
    """The same subject, relation and object, at any earlier step."""
    fact_just_before: Bools
    """The same, and in the very step before."""
    pair: Bools
    """The same subject and object, by any relation, at any earlier step."""


def seen_before(facts: Facts) -> Seen:
    """What of each fact had happened at an earlier step; facts are in order of time.

    >>> column = np.array([0, 0, 0])
    >>> seen_before(Facts(column, np.array([0, 0, 1]), column, time=np.array([0, 1, 2])))._asdict()
    {'fact': array([False,  True, False]), 'fact_just_before': array([False,  True, False]), \
'pair': array([False,  True,  True])}
    """
    pair = numbered(facts.subject, facts.object)
    triple = numbered(pair, facts.relation)
    return Seen(
        fact=_first_times(triple, facts.time) < facts.time,
        fact_just_before=_times_before(triple, facts.time) == facts.time - 1,
        pair=_first_times(pair, facts.time) < facts.time,
    )


def numbered(*columns: Ints) -> Ints:
    """One number a row, from 0 on, equal where the rows are equal.

    >>> numbered(np.array([5, 5, 2]), np.array([1, 1, 1])).tolist()
    [1, 1, 0]
    """
    numbers = columns[0].astype(np.int64)
    for column in columns[1:]:  # each time counted anew from 0, so that no product overflows
        numbers = np.unique(numbers * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    return numbers


def _first_times(key: Ints, time: Ints) -> Ints:
    """For each row: when its key came first."""
    first = np.empty(key.max(initial=-1) + 1, time.dtype)
    first[key[::-1]] = time[::-1]  # from the last row to the first, so that the earliest time stays
    return first[key]


def _times_before(key: Ints, time: Ints) -> Ints:
    """For each row: when its key came last before it; -2, which is just before no step, where it never did."""
    order = np.argsort(key, kind="stable")
    before = np.full(len(key), -2, np.int64)
    again = key[order][1:] == key[order][:-1]
    before[order[1:][again]] = time[order[:-1][again]]
    return before
