"""Facts as numbers: the one table that everything else is sorted from."""

from typing import NamedTuple

import numpy as np

from tlogic.graph.arrays import Ints


class Facts(NamedTuple):
    """Distinct facts as four arrays, sorted by time, subject, relation, object."""

    subject: Ints
    relation: Ints
    object: Ints
    time: Ints

    def between(self, first: int, end: int) -> "Facts":
        """The facts with ``first <= time < end``."""
        low, high = np.searchsorted(self.time, [first, end])
        return Facts(*(column[low:high] for column in self))


NO_FACTS = Facts(*np.empty((4, 0), np.int32))
