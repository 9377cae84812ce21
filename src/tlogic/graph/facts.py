"""Facts as integer arrays: the table that all indexes are built from."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tlogic.compilation import kernel
from tlogic.graph.arrays import Bools, Ints, integer_dtype
from tlogic.graph.sorting import counting_sort

_MAX_COUNTING_SORT_STEPS = 1 << 20


def indexes_from(times: Ints, steps: Sequence[int]) -> Ints:
    """The index of the first of some ascending times that is at or after each of some time steps.

    The time steps get the type of the times, because NumPy would copy all times to another type at every call.

    >>> indexes_from(np.array([3, 5, 5], np.int32), [0, 5, 2**40]).tolist()
    [0, 1, 3]
    """
    limits = np.iinfo(times.dtype)
    low, high = int(limits.min), int(limits.max)
    return np.searchsorted(times, np.array([min(max(step, low), high) for step in steps], times.dtype))


class Facts(NamedTuple):
    """Distinct facts as four integer arrays, sorted by time, subject, relation, object.

    Attributes:
        subject: Entity ids.
        relation: Relation ids.
        object: Entity ids.
        time: Time steps.

    Example:
        >>> facts = Facts(*np.array([[0, 1], [0, 0], [1, 0], [3, 5]], np.int32))
        >>> facts.time.tolist()
        [3, 5]
    """

    subject: Ints
    relation: Ints
    object: Ints
    time: Ints

    def between(self, first: int, end: int) -> "Facts":
        """Return the facts with ``first <= time < end``.

        Args:
            first: The first time step.
            end: The time step after the last one.

        Returns:
            Slices of the same arrays.

        Example:
            >>> facts = Facts(*np.array([[0, 1], [0, 0], [1, 0], [3, 5]], np.int32))
            >>> facts.between(4, 6).subject.tolist()
            [1]
        """
        low, high = indexes_from(self.time, [first, end])
        return Facts(*(column[low:high] for column in self))

    def count_by_entity(self, n_entities: int) -> Ints:
        """The number of facts of each entity, as subject or object."""
        return sum(np.bincount(ids, minlength=n_entities) for ids in (self.subject, self.object))  # type: ignore[return-value]

    def count_by_relation(self, n_relations: int) -> Ints:
        """The number of facts of each relation."""
        return np.bincount(self.relation, minlength=n_relations)


def sorted_distinct(facts: Facts, n_entities: int, n_relations: int) -> Facts:
    """Sort facts and drop duplicates: stable sorts, least significant key first.

    >>> facts = Facts(*np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0], [5, 3, 5]], np.int32))
    >>> sorted_distinct(facts, n_entities=2, n_relations=1).time.tolist()
    [3, 5]
    """
    order: Ints = np.arange(len(facts.time), dtype=integer_dtype(len(facts.time)))
    for keys, n_keys in ((facts.object, n_entities), (facts.relation, n_relations), (facts.subject, n_entities)):
        order = counting_sort(order, keys, n_keys)
    n_steps = int(facts.time.max(initial=0)) + 1
    if n_steps <= max(len(order), _MAX_COUNTING_SORT_STEPS):
        order = counting_sort(order, facts.time, n_steps)
    else:  # more time steps than facts
        order = order[np.argsort(facts.time[order], kind="stable")]
    order = order[_is_new(facts, order)]
    return Facts(*(column[order] for column in facts))


@kernel
def _is_new(facts: Facts, order: Ints) -> Bools:
    """For facts in the given order: whether each differs from the one before."""
    new = np.ones(len(order), np.bool_)
    for i in range(1, len(order)):
        a, b = order[i - 1], order[i]
        new[i] = (
            facts.subject[a] != facts.subject[b]
            or facts.relation[a] != facts.relation[b]
            or facts.object[a] != facts.object[b]
            or facts.time[a] != facts.time[b]
        )
    return new


NO_FACTS = Facts(*np.empty((4, 0), np.int32))
