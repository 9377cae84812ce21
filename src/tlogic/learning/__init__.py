"""Learning: temporal walks become rules, bodies, sampled or all there are, give them their confidence."""

from tlogic.learning.learner import learn
from tlogic.learning.measurement import measure
from tlogic.learning.settings import LearningSettings

__all__ = ["LearningSettings", "learn", "measure"]
