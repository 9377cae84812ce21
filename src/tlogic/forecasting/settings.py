"""How rules are applied: the paper's parameters, with its best values as defaults."""

from dataclasses import dataclass
from typing import Literal, get_args

from tlogic.errors import SettingsError
from tlogic.rules import Rule

Stop = Literal["published", "text"]

HUGE = 2_000_000
ENOUGH = 50
UNLIMITED = 1 << 60


@dataclass(frozen=True)
class ApplicationSettings:
    """Parameters of rule application.

    >>> ApplicationSettings(window=200).k
    20
    """

    window: int | None = None
    """How many steps back facts count; None for all."""
    k: int = 20
    """How many candidates are enough."""
    alpha: float = 0.5
    """The weight of a rule's confidence in a score; the rest is for how recent the grounding is."""
    decay: float = 0.1
    """The paper's lambda: how fast a score falls with the age of a grounding, per step."""
    stop: Stop = "published"
    """When to stop: once the k best candidates have different scores (``published``), or once there are k
    (``text``)."""
    min_confidence: float = 0.01
    min_support: int = 2
    lengths: tuple[int, ...] | None = None
    """Rule lengths to apply; None for all."""
    max_groundings: int | None = None
    """How many triples of an entity and relation are followed, the most recent first. None for all; but in a graph of
    more than ``HUGE`` facts, whose hubs would make a query take seconds, for the ``ENOUGH`` most recent."""

    def __post_init__(self) -> None:
        for name in ("window", "k", "max_groundings"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SettingsError(f"{name} must be 1 or more, not {value}.")
            if value is not None and value > UNLIMITED:
                raise SettingsError(f"{name} must be {UNLIMITED:,} or less, not {value:,}.")
        if not 0 <= self.alpha <= 1:
            raise SettingsError(f"alpha must lie between 0 and 1, not {self.alpha}.")
        if not self.decay > 0:
            raise SettingsError(f"lambda must be greater than 0, not {self.decay}.")
        if self.stop not in get_args(Stop):
            raise SettingsError(f"stop must be published or text, not {self.stop!r}.")
        if self.lengths is not None:
            object.__setattr__(self, "lengths", tuple(sorted(set(self.lengths))))

    def limit_for(self, n_facts: int) -> int:
        """How many triples of an entity and relation are followed in a graph of some size.

        >>> ApplicationSettings().limit_for(500_000) == UNLIMITED, ApplicationSettings().limit_for(20_000_000)
        (True, 50)
        """
        if self.max_groundings is not None:
            return self.max_groundings
        return ENOUGH if n_facts > HUGE else UNLIMITED

    def admit(self, rule: Rule) -> bool:
        """Is the rule confident and supported enough, and of a length that is wanted?"""
        return (
            rule.confidence >= self.min_confidence
            and rule.body_support >= self.min_support
            and (self.lengths is None or len(rule.body) in self.lengths)
        )
