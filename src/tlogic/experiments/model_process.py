"""A process of its own for each model, so that its peak of memory is that of reading, fitting and evaluating it."""

import json
import pickle
import subprocess
import sys
import time
from typing import Any

from tlogic.errors import TLogicError
from tlogic.experiments.model_trials import ModelTrial


def measure_apart(source: Any, trial: ModelTrial, threads: int | None = None) -> dict[str, Any]:
    """What ``measure`` gives, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import main; main()"],
        input=pickle.dumps((source, trial, threads)),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip()
        raise TLogicError(f"The model of {trial.data} ({trial.called}) was not measured: {told}")
    return dict(json.loads(done.stdout))


def measure(source: Any, trial: ModelTrial, threads: int | None = None) -> dict[str, Any]:
    """Fit the model and evaluate it: seconds for fitting, figures by split, and this process's peak of memory."""
    import tlogic
    from tlogic.graph import TemporalGraph
    from tlogic.memory import peak_megabytes

    cut: dict[str, Any] = {"valid_from": trial.valid_from, "test_from": trial.test_from}
    graph = source if isinstance(source, TemporalGraph) else tlogic.read(source, **cut)
    started = time.perf_counter()
    model = tlogic.fit(graph, model=trial.model, names=trial.names, train_on=trial.train_on, threads=threads)
    fitted_in = time.perf_counter() - started
    found: dict[str, Any] = {"fit_seconds": fitted_in}
    for split in trial.splits:
        figures = tlogic.evaluate(graph, model, split=split, threads=threads).to_dict()
        kept = ("queries", "optimistic", "realistic", "pessimistic", "seconds", "reliability")
        found[split] = {name: figures[name] for name in kept}
    return found | {"peak_mb": peak_megabytes()}


def main() -> None:
    """What the process does."""
    try:
        print(json.dumps(measure(*pickle.load(sys.stdin.buffer))))
    except TLogicError as error:
        sys.exit(str(error))
