"""Tuning: which settings forecast the validation facts best, among those of a grid or found by a search."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import groupby, product
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from tlogic.analysis.importance import importance
from tlogic.analysis.optuna_search import Choice, Search
from tlogic.analysis.reports.section import Value
from tlogic.analysis.trials import Trial, TrialRunner
from tlogic.analysis.tuning_grid import PAPER_GRID
from tlogic.errors import InputError, SettingsError
from tlogic.forecasting import ApplicationSettings
from tlogic.graph import TemporalGraph
from tlogic.learning import LearningSettings
from tlogic.names import did_you_mean

Ties = Literal["realistic", "optimistic"]

TRIALS = 30
"""How many trials a search has, if not said otherwise."""

_DATA = "DATA"
# An interrupt costs the trials of one pass at most; with so many, grounding is a small part of it.
_IN_ONE_PASS = 120
_ASKED_TOGETHER = 5
_RULE_SETS = 12  # as many as a search chooses among


@dataclass(frozen=True)
class TrialResult:
    """A trial, and how high the true answers ranked: MRR and hits."""

    trial: Trial
    figures: dict[str, float]

    @property
    def settings(self) -> dict[str, Value]:
        """The tuned parameters by their names in the paper."""
        learning, application = self.trial.learning, self.trial.application
        return {
            "walks": learning.walks,
            "transition": learning.transition,
            "lengths": ",".join(map(str, application.lengths or learning.lengths)),
            "window": "all" if application.window is None else application.window,
            "k": application.k,
            "alpha": application.alpha,
            "lambda": application.decay,
        }

    def to_dict(self) -> dict[str, Value]:
        """Settings and figures in one."""
        return self.settings | self.figures


@dataclass(frozen=True)
class Tuning:
    """What a tuning found: all that was tried, in that order."""

    tried: tuple[TrialResult, ...]
    ties: Ties
    searched: bool
    """By a search, where later trials depend on earlier ones; else by a grid."""

    @property
    def best(self) -> TrialResult:
        """The trial with the highest MRR; of equals, the first."""
        return self.top(1)[0]

    @property
    def defaults(self) -> TrialResult | None:
        """The trial with the paper's best settings, which are the defaults; None if it was not among them."""
        return next((each for each in self.tried if _is_default(each.trial)), None)

    @cached_property
    def importance(self) -> dict[str, float]:
        """By parameter: how much of the differences in MRR it explains, as a share; most important first."""
        return importance([each.settings for each in self.tried], [each.figures["mrr"] for each in self.tried])

    @property
    def frame(self) -> pl.DataFrame:
        """All trials as a table."""
        return pl.DataFrame([each.to_dict() | {"window": str(each.settings["window"])} for each in self.tried])

    def top(self, n: int) -> list[TrialResult]:
        """The n trials with the highest MRR."""
        return sorted(self.tried, key=lambda each: -each.figures["mrr"])[:n]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        return {
            "ties": self.ties,
            "best": self.best.to_dict(),
            "defaults": self.defaults and self.defaults.to_dict(),
            "importance": self.importance,
            "trials": [each.to_dict() for each in self.tried],
        }


def tune(
    graph: TemporalGraph,
    folder: str | os.PathLike[str],
    *,
    grid: Mapping[str, Sequence[Any]] | Literal["paper"] | None = None,
    trials: int | None = None,
    seed: int = 12,
    ties: Ties = "realistic",
    threads: int | None = None,
    progress: Callable[..., Any] | None = None,
) -> Tuning:
    """Find the settings with the highest MRR on the validation facts; test facts are not looked at.

    A ``grid`` is measured whole: the paper's, or values by parameter (walks, transition, lengths, window, k, alpha,
    decay), where parameters that are not there keep their defaults. Otherwise a search of so many ``trials`` (30 if
    not given) chooses settings by what those before gave, beginning with the defaults.

    Rules are learned once for all settings that share them, and grounded once for many. What was measured is kept in
    the folder: the same call goes on where one was stopped, and one with more trials adds to those that are there.

    >>> import tlogic
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     found = tune(tlogic.sample(days=60), folder, grid={"walks": [10], "alpha": [0.0, 0.5, 1.0]})
    >>> len(found.tried), found.best.settings["walks"], found.importance["alpha"]
    (3, 10, 1.0)
    """
    if grid is not None and trials is not None:
        raise SettingsError("Found both a grid and a number of trials; expected one of them, so leave out the other.")
    if trials is not None and trials < 1:
        raise SettingsError(f"trials must be 1 or more, not {trials}.")
    if ties not in get_args(Ties):
        raise SettingsError(f"ties must be realistic or optimistic, not {ties!r}.")
    if not len(graph.split("valid").time):
        raise InputError("There are no validation facts to tune on; valid_from says where they begin.")
    runner = TrialRunner(Path(folder), {_DATA: graph}, threads, progress, _RULE_SETS)
    if grid is None:
        total = trials or TRIALS
        tried = _search(runner, total, seed, ties)
    else:
        chosen = _grid(PAPER_GRID if grid == "paper" else grid, seed)
        total, tried = len(chosen), _measure_grid(runner, chosen, ties)
    followed = progress(tried, total=total, description="trials") if progress else tried
    return Tuning(tuple(followed), ties, searched=grid is None)


def _grid(grid: Mapping[str, Sequence[Any]], seed: int) -> list[Trial]:
    """All combinations; those that share their rules stand together."""
    for name in grid:
        if name not in PAPER_GRID:
            raise SettingsError(
                f"Unknown parameter {name!r}{did_you_mean(name, PAPER_GRID)} Known are {', '.join(PAPER_GRID)}."
            )
        if not grid[name]:
            raise SettingsError(f"The grid has no values for {name}; expected one or more.")
    defaults = asdict(ApplicationSettings()) | asdict(LearningSettings())
    values = [grid.get(name, (defaults[name],)) for name in PAPER_GRID]
    choices = [dict(zip(PAPER_GRID, combination, strict=True)) for combination in product(*values)]
    lengths = {length for choice in choices for length in choice["lengths"]}
    return [_trial(choice, seed, lengths) for choice in choices]


def _measure_grid(runner: TrialRunner, trials: Sequence[Trial], ties: Ties) -> Iterator[TrialResult]:
    """Trials that share their rules, a pass at a time; what it gave is kept before the next begins."""
    for _, group in groupby(trials, key=lambda trial: trial.learning):
        same = list(group)
        for first in range(0, len(same), _IN_ONE_PASS):
            yield from _measure(runner, same[first : first + _IN_ONE_PASS], ties)


def _search(runner: TrialRunner, n_trials: int, seed: int, ties: Ties) -> Iterator[TrialResult]:
    graph = runner.graph(_DATA)
    chooser = Search(graph.test_from - int(graph.facts.time[0]), seed)
    done = 0
    while done < n_trials:
        # At first, little is asked before its result is known; later trials are alike, and many share groundings.
        choices = chooser.ask(min(max(_ASKED_TOGETHER, done // 4), n_trials - done))
        batch = _measure(runner, [_trial(choice, seed) for choice in choices], ties)
        chooser.tell([each.figures["mrr"] for each in batch])
        yield from batch
        done += len(batch)


def _trial(choice: Choice, seed: int, lengths: Sequence[int] | set[int] = (1, 2, 3)) -> Trial:
    """Rules of all lengths are learned, and those of the chosen ones applied, so that many trials share rules."""
    learning = LearningSettings(tuple(lengths), choice["walks"], choice["transition"], seed=seed)
    scoring = {name: choice[name] for name in ("window", "k", "alpha", "decay")}
    application = ApplicationSettings(**scoring, lengths=tuple(choice["lengths"]))
    if application.lengths == learning.lengths:
        application = replace(application, lengths=None)
    return Trial(_DATA, learning, application, split="valid")


def _measure(runner: TrialRunner, trials: Sequence[Trial], ties: Ties) -> list[TrialResult]:
    measured = runner.evaluate([_as_measured(trial) for trial in trials])
    return [TrialResult(trial, figures[ties]) for trial, figures in zip(trials, measured, strict=True)]


def _as_measured(trial: Trial) -> Trial:
    """Where alpha is 1, the age has no weight in a score, and any lambda gives the same figures."""
    if trial.application.alpha < 1:
        return trial
    return replace(trial, application=replace(trial.application, decay=ApplicationSettings.decay))


def _is_default(trial: Trial) -> bool:
    seed = trial.learning.seed
    return (trial.learning, trial.application) == (LearningSettings(seed=seed), ApplicationSettings())
