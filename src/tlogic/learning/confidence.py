"""The confidence of rules: rule support / body support, counted over sampled bodies or over all of them.

The *body support* of a rule is the number of its body groundings, the *rule support* the number of those that the head
follows: (e_1, r_h, e_(l+1)) holds at a later time. ``Rule.confidence`` divides the two.

- ``sampled_support`` counts over a sample of bodies, as the paper does.
- ``exact_support`` counts over all bodies.
"""

from collections.abc import Callable
from functools import partial

from tlogic.graph.arrays import Ints
from tlogic.graph.temporal_graph import TemporalGraph
from tlogic.learning.exact_support import count_supports_exactly
from tlogic.learning.sampled_support import sample_supports
from tlogic.learning.settings import LearningSettings
from tlogic.learning.training_edges import TrainingEdges, relation_slots

RULES_PER_CHUNK = 500
"""Rules per unit of parallel work. A body whose rules fall into two chunks is sampled twice."""


def support_counter(
    graph: TemporalGraph, training: TrainingEdges, settings: LearningSettings
) -> Callable[[Ints], Ints]:
    """A function that counts body support and rule support of rules of one length.

    It takes sorted rules, one per row (body, variables, head), and returns (body support, rule support) per row.
    """
    if settings.confidence == "exact":
        triples = graph.train.triples
        return partial(count_supports_exactly, triples, relation_slots(triples, len(graph.relations)))
    return partial(sample_supports, training, body_samples=settings.body_samples, seed=settings.seed)
