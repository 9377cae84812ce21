"""How rules are learned: the paper's parameters, with its best values as defaults."""

from dataclasses import dataclass
from typing import Literal, get_args

from tlogic.errors import SettingsError

Transition = Literal["exp", "unif"]
Confidence = Literal["sampled", "exact"]
MAX_EXACT_LENGTH = 3
"""Longer bodies could only be counted one by one."""


@dataclass(frozen=True)
class LearningSettings:
    """Parameters of rule learning.

    >>> LearningSettings(lengths=(1, 2)).walks
    200
    """

    lengths: tuple[int, ...] = (1, 2, 3)
    """Rule lengths, the number of body atoms."""
    walks: int = 200
    """Walks sampled per head relation and length."""
    transition: Transition = "exp"
    """Whether a walk prefers recent edges (``exp``) or not (``unif``)."""
    body_samples: int = 500
    """Bodies sampled per rule to estimate its confidence."""
    confidence: Confidence = "sampled"
    """Whether confidence is estimated from sampled bodies, or counted over all of them (``exact``)."""
    seed: int = 12

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", tuple(sorted(set(self.lengths))))
        if not self.lengths or self.lengths[0] < 1:
            raise SettingsError(f"Rule lengths must be 1 or more, not {list(self.lengths)}.")
        for name in ("walks", "body_samples"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} must be 1 or more, not {getattr(self, name)}.")
        if self.transition not in get_args(Transition):
            raise SettingsError(f"transition must be exp or unif, not {self.transition!r}.")
        if self.confidence not in get_args(Confidence):
            raise SettingsError(f"confidence must be sampled or exact, not {self.confidence!r}.")
        if self.confidence == "exact" and self.lengths[-1] > MAX_EXACT_LENGTH:
            raise SettingsError(
                f"Exact confidence is for rules of length {MAX_EXACT_LENGTH} at most, not {self.lengths[-1]}; "
                "take sampled confidence for longer ones."
            )
        if self.seed < 0:
            raise SettingsError(f"The seed must not be negative, not {self.seed}.")
