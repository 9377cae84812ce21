"""Rule learning: temporal random walks become rules, and body groundings give them their confidence.

- ``learner``: ``learn``, the whole algorithm
- ``walks``: temporal random walks
- ``confidence``: confidence = rule support / body support, sampled (``sampled_support``) or exact (``exact_support``)
- ``measurement``: ``measure``, the confidence of rules that exist already
- ``training_edges``: the facts that rules are learned from
- ``checkpoint``: finished parts of a run, on disk
"""

from tlogic.learning.learner import learn
from tlogic.learning.measurement import measure
from tlogic.learning.settings import LearningSettings

__all__ = ["LearningSettings", "learn", "measure"]
