"""Exact body support and rule support: counts all bodies of a rule without enumerating them.

The kernels join triples, not facts, and carry for each path of triples how many bodies along it have ended by each
time. Bodies with a repeated variable have at most three different entities, so their paths can be enumerated
(``exact_repeated_variables``). Other bodies are counted from both ends (``exact_distinct_variables``).

Counts are float64: exact up to 2^53 bodies, and to about twelve digits beyond.
"""

import numpy as np

from tlogic.graph.arrays import Ints
from tlogic.graph.triples import TripleIndex
from tlogic.learning.exact_distinct_variables import count_distinct, new_counting_scratch
from tlogic.learning.exact_repeated_variables import count_repeated, new_counting_path
from tlogic.learning.training_edges import RelationSlots

MAX_SUPPORT = 2.0**62
"""Supports are stored as int64; above this body support, both supports are scaled down by the same factor."""


def count_supports_exactly(triples: TripleIndex, relations: RelationSlots, rows: Ints) -> Ints:
    """Body support and rule support of rules of one length, one rule per row: body, variables, head.

    Rows should be sorted, so that rules whose bodies share a prefix share the work.
    """
    length = (rows.shape[1] - 2) // 2
    body, variables, head = (np.ascontiguousarray(part) for part in np.split(rows, [length, 2 * length + 1], axis=1))
    distinct = variables.max(axis=1, initial=0) == length
    supports = np.zeros((len(rows), 2), np.float64)
    if distinct.any():
        supports[distinct] = count_distinct(
            triples, relations, head[distinct, 0], body[distinct], new_counting_scratch(triples, relations)
        )
    if not distinct.all():
        repeated = ~distinct
        rules = head[repeated, 0], body[repeated], variables[repeated]
        supports[repeated] = count_repeated(triples, relations, *rules, new_counting_path(triples, length))
    return (supports * np.minimum(1.0, MAX_SUPPORT / np.maximum(supports[:, :1], 1.0))).astype(np.int64)
