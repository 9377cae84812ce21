"""The entities that a rule body leads to, with their times."""

from typing import NamedTuple

import numpy as np

from tlogic.forecasting.grounding.visible_facts import NEVER
from tlogic.graph.arrays import Ints


class Frontier(NamedTuple):
    """A map from entities to the latest t_1 of the groundings that end there; callers must reset it after reading."""

    best: Ints
    """Per entity: its latest t_1, or NEVER."""
    entity: Ints
    """The entities found, in order of discovery; functions pass their number separately."""


def new_frontier(n_entities: int) -> Frontier:
    """An empty frontier."""
    return Frontier(np.full(n_entities, NEVER, np.int32), np.empty(n_entities, np.int32))
