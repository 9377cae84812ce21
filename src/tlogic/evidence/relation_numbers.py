"""Numbers of relations in both directions: a graph puts inverse relations last, a memory beside their relations.

The numbers in a memory do not change when relations are added.
"""

import numpy as np

from tlogic.graph.arrays import Ints


def encoded(relation: int, n_base: int) -> int:
    """The number of a graph's relation in a memory: 2 r, or 2 r + 1 for the inverse of r.

    >>> [encoded(relation, 2) for relation in range(4)]
    [0, 2, 1, 3]
    """
    return 2 * relation if relation < n_base else 2 * (relation - n_base) + 1


def decoded(number: int, n_base: int) -> int:
    """The relation of a graph, from its number in a memory.

    >>> [decoded(number, 2) for number in range(4)]
    [0, 2, 1, 3]
    """
    return number // 2 + n_base * (number % 2)


def encode_relations(relations: Ints, n_base: int) -> Ints:
    """The numbers of a graph's relations in a memory.

    >>> encode_relations(np.arange(4), 2).tolist()
    [0, 2, 1, 3]
    """
    return np.where(relations < n_base, 2 * relations, 2 * (relations - n_base) + 1).astype(np.int64)


def decode_relations(numbers: Ints, n_base: int) -> Ints:
    """The relations of a graph, from their numbers in a memory.

    >>> decode_relations(np.arange(4), 2).tolist()
    [0, 2, 1, 3]
    """
    return numbers // 2 + n_base * (numbers % 2)
