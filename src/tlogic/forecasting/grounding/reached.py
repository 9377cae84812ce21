"""Entities that were reached, and when."""

from typing import NamedTuple

import numpy as np

from tlogic.forecasting.grounding.known import NEVER
from tlogic.graph.arrays import Ints


class Reached(NamedTuple):
    """A map from entities to the latest time of the first fact on the way to them. Whoever reads it leaves it empty."""

    best: Ints
    """Per entity: that time, or NEVER."""
    entity: Ints
    """The entities reached, in order of discovery; their number travels beside the map."""


def new_reached(n_entities: int) -> Reached:
    """An empty map."""
    return Reached(np.full(n_entities, NEVER, np.int32), np.empty(n_entities, np.int32))
