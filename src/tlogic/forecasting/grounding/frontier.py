"""Entities that were frontier, and when."""

from typing import NamedTuple

import numpy as np

from tlogic.forecasting.grounding.visible_facts import NEVER
from tlogic.graph.arrays import Ints


class Frontier(NamedTuple):
    """A map from entities to the latest time of the first fact on the way to them. Whoever reads it leaves it empty."""

    best: Ints
    """Per entity: that time, or NEVER."""
    entity: Ints
    """The entities frontier, in order of discovery; their number travels beside the map."""


def new_frontier(n_entities: int) -> Frontier:
    """An empty map."""
    return Frontier(np.full(n_entities, NEVER, np.int32), np.empty(n_entities, np.int32))
