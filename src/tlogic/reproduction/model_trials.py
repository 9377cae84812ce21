"""Trials of learned models: how a model is fitted, and on which splits it is evaluated."""

from dataclasses import dataclass
from shlex import quote
from typing import Literal

from tlogic.analysis.command_lines import date_options

Kind = Literal["scorecard", "boosted"]
TrainOn = Literal["train", "train+valid"]

KINDS: tuple[Kind, ...] = ("scorecard", "boosted")
TRAIN_ON: tuple[TrainOn, ...] = ("train", "train+valid")


@dataclass(frozen=True)
class ModelTrial:
    """A model fitted to a dataset, split at the given dates or, by default, as in the dataset's files."""

    data: str
    model: Kind = "scorecard"
    names: bool = False
    train_on: TrainOn = "train+valid"
    valid_from: str | None = None
    test_from: str | None = None

    @property
    def label(self) -> str:
        """The model's name in tables.

        >>> ModelTrial("icews14", "boosted", names=True).label
        'boosted, names'
        """
        return f"{self.model}, names" if self.names else self.model

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits to evaluate: validation facts only if the model was not fitted to them."""
        return ("test",) if self.train_on == "train+valid" else ("valid", "test")


def model_commands(trial: ModelTrial, split: str = "test") -> str:
    """The commands that fit the model and evaluate it.

    >>> print(model_commands(ModelTrial("icews14", "boosted", names=True)))
    tlogic fit icews14 --out icews14.model --model boosted --names && tlogic evaluate icews14 --model icews14.model
    """
    data, path = quote(trial.data), quote(f"{trial.data}.model")
    dates = date_options(trial.valid_from, trial.test_from)
    fit = ["tlogic fit", data, *dates, "--out", path]
    fit += ["--model boosted"] if trial.model == "boosted" else []
    fit += ["--names"] if trial.names else []
    fit += ["--train-on train"] if trial.train_on == "train" else []
    evaluate = ["tlogic evaluate", data, *dates, "--model", path, *([] if split == "test" else [f"--split {split}"])]
    return f"{' '.join(fit)} && {' '.join(evaluate)}"
