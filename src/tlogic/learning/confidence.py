"""The two ways to count a rule's supports: over sampled bodies, or over all there are."""

from collections.abc import Callable
from functools import partial

from tlogic.graph.arrays import Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.learning.exact_support import count_supports_exactly
from tlogic.learning.sampled_support import sample_supports
from tlogic.learning.settings import LearningSettings
from tlogic.learning.training_edges import TrainingEdges, relation_slots

RULES_PER_CHUNK = (
    500  # to count at a time; the samples of a body that ends one chunk and begins the next are taken twice
)


def support_counter(
    graph: TemporalGraph, training: TrainingEdges, settings: LearningSettings
) -> Callable[[Ints], Ints]:
    """What counts the body support and rule support of sorted rules of one length; a row is a rule."""
    if settings.confidence == "exact":
        triples = graph.train.triples
        return partial(count_supports_exactly, triples, relation_slots(triples, len(graph.relations)))
    return partial(sample_supports, training, body_samples=settings.body_samples, seed=settings.seed)
