"""Time and memory of a learned model: `python -m benchmarks.models [NAME] [OPTION OF FIT ...]`.

Fits and evaluates a model with the commands that a user would run, and measures their time and peak memory. Then
compares the command that answers one query with the model to the one that does so with rules, and times single queries
to the loaded model.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import tlogic
from benchmarks.reference import reference_seconds
from tlogic.execution import Execution
from tlogic.forecasting.queries import EncodedQuery
from tlogic.models.model_forecaster import ModelForecaster

DATA = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
N_QUERIES, N_COMMANDS = 300, 5


def run(*command: str) -> tuple[float, float, str]:
    """The ratio to the reference, the peak megabytes and the output of a command."""
    before, started = reference_seconds(), time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "tlogic", *command], stdout=subprocess.PIPE, text=True) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if process.returncode:
        sys.exit(f"tlogic {' '.join(command)} failed.")
    return seconds / ((before + reference_seconds()) / 2), usage.ru_maxrss / 1024, output


def single_queries(folder: str, path: str) -> None:
    """Time one query after the other, at the end of the data."""
    graph = tlogic.read(folder)
    forecaster = ModelForecaster(graph, tlogic.Model.load(path))
    facts = graph.split("test")
    chosen = np.linspace(0, len(facts.time) - 1, N_QUERIES).astype(int)
    queries = [EncodedQuery(int(facts.subject[i]), int(facts.relation[i]), graph.end) for i in chosen]
    reference = reference_seconds()
    forecaster.answer(queries[:1], 10, Execution(threads=1))  # builds the memory
    seconds = []
    for query in queries:
        started = time.perf_counter()
        forecaster.answer([query], 10, Execution(threads=1))
        seconds.append(time.perf_counter() - started)
    median, slow = statistics.median(seconds), float(np.quantile(seconds, 0.99))
    times = f"median {median * 1000:.1f} ms, 99% within {slow * 1000:.1f} ms"
    print(f"one query to a loaded model: {times}; the median is {median / reference:.4f} times the reference")


def whole_commands(folder: str, model: str, rules: str) -> None:
    """Compare the commands that answer one query, with a model and with rules; kernels are compiled before."""
    graph = tlogic.read(folder)
    subject = graph.entities.name_of(int(graph.facts.subject[-1]))
    relation = graph.relations.name_of(int(graph.facts.relation[-1]))
    query = ["forecast", folder, "--subject", subject, "--relation", relation, "--json"]
    found = {}
    for name, path in (("--rules", rules), ("--model", model)):
        run(*query, name, path)
        found[name] = statistics.median(run(*query, name, path)[0] for _ in range(N_COMMANDS))
    by_rules, by_model = found["--rules"], found["--model"]
    print(f"one query as a whole command: with rules {by_rules:.2f}, with the model {by_model:.2f} times the reference")
    print(f"the model takes {by_model / by_rules:.2f} times as long as rules")


def main(name: str = "icews14", *options: str) -> None:
    folder = str(DATA / name)
    with tempfile.TemporaryDirectory() as temporary:
        path = str(Path(temporary) / "some.model")
        fit, fit_mb, _ = run("fit", folder, "--out", path, *options)
        evaluate, evaluate_mb, output = run("evaluate", folder, "--model", path, "--json")
        figures = " ".join(f"{value:.4f}" for value in json.loads(output)["realistic"].values())
        print(f"{name} {' '.join(options)}: {figures} (MRR, hits@1, hits@3, hits@10; realistic ties)")
        costs = f"{fit:.1f} + evaluate {evaluate:.1f} = {fit + evaluate:.1f}"
        print(f"fit {costs} times the reference, peak {fit_mb:.0f} / {evaluate_mb:.0f} MB")
        rules = str(Path(temporary) / "some.rules")
        run("learn", folder, "--out", rules)
        whole_commands(folder, path, rules)
        single_queries(folder, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
