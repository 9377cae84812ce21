"""Runs the experiments of the reproduction: trials of rules and of learned models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tlogic.analysis.trials import TrialRunner
from tlogic.reproduction.model_process import measure_in_process
from tlogic.reproduction.model_trials import KINDS, ModelTrial
from tlogic.version import __version__


class ExperimentRunner(TrialRunner):
    """Runs trials of rules and of learned models, and caches their metrics in a folder.

    Args:
        folder: Where results are cached.
        sources: By dataset name: the graph, or anything that ``read`` accepts. Other datasets are read by name.
        threads: Number of threads; all cores if None.
        progress: A function that wraps an iterable and shows progress.
        model_data: Datasets to fit models to; all if empty.
        kinds: Kinds of models to fit; all if empty.
    """

    def __init__(
        self,
        folder: Path,
        sources: Mapping[str, Any] | None = None,
        threads: int | None = None,
        progress: Callable[..., Any] | None = None,
        model_data: Sequence[str] = (),
        kinds: Sequence[str] = (),
    ) -> None:
        super().__init__(folder, sources, threads, progress)
        self._model_data, self._kinds = model_data, kinds or KINDS

    @property
    def uses_paper_data(self) -> bool:
        """Whether the datasets are the paper's, so that its published results can be compared."""
        return not self._sources

    def is_selected(self, trial: ModelTrial) -> bool:
        """Whether the model is of a selected kind and dataset."""
        return trial.data in (self._model_data or [trial.data]) and trial.model in self._kinds

    def evaluate_models(self, trials: Sequence[ModelTrial]) -> list[dict[str, Any]]:
        """Per model: the metrics by split, the seconds that fitting took, and the peak memory."""
        tracked = self.progress(trials, total=len(trials), description="models") if self.progress else trials
        return [self._evaluate_model(trial) for trial in tracked]

    def _evaluate_model(self, trial: ModelTrial) -> dict[str, Any]:
        key: dict[str, Any] = {"tlogic": __version__, "data": self.graph(trial.data).fingerprint}
        key |= {"fitted": {name: value for name, value in asdict(trial).items() if name != "data"}}
        if self.results.find(key) is None:
            source = self._sources.get(trial.data, trial.data)
            self.results.add(key, measure_in_process(source, trial, self.threads))
        return dict(self.results.find(key))
