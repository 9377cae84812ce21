"""Which facts repeat earlier facts."""

from typing import NamedTuple

import numpy as np

from tlogic.graph import Facts
from tlogic.graph.arrays import Bools, Ints

_NEVER = -2  # precedes no time step, not even step 0


class SeenBefore(NamedTuple):
    """For each fact: whether it, or its pair of entities, occurred before."""

    fact: Bools
    """The same subject, relation and object at any earlier time step."""
    fact_just_before: Bools
    """The same subject, relation and object at the previous time step."""
    pair: Bools
    """The same subject and object, with any relation, at any earlier time step."""


def seen_before(facts: Facts) -> SeenBefore:
    """Find the facts that repeat an earlier one; facts must be sorted by time.

    >>> column = np.array([0, 0, 0])
    >>> seen_before(Facts(column, np.array([0, 0, 1]), column, time=np.array([0, 1, 2])))._asdict()
    {'fact': array([False,  True, False]), 'fact_just_before': array([False,  True, False]), \
'pair': array([False,  True,  True])}
    """
    pair = row_ids(facts.subject, facts.object)
    triple = row_ids(pair, facts.relation)
    return SeenBefore(
        fact=_first_times(triple, facts.time) < facts.time,
        fact_just_before=_previous_times(triple, facts.time) == facts.time - 1,
        pair=_first_times(pair, facts.time) < facts.time,
    )


def row_ids(*columns: Ints) -> Ints:
    """Number the distinct rows from 0; equal rows have equal ids.

    >>> row_ids(np.array([5, 5, 2]), np.array([1, 1, 1])).tolist()
    [1, 1, 0]
    """
    ids = columns[0].astype(np.int64)
    for column in columns[1:]:  # renumbered from 0 each time, so that no product overflows
        ids = np.unique(ids * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    return ids


def _first_times(ids: Ints, time: Ints) -> Ints:
    """For each row: the first time of its id."""
    first = np.empty(ids.max(initial=-1) + 1, time.dtype)
    first[ids[::-1]] = time[::-1]  # from the last row to the first, so that the earliest time remains
    return first[ids]


def _previous_times(ids: Ints, time: Ints) -> Ints:
    """For each row: the time of the previous row with the same id, or _NEVER."""
    order = np.argsort(ids, kind="stable")
    previous = np.full(len(ids), _NEVER, np.int64)
    same_id = ids[order][1:] == ids[order][:-1]
    previous[order[1:][same_id]] = time[order[:-1][same_id]]
    return previous
