"""Settings of fitting a model. The families of evidence are imported when needed, so that settings load instantly."""

from dataclasses import dataclass
from typing import Literal, get_args

from tlogic.errors import SettingsError
from tlogic.evidence.memory_settings import MAX_EVENTS

ModelKind = Literal["scorecard", "boosted"]
TrainOn = Literal["train", "train+valid"]


@dataclass(frozen=True)
class FitSettings:
    """Parameters of fitting a model.

    Attributes:
        model: "scorecard" for a sum of weights, "boosted" for a scorecard with trees on top (needs LightGBM).
        names: Whether to use the structure of entity names, such as "Police (India)", as evidence too.
        train_on: The facts to learn weights from: the training facts ("train"), or also the validation facts
            ("train+valid").
        evidence: The families of evidence to use; None for all but names.
        max_events: How many last events of an entity are searched for evidence, 1 or more. It bounds the cost of
            entities with very many events, at fitting and in every forecast.
        seed: Seed of the sampling of queries and candidates, 0 or more.

    Raises:
        SettingsError: If a value is not allowed.

    Example:
        >>> FitSettings(names=True).families[-1]
        'names'
    """

    model: ModelKind = "scorecard"
    names: bool = False
    train_on: TrainOn = "train+valid"
    evidence: tuple[str, ...] | None = None
    max_events: int = MAX_EVENTS
    seed: int = 12

    def __post_init__(self) -> None:
        if self.model not in get_args(ModelKind):
            raise SettingsError(f"model must be scorecard or boosted, not {self.model!r}.")
        if self.train_on not in get_args(TrainOn):
            raise SettingsError(f"train_on must be train or train+valid, not {self.train_on!r}.")
        if self.evidence is not None:
            object.__setattr__(self, "evidence", tuple(self.evidence))
            self._check_evidence(self.evidence)
        if self.max_events < 1:
            raise SettingsError(f"max_events must be 1 or more, not {self.max_events}.")
        if self.seed < 0:
            raise SettingsError(f"The seed must be 0 or more, not {self.seed}.")

    @property
    def families(self) -> tuple[str, ...]:
        """The families of evidence that the model uses."""
        from tlogic.evidence.registry import DEFAULT_FAMILIES, FAMILIES

        chosen = DEFAULT_FAMILIES if self.evidence is None else self.evidence
        return tuple(name for name in FAMILIES if name in chosen or (self.names and name == "names"))

    @staticmethod
    def _check_evidence(chosen: tuple[str, ...]) -> None:
        from tlogic.evidence.registry import FAMILIES

        unknown = [name for name in chosen if name not in FAMILIES]
        if unknown or not chosen:
            raise SettingsError(
                f"evidence must be some of {', '.join(FAMILIES)}, not {', '.join(unknown) or 'nothing'}."
            )
