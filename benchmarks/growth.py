"""Growth of time and memory with the number of facts: `python -m benchmarks.growth [SIZE ...]`, such as 1e6.

Writes synthetic facts as text, compiles them with `tlogic index`, opens the graph, learns rules with the same number of
walks and answers the same number of queries, in separate processes. Times are ratios to a reference.
"""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

import tlogic
from benchmarks.reference import DESCRIPTION, reference_seconds
from benchmarks.synthetic import FACTS_PER_STEP
from tlogic.forecasting.application import QueryBatch
from tlogic.forecasting.rule_forecaster import RuleForecaster
from tlogic.forecasting.settings import LARGE_GRAPH_MAX_GROUNDINGS as MAX_GROUNDINGS
from tlogic.forecasting.settings import UNLIMITED_GROUNDINGS
from tlogic.graph import TemporalGraph
from tlogic.parallel import in_parallel
from tlogic.process_memory import peak_megabytes

SIZES = (100_000, 1_000_000)
MAX_FACTS_UNLIMITED = 1_000_000
N_QUERIES = 10_000
MEGABYTE = 1 << 20

Result = TypeVar("Result")


def measure(path: str) -> dict[str, Any]:
    """Open a compiled graph, learn rules and answer queries."""
    tlogic.learn(tlogic.sample(days=60))  # compiles the kernels, or loads them from the cache
    opening, graph = best_time(lambda: tlogic.read(path))
    learning, rules = best_time(lambda: tlogic.learn(graph))
    queries = queries_of(graph)
    answering, candidates = best_time(lambda: answer(graph, rules, queries, MAX_GROUNDINGS))
    peak = peak_megabytes()
    few = len(graph) <= MAX_FACTS_UNLIMITED
    unlimited_answering, _ = (
        best_time(lambda: answer(graph, rules, queries, UNLIMITED_GROUNDINGS), times=1) if few else (0.0, 0)
    )
    return {
        "facts": len(graph),
        "entities": len(graph.entities),
        "rules": len(rules),
        "candidates": candidates / N_QUERIES,
        "seconds": {"open": opening, "learn": learning, "apply": answering, "apply all": unlimited_answering},
        "peak_mb": peak,
    }


def best_time(work: Callable[[], Result], times: int = 3) -> tuple[float, Result]:
    """The shortest time of several runs, which other load on the machine affects least, and the result."""
    best = math.inf
    for _ in range(times):
        began = perf_counter()
        result = work()
        best = min(best, perf_counter() - began)
    return best, result


def answer(graph: TemporalGraph, rules: tlogic.RuleSet, queries: QueryBatch, max_groundings: int) -> int:
    """The total number of candidates of all queries."""
    forecaster = RuleForecaster(graph, rules, tlogic.ApplicationSettings(max_groundings=max_groundings))
    chunks = [QueryBatch(*(column[chunk] for column in queries)) for chunk in forecaster.chunks(queries.relation)]
    return sum(len(scored.entity) for scored in in_parallel(forecaster.new_worker, chunks))


def queries_of(graph: TemporalGraph) -> QueryBatch:
    """Object queries from the last facts, sorted by time."""
    last = np.arange(len(graph) - max(N_QUERIES, FACTS_PER_STEP), len(graph))
    chosen = np.sort(np.random.default_rng(1).choice(last, N_QUERIES, replace=False))
    subject, relation, _, time = (column[chosen].astype(np.int64) for column in graph.facts)
    return QueryBatch(subject, relation, time, time)


def run(*command: str) -> tuple[str, float, float]:
    """The output, the seconds and the peak megabytes of a process."""
    began = perf_counter()
    process = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return printed, perf_counter() - began, usage.ru_maxrss / 1024


def grow(size: int, folder: Path) -> dict[str, Any]:
    """All measurements for one number of facts."""
    text, compiled = folder / "world.txt", folder / "world.graph"
    run("benchmarks.synthetic", str(size), str(text))
    before = min(reference_seconds() for _ in range(3))
    _, index, index_peak = run("tlogic", "index", str(text), "--out", str(compiled), "--quiet")
    printed, _, _ = run("benchmarks.growth", "--measure", str(compiled))
    result = json.loads(printed)
    result["reference"] = min(before, *(reference_seconds() for _ in range(3)))
    result["seconds"]["index"] = index
    return result | {"index_peak_mb": index_peak, "graph_mb": compiled.stat().st_size / MEGABYTE}


def main(sizes: list[str]) -> None:
    table = Table(title=f"{N_QUERIES:,} queries; times as ratios to the reference ({DESCRIPTION})")
    columns = ("facts", "entities", "bytes per fact", "index", "index peak MB", "index peak / graph", "open ms")
    for column in (*columns, "rules", "learn", f"apply, {MAX_GROUNDINGS} newest", "all", "candidates", "peak MB"):
        table.add_column(column, justify="right")
    results = []
    for size in [int(float(size)) for size in sizes] or SIZES:
        with TemporaryDirectory() as folder:
            results.append(grow(size, Path(folder)))
        table.add_row(*row_of(results[-1]))
    console = Console(width=150)
    console.print(table)
    if len(results) > 1:
        first, last = results[0], results[-1]
        for stage, name in (("learn", "learning"), ("apply", "a query")):
            growth = ratio_of(last, stage) / ratio_of(first, stage)
            console.print(
                f"From {first['facts']:,} to {last['facts']:,} facts {name} takes {growth:.1f} times as long."
            )


def row_of(result: dict[str, Any]) -> list[str]:
    unlimited = ratio_of(result, "apply all")
    return [
        f"{result['facts']:,}",
        f"{result['entities']:,}",
        f"{result['graph_mb'] * MEGABYTE / result['facts']:.0f}",
        f"{ratio_of(result, 'index'):.1f}",
        f"{result['index_peak_mb']:,.0f}",
        f"{result['index_peak_mb'] / result['graph_mb']:.1f}",
        f"{1000 * result['seconds']['open']:.0f}",
        f"{result['rules']:,}",
        f"{ratio_of(result, 'learn'):.2f}",
        f"{ratio_of(result, 'apply'):.2f}",
        f"{unlimited:.2f}" if result["facts"] <= MAX_FACTS_UNLIMITED else "",
        f"{result['candidates']:.0f}",
        f"{result['peak_mb']:,.0f}",
    ]


def ratio_of(result: dict[str, Any], stage: str) -> float:
    return float(result["seconds"][stage] / result["reference"])


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measure(sys.argv[2])))
    else:
        main(sys.argv[1:])
