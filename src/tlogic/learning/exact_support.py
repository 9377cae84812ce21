"""Exact confidence: count all bodies of a rule, and after how many of them the head came true, without listing them.

Triples are joined, not events, and a path of triples carries numbers: how many bodies along it had ended by each time.
A body with a repeated variable has at most three different entities, so its paths are followed one by one
(``loops``). Bodies whose variables all differ are met in the middle (``frontiers``).

Numbers are kept in double precision: exact up to 2^53 bodies, and to a dozen digits beyond.
"""

import numpy as np

from tlogic.graph.arrays import Ints
from tlogic.graph.triples import TripleIndex
from tlogic.learning.exact_distinct_variables import count_distinct, new_counting_scratch
from tlogic.learning.exact_repeated_variables import count_repeated, new_counting_path
from tlogic.learning.training_edges import RelationSlots

MAX_SUPPORT = 2.0**62
"""Supports are stored in 64 bits; where there are more bodies than this, both supports are scaled down alike."""


def count_supports_exactly(triples: TripleIndex, relations: RelationSlots, rows: Ints) -> Ints:
    """Body support and rule support of rules of one length; a row is a rule: body, variables, head.

    Rows should be sorted, so that rules whose bodies begin alike share their work.
    """
    length = (rows.shape[1] - 2) // 2
    body, variables, head = (np.ascontiguousarray(part) for part in np.split(rows, [length, 2 * length + 1], axis=1))
    free = variables.max(axis=1, initial=0) == length
    supports = np.zeros((len(rows), 2), np.float64)
    if free.any():
        supports[free] = count_distinct(
            triples, relations, head[free, 0], body[free], new_counting_scratch(triples, relations)
        )
    if not free.all():
        repeated = ~free
        rules = head[repeated, 0], body[repeated], variables[repeated]
        supports[repeated] = count_repeated(triples, relations, *rules, new_counting_path(triples, length))
    return (supports * np.minimum(1.0, MAX_SUPPORT / np.maximum(supports[:, :1], 1.0))).astype(np.int64)
