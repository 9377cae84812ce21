"""What is asked of a learned model: fitted how, to what, and measured on which facts."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["scorecard", "boosted"]
TrainOn = Literal["train", "train+valid"]

KINDS: tuple[Kind, ...] = ("scorecard", "boosted")


@dataclass(frozen=True)
class ModelTrial:
    """A model fitted to a dataset, which is cut at the given dates or, where there are none, as its files are."""

    data: str
    model: Kind = "scorecard"
    names: bool = False
    train_on: TrainOn = "train+valid"
    valid_from: str | None = None
    test_from: str | None = None

    @property
    def called(self) -> str:
        """What tables call the model.

        >>> ModelTrial("icews14", "boosted", names=True).called
        'boosted, names'
        """
        return f"{self.model}, names" if self.names else self.model

    @property
    def splits(self) -> tuple[str, ...]:
        """The facts to forecast: validation facts are none to forecast for a model that learned from them."""
        return ("test",) if self.train_on == "train+valid" else ("valid", "test")
