"""Trials: rules learned and applied with given settings, evaluated once and cached in a folder."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tlogic.analysis.result_cache import ResultCache
from tlogic.api import evaluate, learn, read
from tlogic.evaluation import Evaluation, evaluate_many
from tlogic.forecasting import ApplicationSettings
from tlogic.graph import TemporalGraph
from tlogic.graph.building import with_split
from tlogic.learning import LearningSettings
from tlogic.rules import RuleSet
from tlogic.version import __version__

Dates = tuple[str | None, str | None]
"""The first validation and the first test date; None for the split of the dataset's files."""
_OF_FILES: Dates = (None, None)

METRICS = ("mrr", "hits@1", "hits@3", "hits@10")

# Grounding every rule once for all settings costs as much as this many separate runs, which stop early.
_MIN_TRIALS_TO_SHARE = 6
_CACHED_METRICS = ("queries", "no_candidates", "optimistic", "realistic", "pessimistic", "seconds")


@dataclass(frozen=True)
class Trial:
    """Rules learned on one dataset and applied to a split of the same or another dataset.

    With ``valid_from`` or ``test_from``, the data is split at these dates, and not as in the dataset's files.
    """

    data: str
    learning: LearningSettings = field(default_factory=LearningSettings)
    application: ApplicationSettings = field(default_factory=ApplicationSettings)
    split: str = "test"
    rules_from: str = ""
    valid_from: str | None = None
    test_from: str | None = None

    @property
    def source(self) -> str:
        """The dataset that the rules are learned on."""
        return self.rules_from or self.data

    @property
    def dates(self) -> Dates:
        """The first validation and the first test date; None where they are not given."""
        return self.valid_from, self.test_from


class TrialRunner:
    """Runs trials and caches their metrics in a folder.

    Args:
        folder: Where results are cached.
        sources: By dataset name: the graph, or anything that ``read`` accepts. Other datasets are read by name.
        threads: Number of threads; all cores if None.
        progress: A function that wraps an iterable and shows progress.
        max_rule_sets: How many learned rule sets stay in memory.
    """

    def __init__(
        self,
        folder: Path,
        sources: Mapping[str, Any] | None = None,
        threads: int | None = None,
        progress: Callable[..., Any] | None = None,
        max_rule_sets: int = 1,
    ) -> None:
        self.threads, self.progress = threads, progress
        self.results = ResultCache(folder / "results.jsonl")
        self.graph = cache(self._read)  # few graphs, at most some hundred megabytes each
        self._sources = dict(sources or {})
        self._max_rule_sets = max_rule_sets
        self._rule_sets: dict[tuple[str, LearningSettings, Dates], RuleSet] = {}

    def rules(self, data: str, settings: LearningSettings, dates: Dates = _OF_FILES) -> RuleSet:
        """The rules learned on a dataset."""
        if (data, settings, dates) not in self._rule_sets:
            graph = self.graph(data, *dates)
            started = time.perf_counter()
            rules = learn(graph, settings, threads=self.threads, progress=self.progress)
            seconds = time.perf_counter() - started
            if len(self._rule_sets) >= self._max_rule_sets:
                del self._rule_sets[next(iter(self._rule_sets))]
            self._rule_sets[data, settings, dates] = rules
            if self.results.find(self._learning_key(data, settings, dates)) is None:
                value = {"by_length": {str(n): count for n, count in rules.by_length().items()}, "seconds": seconds}
                self.results.add(self._learning_key(data, settings, dates), value)
        return self._rule_sets[data, settings, dates]

    def learning_summary(self, data: str, settings: LearningSettings) -> dict[str, Any]:
        """The number of rules by length, and the seconds that learning took."""
        if self.results.find(self._learning_key(data, settings)) is None:
            self._rule_sets.clear()
            self.rules(data, settings)
        return dict(self.results.find(self._learning_key(data, settings)))

    def evaluate(self, trials: Sequence[Trial]) -> list[dict[str, Any]]:
        """The metrics of each trial; trials that share rules and data are evaluated in one pass."""
        missing: dict[tuple[str, str, LearningSettings, str, Dates], list[Trial]] = {}
        for trial in dict.fromkeys(trials):
            if self.results.find(self._trial_key(trial)) is None:
                shared = (trial.data, trial.source, trial.learning, trial.split, trial.dates)
                missing.setdefault(shared, []).append(trial)
        for group in missing.values():
            for trial, evaluation in zip(group, self._evaluate_group(group), strict=True):
                metrics = evaluation.to_dict()
                self.results.add(self._trial_key(trial), {name: metrics[name] for name in _CACHED_METRICS})
        return [dict(self.results.find(self._trial_key(trial))) for trial in trials]

    def _evaluate_group(self, group: list[Trial]) -> Iterable[Evaluation]:
        """Lazy for small groups, so that each result is cached before the next trial runs."""
        first = group[0]
        graph = self.graph(first.data, *first.dates)
        rules = self.rules(first.source, first.learning, first.dates)
        settings = [trial.application for trial in group]
        options: dict[str, Any] = {"split": first.split, "threads": self.threads, "progress": self.progress}
        if len(group) >= _MIN_TRIALS_TO_SHARE:
            return evaluate_many(graph, rules, settings, **options)
        return (evaluate(graph, rules, each, **options) for each in settings)

    def _read(self, data: str, valid_from: str | None = None, test_from: str | None = None) -> TemporalGraph:
        source = self._sources.get(data, data)
        if isinstance(source, TemporalGraph):
            return with_split(source, valid_from, test_from)
        return read(source, valid_from=valid_from, test_from=test_from)

    def _learning_key(self, data: str, settings: LearningSettings, dates: Dates = _OF_FILES) -> dict[str, Any]:
        return {
            "tlogic": __version__,
            "rules from": self.graph(data, *dates).train.fingerprint,
            "learning": _to_json(asdict(settings)),
        }

    def _trial_key(self, trial: Trial) -> dict[str, Any]:
        key = self._learning_key(trial.source, trial.learning, trial.dates) | {
            "data": self.graph(trial.data).fingerprint,
            "split": trial.split,
            "application": _to_json(asdict(trial.application)),
        }
        return key if trial.dates == _OF_FILES else key | {"dates": list(trial.dates)}


def _to_json(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}
