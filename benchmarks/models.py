"""Time and memory of a learned model: `python -m benchmarks.models [NAME] [OPTION OF FIT ...]`.

NAME is a dataset, or a number of synthetic facts such as 1000000. Fits and evaluates a model with the commands that a
user would run, and measures their time and peak memory; with synthetic facts, the model is not evaluated. Then compares
the command that answers one query with the model to the one that does so with rules, and times single queries to the
loaded model.
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


def compiled_synthetic_facts(n: int, folder: str) -> str:
    """The path of a compiled graph with so many synthetic facts."""
    text, compiled = f"{folder}/synthetic.txt", f"{folder}/synthetic.graph"
    subprocess.run([sys.executable, "-m", "benchmarks.synthetic", str(n), text], check=True)
    run("index", text, "--out", compiled)
    Path(text).unlink()
    return compiled


def single_queries(data: str, path: str) -> None:
    """Time one query after the other, at the end of the data."""
    graph = tlogic.read(data)
    forecaster = ModelForecaster(graph, tlogic.Model.load(path))
    facts = graph.facts
    chosen = np.linspace(0.9 * len(facts.time), len(facts.time) - 1, N_QUERIES).astype(int)
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


def whole_commands(data: str, model: str, rules: str) -> None:
    """Compare the commands that answer one query, with a model and with rules; kernels are compiled before."""
    graph = tlogic.read(data)
    subject = graph.entities.name_of(int(graph.facts.subject[-1]))
    relation = graph.relations.name_of(int(graph.facts.relation[-1]))
    query = ["forecast", data, "--subject", subject, "--relation", relation, "--json"]
    found = {}
    for name, path in (("--rules", rules), ("--model", model)):
        run(*query, name, path)
        found[name] = statistics.median(run(*query, name, path)[0] for _ in range(N_COMMANDS))
    by_rules, by_model = found["--rules"], found["--model"]
    print(f"one query as a whole command: with rules {by_rules:.2f}, with the model {by_model:.2f} times the reference")
    print(f"the model takes {by_model / by_rules:.2f} times as long as rules")


def main(name: str = "icews14", *options: str) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        data = compiled_synthetic_facts(int(name), temporary) if name.isdigit() else str(DATA / name)
        path, rules = f"{temporary}/some.model", f"{temporary}/some.rules"
        fit, fit_mb, _ = run("fit", data, "--out", path, *options)
        print(f"{' '.join([name, *options])}: fit {fit:.1f} times the reference, peak {fit_mb:.0f} MB")
        if not name.isdigit():
            evaluate, evaluate_mb, output = run("evaluate", data, "--model", path, "--json")
            figures = " ".join(f"{value:.4f}" for value in json.loads(output)["realistic"].values())
            print(f"evaluate {evaluate:.1f} times the reference, peak {evaluate_mb:.0f} MB")
            print(f"{figures} (MRR, hits@1, hits@3, hits@10; realistic ties)")
        run("learn", data, "--out", rules)
        whole_commands(data, path, rules)
        single_queries(data, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
