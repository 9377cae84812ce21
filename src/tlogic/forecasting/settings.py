"""Settings of rule application: the paper's parameters, with its best values as defaults."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tlogic.errors import SettingsError

if TYPE_CHECKING:
    from tlogic.rules import Rule

Stop = Literal["published", "text"]

LARGE_GRAPH_FACTS = 2_000_000
"""Graphs with more facts than this are large: without a limit, their hubs would make a query take seconds."""
LARGE_GRAPH_MAX_GROUNDINGS = 50
"""The default of ``max_groundings`` in large graphs."""
MAX_INTEGER_SETTING = 1 << 60
"""The largest value of an integer setting; kernels can add to it without overflow."""
UNLIMITED_GROUNDINGS = MAX_INTEGER_SETTING
"""The value of ``max_groundings`` that never limits."""


@dataclass(frozen=True)
class ApplicationSettings:
    """Parameters of rule application.

    Attributes:
        window: How many time steps back facts count; None for all.
        k: How many candidates are enough.
        alpha: The weight of a rule's confidence in a score; the rest is for recency.
        decay: The paper's lambda: how fast a score falls with the age of a grounding, per time step.
        stop: When to stop applying rules: once the k best candidates have different scores ("published"), or once
            there are k candidates ("text").
        min_confidence: Rules with a lower confidence are not applied.
        min_support: Rules with fewer body groundings are not applied.
        lengths: The rule lengths to apply; None for all.
        max_groundings: How many triples of an entity and relation are followed, the most recent first. None for all;
            in graphs of more than two million facts, for the 50 most recent.

    Raises:
        SettingsError: If a value is out of range.

    Example:
        >>> ApplicationSettings(window=200).k
        20
    """

    window: int | None = None
    k: int = 20
    alpha: float = 0.5
    decay: float = 0.1
    stop: Stop = "published"
    min_confidence: float = 0.01
    min_support: int = 2
    lengths: tuple[int, ...] | None = None
    max_groundings: int | None = None

    def __post_init__(self) -> None:
        for name in ("window", "k", "max_groundings"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SettingsError(f"{name} must be 1 or more, not {value}.")
            if value is not None and value > MAX_INTEGER_SETTING:
                raise SettingsError(f"{name} must be {MAX_INTEGER_SETTING:,} or less, not {value:,}.")
        if not 0 <= self.alpha <= 1:
            raise SettingsError(f"alpha must lie between 0 and 1, not {self.alpha}.")
        if not self.decay > 0:
            raise SettingsError(f"lambda must be greater than 0, not {self.decay}.")
        if self.stop not in get_args(Stop):
            raise SettingsError(f"stop must be published or text, not {self.stop!r}.")
        if self.lengths is not None:
            object.__setattr__(self, "lengths", tuple(sorted(set(self.lengths))))

    def limit_for(self, n_facts: int) -> int:
        """The number of triples to follow per entity and relation in a graph with ``n_facts`` facts.

        >>> ApplicationSettings().limit_for(20_000_000)
        50
        >>> ApplicationSettings().limit_for(500_000) == UNLIMITED_GROUNDINGS
        True
        """
        if self.max_groundings is not None:
            return self.max_groundings
        return LARGE_GRAPH_MAX_GROUNDINGS if n_facts > LARGE_GRAPH_FACTS else UNLIMITED_GROUNDINGS

    def admit(self, rule: "Rule") -> bool:
        """Whether a rule has enough confidence and support, and a length to apply."""
        return (
            rule.confidence >= self.min_confidence
            and rule.body_support >= self.min_support
            and (self.lengths is None or len(rule.body) in self.lengths)
        )
