"""Where experiments are run: data is read, rules are learned and figures are measured once, and shared from then on."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import tlogic
from tlogic.evaluation import Evaluation, evaluate, evaluate_many
from tlogic.experiments.model_process import measure_apart
from tlogic.experiments.model_trials import KINDS, ModelTrial
from tlogic.experiments.results import Results
from tlogic.forecasting import ApplicationSettings
from tlogic.graph import TemporalGraph, read
from tlogic.learning import LearningSettings, learn
from tlogic.rules import RuleSet

# Grounding every rule for all settings together costs as much as grounding them with the stop for some settings alone.
_WORTH_SHARING = 6


@dataclass(frozen=True)
class Trial:
    """Rules learned on one dataset, applied to a split of the same or another."""

    data: str
    learning: LearningSettings = field(default_factory=LearningSettings)
    application: ApplicationSettings = field(default_factory=ApplicationSettings)
    split: str = "test"
    rules_from: str = ""

    @property
    def source(self) -> str:
        """The dataset that the rules come from."""
        return self.rules_from or self.data


class Laboratory:
    """Reads, learns and measures, with what was measured kept in a folder.

    ``sources`` says where a dataset lies, or is the graph itself; others are read by their name. So many rule sets as
    are to be ``remembered`` are not learned again. Of learned models, only those of some ``model_data`` and some
    ``kinds`` are wanted, where these are given.
    """

    def __init__(
        self,
        folder: Path,
        sources: dict[str, Any] | None = None,
        threads: int | None = None,
        progress: Callable[..., Any] | None = None,
        remembered: int = 1,
        model_data: Sequence[str] = (),
        kinds: Sequence[str] = (),
    ) -> None:
        self._sources, self.threads, self.progress = sources or {}, threads, progress
        self._model_data, self._kinds = model_data, kinds or KINDS
        self.results = Results(folder / "results.jsonl")
        self.graph = cache(self._read)  # a few graphs, some hundred megabytes each at most
        self._learned: dict[tuple[str, LearningSettings], RuleSet] = {}
        self._remembered = remembered

    @property
    def is_papers(self) -> bool:
        """Is the data that of the paper, so that its figures can be compared?"""
        return not self._sources

    def rules(self, data: str, settings: LearningSettings) -> RuleSet:
        """The rules learned on a dataset; the last ones are remembered."""
        if (data, settings) not in self._learned:
            graph = self.graph(data)
            started = time.perf_counter()
            rules = learn(graph, settings, threads=self.threads, progress=self.progress)
            seconds = time.perf_counter() - started
            if len(self._learned) >= self._remembered:
                del self._learned[next(iter(self._learned))]
            self._learned[data, settings] = rules
            if self.results.find(self._about_rules(data, settings)) is None:
                value = {"by_length": {str(n): count for n, count in rules.by_length().items()}, "seconds": seconds}
                self.results.keep(self._about_rules(data, settings), value)
        return self._learned[data, settings]

    def about_rules(self, data: str, settings: LearningSettings) -> dict[str, Any]:
        """How many rules of each length were learned, and how long it took."""
        found = self.results.find(self._about_rules(data, settings))
        if found is None:
            self._learned.clear()
            self.rules(data, settings)
        return dict(self.results.find(self._about_rules(data, settings)))

    def figures(self, trials: Sequence[Trial]) -> list[dict[str, Any]]:
        """The figures of each trial; trials that share their rules and data are measured together."""
        missing: dict[tuple[str, str, LearningSettings, str], list[Trial]] = {}
        for trial in dict.fromkeys(trials):
            if self.results.find(self._about(trial)) is None:
                same = (trial.data, trial.source, trial.learning, trial.split)
                missing.setdefault(same, []).append(trial)
        for group in missing.values():
            for trial, evaluation in zip(group, self._evaluate(group), strict=True):
                figures = evaluation.to_dict()
                kept = ("queries", "no_candidates", "optimistic", "realistic", "pessimistic", "seconds")
                self.results.keep(self._about(trial), {name: figures[name] for name in kept})
        return [dict(self.results.find(self._about(trial))) for trial in trials]

    def wants(self, trial: ModelTrial) -> bool:
        """Is the model one of those that were asked for?"""
        return trial.data in (self._model_data or [trial.data]) and trial.model in self._kinds

    def model_figures(self, trials: Sequence[ModelTrial]) -> list[dict[str, Any]]:
        """The figures of each model by split, the seconds it took to fit, and the peak of memory."""
        followed = self.progress(trials, total=len(trials), description="models") if self.progress else trials
        return [self._model_figures(trial) for trial in followed]

    def _model_figures(self, trial: ModelTrial) -> dict[str, Any]:
        about: dict[str, Any] = {"tlogic": tlogic.__version__, "data": self.graph(trial.data).fingerprint}
        about |= {"fitted": {name: value for name, value in asdict(trial).items() if name != "data"}}
        if self.results.find(about) is None:
            source = self._sources.get(trial.data, trial.data)
            self.results.keep(about, measure_apart(source, trial, self.threads))
        return dict(self.results.find(about))

    def _evaluate(self, group: list[Trial]) -> Iterable[Evaluation]:
        """Each as it comes, where they are measured one by one, so that it can be kept."""
        first = group[0]
        graph, rules = self.graph(first.data), self.rules(first.source, first.learning)
        settings = [trial.application for trial in group]
        how: dict[str, Any] = {"split": first.split, "threads": self.threads, "progress": self.progress}
        if len(group) >= _WORTH_SHARING:
            return evaluate_many(graph, rules, settings, **how)
        return (evaluate(graph, rules, each, **how) for each in settings)

    def _read(self, data: str) -> TemporalGraph:
        source = self._sources.get(data, data)
        return source if isinstance(source, TemporalGraph) else read(source)

    def _about_rules(self, data: str, settings: LearningSettings) -> dict[str, Any]:
        return {
            "tlogic": tlogic.__version__,
            "rules from": self.graph(data).train.fingerprint,
            "learning": _plain(asdict(settings)),
        }

    def _about(self, trial: Trial) -> dict[str, Any]:
        return self._about_rules(trial.source, trial.learning) | {
            "data": self.graph(trial.data).fingerprint,
            "split": trial.split,
            "application": _plain(asdict(trial.application)),
        }


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}
