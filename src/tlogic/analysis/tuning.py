"""Tuning: finds the settings that forecast the validation facts best, by a grid or by a search."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import groupby, product
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from tlogic.analysis.importance import importance
from tlogic.analysis.optuna_search import OptunaSearch, ParameterValues
from tlogic.analysis.reports.section import Value
from tlogic.analysis.trials import Trial, TrialRunner
from tlogic.analysis.tuning_grid import PAPER_GRID
from tlogic.errors import InputError, SettingsError
from tlogic.forecasting import ApplicationSettings
from tlogic.graph import TemporalGraph
from tlogic.learning import LearningSettings
from tlogic.names import did_you_mean

Ties = Literal["realistic", "optimistic"]

DEFAULT_TRIALS = 30

_DATA = "DATA"
# An interrupt loses the trials of at most one pass; at this number, grounding takes little of its time.
_MAX_TRIALS_PER_PASS = 120
_MIN_TRIALS_PER_BATCH = 5
_MAX_RULE_SETS = 12  # all combinations of walks and transition that a search chooses from


@dataclass(frozen=True)
class TrialResult:
    """The settings of one trial and its metrics on the validation facts.

    Attributes:
        trial: The settings for learning and applying rules.
        metrics: MRR and hits, by name.

    Example:
        >>> trial = Trial("DATA", LearningSettings(), ApplicationSettings())
        >>> TrialResult(trial, {"mrr": 0.5}).settings["lambda"]
        0.1
    """

    trial: Trial
    metrics: dict[str, float]

    @property
    def settings(self) -> dict[str, Value]:
        """The tuned parameters, by their names in the paper."""
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
        """Settings and metrics in one dictionary."""
        return self.settings | self.metrics


@dataclass(frozen=True)
class Tuning:
    """The results of a tuning.

    Attributes:
        trials: All trials, in the order in which they ran.
        ties: How ties are resolved in the metrics.
        is_search: Whether the trials come from a search, where later trials depend on earlier ones, or from a grid.

    Example:
        >>> trials = [Trial("DATA", LearningSettings(), ApplicationSettings(alpha=alpha)) for alpha in (0.25, 0.5)]
        >>> results = (TrialResult(trials[0], {"mrr": 0.43}), TrialResult(trials[1], {"mrr": 0.44}))
        >>> Tuning(results, "realistic", is_search=False).best.settings["alpha"]
        0.5
    """

    trials: tuple[TrialResult, ...]
    ties: Ties
    is_search: bool

    @property
    def best(self) -> TrialResult:
        """The trial with the highest MRR; the first one in case of ties."""
        return self.top(1)[0]

    @property
    def defaults(self) -> TrialResult | None:
        """The trial with the default settings, or None if there is none. The defaults are the paper's best settings."""
        return next((each for each in self.trials if _has_defaults(each.trial)), None)

    @cached_property
    def importance(self) -> dict[str, float]:
        """The share of the explained differences in MRR that each parameter contributes, most important first."""
        return importance([each.settings for each in self.trials], [each.metrics["mrr"] for each in self.trials])

    @property
    def frame(self) -> pl.DataFrame:
        """All trials as a data frame, one trial per row."""
        return pl.DataFrame([each.to_dict() | {"window": str(each.settings["window"])} for each in self.trials])

    def top(self, n: int) -> list[TrialResult]:
        """The n trials with the highest MRR."""
        return sorted(self.trials, key=lambda each: -each.metrics["mrr"])[:n]

    def to_dict(self) -> dict[str, Any]:
        """The results as nested dictionaries, ready for JSON."""
        return {
            "ties": self.ties,
            "best": self.best.to_dict(),
            "defaults": self.defaults and self.defaults.to_dict(),
            "importance": self.importance,
            "trials": [each.to_dict() for each in self.trials],
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
    """Find the settings with the highest MRR on the validation facts. Test facts are not used.

    Settings that share rules learn them once, and many settings share one grounding pass. Results are cached in the
    folder: the same call resumes an interrupted tuning, and a call with more trials continues an earlier search.

    Args:
        graph: The graph, with validation facts.
        folder: Where results are cached.
        grid: "paper" for the paper's grid of 9,600 settings, or values by parameter (walks, transition, lengths,
            window, k, alpha, decay). Missing parameters keep their defaults. All combinations are evaluated.
        trials: Number of trials of a search with Optuna, which starts with the defaults; 30 if neither ``grid`` nor
            ``trials`` is given.
        seed: The seed of the random walks and of the search.
        ties: "realistic" or "optimistic": how to rank a true answer among candidates with the same score.
        threads: Number of threads; all cores if None.
        progress: A function that wraps an iterable and shows progress, called with ``total`` and ``description``.

    Returns:
        All trials with their metrics, the best one, and the importance of each parameter.

    Raises:
        SettingsError: If both ``grid`` and ``trials`` are given, or if a value is invalid.
        InputError: If the graph has no validation facts, if Optuna is needed but not installed, or if the folder
            cannot be used.

    Example:
        >>> import tlogic
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     found = tune(tlogic.sample(days=60), folder, grid={"walks": [10], "alpha": [0.0, 0.5, 1.0]})
        >>> len(found.trials), found.best.settings["walks"], found.importance["alpha"]
        (3, 10, 1.0)
    """
    if grid is not None and trials is not None:
        raise SettingsError("Both grid and trials are given; expected one of them. Leave out the other.")
    if trials is not None and trials < 1:
        raise SettingsError(f"trials must be 1 or more, not {trials}.")
    if ties not in get_args(Ties):
        raise SettingsError(f"ties must be realistic or optimistic, not {ties!r}.")
    if not len(graph.split("valid").time):
        raise InputError("The graph has no validation facts to tune on; set their start with valid_from.")
    runner = TrialRunner(Path(folder), {_DATA: graph}, threads, progress, _MAX_RULE_SETS)
    if grid is None:
        total = trials or DEFAULT_TRIALS
        results = _search(runner, total, seed, ties)
    else:
        combinations = _grid_trials(PAPER_GRID if grid == "paper" else grid, seed)
        total, results = len(combinations), _evaluate_grid(runner, combinations, ties)
    tracked = progress(results, total=total, description="trials") if progress else results
    return Tuning(tuple(tracked), ties, is_search=grid is None)


def _grid_trials(grid: Mapping[str, Sequence[Any]], seed: int) -> list[Trial]:
    """All combinations of the values; those with the same rules follow one another."""
    for name in grid:
        if name not in PAPER_GRID:
            hint = did_you_mean(name, PAPER_GRID)
            raise SettingsError(f"Unknown parameter {name!r}{hint} The parameters are {', '.join(PAPER_GRID)}.")
        if not grid[name]:
            raise SettingsError(f"The grid has no values for {name}; expected one or more.")
    defaults = asdict(ApplicationSettings()) | asdict(LearningSettings())
    values = [grid.get(name, (defaults[name],)) for name in PAPER_GRID]
    combinations = [dict(zip(PAPER_GRID, combination, strict=True)) for combination in product(*values)]
    lengths = {length for combination in combinations for length in combination["lengths"]}
    return [_trial(combination, seed, lengths) for combination in combinations]


def _evaluate_grid(runner: TrialRunner, trials: Sequence[Trial], ties: Ties) -> Iterator[TrialResult]:
    """Evaluate trials that share rules in passes; the results of a pass are cached before the next one starts."""
    for _, group in groupby(trials, key=lambda trial: trial.learning):
        same_rules = list(group)
        for first in range(0, len(same_rules), _MAX_TRIALS_PER_PASS):
            yield from _evaluate(runner, same_rules[first : first + _MAX_TRIALS_PER_PASS], ties)


def _search(runner: TrialRunner, n_trials: int, seed: int, ties: Ties) -> Iterator[TrialResult]:
    graph = runner.graph(_DATA)
    search = OptunaSearch(graph.test_from - int(graph.facts.time[0]), seed)
    done = 0
    while done < n_trials:
        # Small batches first, to learn from results early; later trials are similar, and share grounding passes.
        proposals = search.propose(min(max(_MIN_TRIALS_PER_BATCH, done // 4), n_trials - done))
        batch = _evaluate(runner, [_trial(proposal, seed) for proposal in proposals], ties)
        search.add_scores([each.metrics["mrr"] for each in batch])
        yield from batch
        done += len(batch)


def _trial(values: ParameterValues, seed: int, lengths: Sequence[int] | set[int] = (1, 2, 3)) -> Trial:
    """Learn rules of all lengths and apply those of the chosen lengths, so that many trials share rules."""
    learning = LearningSettings(tuple(lengths), values["walks"], values["transition"], seed=seed)
    scoring = {name: values[name] for name in ("window", "k", "alpha", "decay")}
    application = ApplicationSettings(**scoring, lengths=tuple(values["lengths"]))
    if application.lengths == learning.lengths:
        application = replace(application, lengths=None)
    return Trial(_DATA, learning, application, split="valid")


def _evaluate(runner: TrialRunner, trials: Sequence[Trial], ties: Ties) -> list[TrialResult]:
    evaluated = runner.evaluate([_with_equal_scores(trial) for trial in trials])
    return [TrialResult(trial, metrics[ties]) for trial, metrics in zip(trials, evaluated, strict=True)]


def _with_equal_scores(trial: Trial) -> Trial:
    """At alpha 1 the score ignores lambda, so that all such trials share one evaluation."""
    if trial.application.alpha < 1:
        return trial
    return replace(trial, application=replace(trial.application, decay=ApplicationSettings.decay))


def _has_defaults(trial: Trial) -> bool:
    seed = trial.learning.seed
    return (trial.learning, trial.application) == (LearningSettings(seed=seed), ApplicationSettings())
