"""Fits and evaluates each model in a separate process, so that its peak memory can be measured."""

import json
import pickle
import subprocess
import sys
import time
from typing import Any

from tlogic.errors import TLogicError
from tlogic.reproduction.model_trials import ModelTrial

_CACHED_METRICS = ("queries", "optimistic", "realistic", "pessimistic", "seconds", "reliability")


def measure_in_process(source: Any, trial: ModelTrial, threads: int | None = None) -> dict[str, Any]:
    """Run ``measure`` in a new process and return its result."""
    done = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import main; main()"],
        input=pickle.dumps((source, trial, threads)),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip()
        raise TLogicError(f"Cannot measure the model {trial.label!r} of {trial.data}: {message}")
    return dict(json.loads(done.stdout))


def measure(source: Any, trial: ModelTrial, threads: int | None = None) -> dict[str, Any]:
    """Fit and evaluate a model: seconds for fitting, metrics by split, and the peak memory of this process."""
    # Imported here, so that the parent process does not load what only the child needs.
    from tlogic.api import evaluate, fit, read
    from tlogic.graph import TemporalGraph
    from tlogic.process_memory import peak_megabytes

    dates: dict[str, Any] = {"valid_from": trial.valid_from, "test_from": trial.test_from}
    graph = source if isinstance(source, TemporalGraph) else read(source, **dates)
    started = time.perf_counter()
    model = fit(graph, model=trial.model, names=trial.names, train_on=trial.train_on, threads=threads)
    result: dict[str, Any] = {"fit_seconds": time.perf_counter() - started}
    for split in trial.splits:
        metrics = evaluate(graph, model, split=split, threads=threads).to_dict()
        result[split] = {name: metrics[name] for name in _CACHED_METRICS}
    return result | {"peak_mb": peak_megabytes()}


def main() -> None:
    """Entry point of the child process."""
    try:
        print(json.dumps(measure(*pickle.load(sys.stdin.buffer))))
    except TLogicError as error:
        sys.exit(str(error))
