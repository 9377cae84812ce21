"""A search for settings: Optuna chooses each batch of trials by what those before it gave."""

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from tlogic.errors import InputError

_AT_RANDOM = 5  # before there is anything to choose by
_LENGTHS = [",".join(map(str, some)) for n in (1, 2, 3) for some in combinations((1, 2, 3), n)]
_WALKS = (10, 25, 50, 100, 200, 400)
# The paper's best settings are the first trial, so that a search never ends below them.
_FIRST = {
    "walks": _WALKS.index(200),
    "transition": "exp",
    "lengths": "1,2,3",
    "history": "all",
    "k": 20,
    "alpha": 0.5,
    "lambda": 0.1,
}

Choice = dict[str, Any]
"""A value for each parameter of the paper's grid, by the names of the settings."""


class Search:
    """A search for the highest score; windows reach up to a span of steps.

    The same seed and scores give the same choices, and the first of a batch do not depend on how many follow. So a
    search that was stopped goes on by being repeated with what was measured.
    """

    def __init__(self, span: int, seed: int) -> None:
        optuna = _import_optuna()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            # Trials that are asked for but not told yet count as bad, which keeps those of a batch apart.
            sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=True, n_startup_trials=_AT_RANDOM)
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._study.enqueue_trial(_FIRST)
        self._span = span
        self._asked: list[Any] = []

    def ask(self, n: int) -> list[Choice]:
        """The next trials to measure."""
        choices = []
        for _ in range(n):
            self._asked.append(self._study.ask())
            choices.append(_choose(self._asked[-1], self._span))
        return choices

    def tell(self, scores: Sequence[float]) -> None:
        """What the trials gave that were asked for."""
        for trial, score in zip(self._asked, scores, strict=True):
            self._study.tell(trial, score)
        self._asked = []


def _import_optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise InputError("A search for settings needs Optuna: pip install 'tlogic[tune]'.") from None
    return optuna


def _choose(trial: Any, span: int) -> Choice:
    """A place in a space around the paper's grid."""
    whole = trial.suggest_categorical("history", ["all", "window"]) == "all"
    lengths = trial.suggest_categorical("lengths", _LENGTHS)
    return {
        "walks": _WALKS[trial.suggest_int("walks", 0, len(_WALKS) - 1)],  # in order, unlike names
        "transition": trial.suggest_categorical("transition", ["unif", "exp"]),
        "lengths": tuple(map(int, lengths.split(","))),
        "window": None if whole else trial.suggest_int("window", max(1, span // 100), max(1, span), log=True),
        "k": trial.suggest_int("k", 5, 50, log=True),
        "alpha": round(trial.suggest_float("alpha", 0.0, 1.0), 2),
        "decay": _short(trial.suggest_float("lambda", 0.001, 1.0, log=True)),
    }


def _short(value: float) -> float:
    """Two digits are enough, and can be typed.

    >>> _short(0.0123456)
    0.012
    """
    return float(f"{value:.2g}")
