"""The two ways to count a rule's supports: over sampled bodies, or over all there are."""

from collections.abc import Callable
from functools import partial

from tlogic.graph.arrays import Ints
from tlogic.graph.index import SlotEdges
from tlogic.graph.triples import TripleIndex
from tlogic.learning.bodies import count_rows
from tlogic.learning.exact import count_rows_exactly
from tlogic.learning.settings import LearningSettings


def support_counter(triples: TripleIndex, slots: SlotEdges, settings: LearningSettings) -> Callable[[Ints], Ints]:
    """What counts the body support and rule support of sorted rules of one length; a row is a rule."""
    if settings.confidence == "exact":
        return partial(count_rows_exactly, triples, slots)
    return partial(count_rows, triples, slots, body_samples=settings.body_samples, seed=settings.seed)
