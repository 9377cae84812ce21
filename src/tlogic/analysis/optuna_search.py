"""A search for settings with Optuna."""

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from tlogic.errors import InputError

_N_RANDOM_TRIALS = 5  # before the sampler has results to choose by
_LENGTHS = [",".join(map(str, some)) for n in (1, 2, 3) for some in combinations((1, 2, 3), n)]
_WALKS = (10, 25, 50, 100, 200, 400)
# The first trial has the defaults, so that the best trial is never worse than they are.
_DEFAULTS = {
    "walks": _WALKS.index(200),
    "transition": "exp",
    "lengths": "1,2,3",
    "history": "all",
    "k": 20,
    "alpha": 0.5,
    "lambda": 0.1,
}

ParameterValues = dict[str, Any]
"""One value per parameter of the paper's grid, by the name of its setting."""


class OptunaSearch:
    """Proposes settings that are likely to have a high score.

    Equal seeds and scores give equal proposals, and the first proposals of a batch do not depend on its size. An
    interrupted search therefore resumes by repeating the proposals with the cached scores.

    Args:
        max_window: The largest time window, in time steps.
        seed: The seed of the sampler.
    """

    def __init__(self, max_window: int, seed: int) -> None:
        optuna = import_optuna()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            # A "constant liar" assumes bad scores for pending trials, so that the trials of a batch differ.
            sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=True, n_startup_trials=_N_RANDOM_TRIALS)
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._study.enqueue_trial(_DEFAULTS)
        self._max_window = max_window
        self._pending: list[Any] = []

    def propose(self, n: int) -> list[ParameterValues]:
        """The settings of the next n trials."""
        proposals = []
        for _ in range(n):
            self._pending.append(self._study.ask())
            proposals.append(_parameter_values(self._pending[-1], self._max_window))
        return proposals

    def add_scores(self, scores: Sequence[float]) -> None:
        """Record the scores of the proposed trials, in the same order."""
        for trial, score in zip(self._pending, scores, strict=True):
            self._study.tell(trial, score)
        self._pending = []


def import_optuna() -> Any:
    """Optuna, which is an optional dependency."""
    try:
        import optuna
    except ImportError:
        raise InputError("A search for settings needs Optuna: pip install 'tlogic[tune]'.") from None
    return optuna


def _parameter_values(trial: Any, max_window: int) -> ParameterValues:
    """Sample one point of a search space around the paper's grid."""
    uses_all_history = trial.suggest_categorical("history", ["all", "window"]) == "all"
    lengths = trial.suggest_categorical("lengths", _LENGTHS)
    min_window, max_window = max(1, max_window // 100), max(1, max_window)
    return {
        "walks": _WALKS[trial.suggest_int("walks", 0, len(_WALKS) - 1)],  # an index, because walks are ordered
        "transition": trial.suggest_categorical("transition", ["unif", "exp"]),
        "lengths": tuple(map(int, lengths.split(","))),
        "window": None if uses_all_history else trial.suggest_int("window", min_window, max_window, log=True),
        "k": trial.suggest_int("k", 5, 50, log=True),
        "alpha": round(trial.suggest_float("alpha", 0.0, 1.0), 2),
        "decay": _two_digits(trial.suggest_float("lambda", 0.001, 1.0, log=True)),
    }


def _two_digits(value: float) -> float:
    """Round to two significant digits, which are easy to type.

    >>> _two_digits(0.0123456)
    0.012
    """
    return float(f"{value:.2g}")
