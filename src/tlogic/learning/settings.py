"""Settings of rule learning: the paper's parameters, with its best values as defaults."""

from dataclasses import dataclass
from typing import Literal, get_args

from tlogic.errors import SettingsError

Transition = Literal["exp", "unif"]
Confidence = Literal["sampled", "exact"]
MAX_EXACT_LENGTH = 3
"""Longest rule, in body atoms, whose exact confidence can be computed without enumerating bodies."""


@dataclass(frozen=True)
class LearningSettings:
    """Parameters of rule learning.

    Attributes:
        lengths: Rule lengths, in body atoms.
        walks: Temporal walks sampled per head relation and length.
        transition: Distribution of the next edge of a walk: "exp" prefers recent edges, "unif" is uniform.
        body_samples: Bodies sampled per rule to estimate its confidence.
        confidence: "sampled" estimates confidence from sampled bodies, "exact" counts all bodies.
        seed: Seed of the random numbers, 0 or more.

    Raises:
        SettingsError: If a value is out of range, or exact confidence is combined with a length above 3.

    Example:
        >>> LearningSettings(lengths=(1, 2)).walks
        200
    """

    lengths: tuple[int, ...] = (1, 2, 3)
    walks: int = 200
    transition: Transition = "exp"
    body_samples: int = 500
    confidence: Confidence = "sampled"
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
                f"Exact confidence needs rules of length {MAX_EXACT_LENGTH} or less, not {self.lengths[-1]}; "
                "use sampled confidence for longer ones."
            )
        if self.seed < 0:
            raise SettingsError(f"The seed must be 0 or more, not {self.seed}.")
