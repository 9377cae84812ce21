"""Rule learning: temporal random walks become rules, and body groundings give them their confidence.

- ``learner``: ``learn_rules``, the whole algorithm
- ``walks``: temporal random walks
- ``confidence``: confidence = rule support / body support, sampled (``sampled_support``) or exact (``exact_support``)
- ``measurement``: ``measure_rules``, the confidence of rules that exist already
- ``training_edges``: the facts that rules are learned from
- ``checkpoint``: finished parts of a run, on disk
"""

from typing import TYPE_CHECKING

from tlogic.lazy import lazy_names

if TYPE_CHECKING:
    from tlogic.learning.learner import learn_rules
    from tlogic.learning.measurement import measure_rules
    from tlogic.learning.settings import LearningSettings

__all__ = [
    "LearningSettings",
    "learn_rules",
    "measure_rules",
]
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "LearningSettings": "tlogic.learning.settings",
        "learn_rules": "tlogic.learning.learner",
        "measure_rules": "tlogic.learning.measurement",
    },
)
