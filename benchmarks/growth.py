"""How time and memory grow with the number of facts: `python -m benchmarks.growth [SIZE ...]`, such as 1e6.

Each world is written as text, compiled by `tlogic index`, opened, learned from with the same number of walks, and asked
the same number of queries, in processes of their own. Times are in yardsticks.
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
from benchmarks.synthetic import FACTS_PER_STEP
from benchmarks.yardstick import yardstick
from tlogic.forecasting.application import QueryBatch
from tlogic.forecasting.rule_forecaster import RuleForecaster
from tlogic.forecasting.settings import ENOUGH, UNLIMITED
from tlogic.graph import TemporalGraph
from tlogic.memory import peak_megabytes
from tlogic.parallel import in_parallel

SIZES = (100_000, 1_000_000)
MOST_WITHOUT_LIMIT = 1_000_000
N_QUERIES = 10_000
MEGABYTE = 1 << 20

Result = TypeVar("Result")


def measure(path: str) -> dict[str, Any]:
    """Open a compiled graph, learn from it, and ask it."""
    tlogic.learn(tlogic.sample(days=60))  # finds the kernels compiled
    opening, graph = best_time(lambda: tlogic.read(path))
    learning, rules = best_time(lambda: tlogic.learn(graph))
    queries = queries_of(graph)
    asking, candidates = best_time(lambda: ask(graph, rules, queries, ENOUGH))
    peak = peak_megabytes()
    few = len(graph) <= MOST_WITHOUT_LIMIT
    asking_all, _ = best_time(lambda: ask(graph, rules, queries, UNLIMITED), times=1) if few else (0.0, 0)
    return {
        "facts": len(graph),
        "entities": len(graph.entities),
        "rules": len(rules),
        "candidates": candidates / N_QUERIES,
        "seconds": {"open": opening, "learn": learning, "apply": asking, "apply all": asking_all},
        "peak_mb": peak,
    }


def best_time(work: Callable[[], Result], times: int = 3) -> tuple[float, Result]:
    """How long some work takes at best, for others use the machine too, and its result."""
    best = math.inf
    for _ in range(times):
        began = perf_counter()
        result = work()
        best = min(best, perf_counter() - began)
    return best, result


def ask(graph: TemporalGraph, rules: tlogic.RuleSet, queries: QueryBatch, max_groundings: int) -> int:
    """How many candidates all queries have together."""
    forecaster = RuleForecaster(graph, rules, tlogic.ApplicationSettings(max_groundings=max_groundings))
    chunks = [QueryBatch(*(column[chunk] for column in queries)) for chunk in forecaster.chunks(queries.relation)]
    return sum(len(scored.entity) for scored in in_parallel(forecaster.new_worker, chunks))


def queries_of(graph: TemporalGraph) -> QueryBatch:
    """Objects of the last facts, asked in order of time."""
    last = np.arange(len(graph) - max(N_QUERIES, FACTS_PER_STEP), len(graph))
    chosen = np.sort(np.random.default_rng(1).choice(last, N_QUERIES, replace=False))
    subject, relation, _, time = (column[chosen].astype(np.int64) for column in graph.facts)
    return QueryBatch(subject, relation, time, time)


def run(*command: str) -> tuple[str, float, float]:
    """What a process printed, the seconds it took, and its peak memory in megabytes."""
    began = perf_counter()
    process = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return printed, perf_counter() - began, usage.ru_maxrss / 1024


def grow(size: int, folder: Path) -> dict[str, Any]:
    """All that is measured of a world of some size."""
    text, compiled = folder / "world.txt", folder / "world.graph"
    run("benchmarks.synthetic", str(size), str(text))
    before = min(yardstick() for _ in range(3))
    _, index, index_peak = run("tlogic", "index", str(text), "--out", str(compiled), "--quiet")
    printed, _, _ = run("benchmarks.growth", "--measure", str(compiled))
    result = json.loads(printed)
    result["yardstick"] = min(before, *(yardstick() for _ in range(3)))
    result["seconds"]["index"] = index
    return result | {"index_peak_mb": index_peak, "graph_mb": compiled.stat().st_size / MEGABYTE}


def main(sizes: list[str]) -> None:
    table = Table(title=f"{N_QUERIES:,} queries; times in yardsticks (a stable sort of ten million doubles)")
    columns = ("facts", "entities", "bytes a fact", "index", "its peak MB", "as graphs", "open ms")
    for column in (*columns, "rules", "learn", f"apply, {ENOUGH} newest", "all", "candidates", "peak MB"):
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
            ratio = per_yardstick(last, stage) / per_yardstick(first, stage)
            console.print(f"From {first['facts']:,} to {last['facts']:,} facts {name} takes {ratio:.1f} times as long.")


def row_of(result: dict[str, Any]) -> list[str]:
    unlimited = per_yardstick(result, "apply all")
    return [
        f"{result['facts']:,}",
        f"{result['entities']:,}",
        f"{result['graph_mb'] * MEGABYTE / result['facts']:.0f}",
        f"{per_yardstick(result, 'index'):.1f}",
        f"{result['index_peak_mb']:,.0f}",
        f"{result['index_peak_mb'] / result['graph_mb']:.1f}",
        f"{1000 * result['seconds']['open']:.0f}",
        f"{result['rules']:,}",
        f"{per_yardstick(result, 'learn'):.2f}",
        f"{per_yardstick(result, 'apply'):.2f}",
        f"{unlimited:.2f}" if result["facts"] <= MOST_WITHOUT_LIMIT else "",
        f"{result['candidates']:.0f}",
        f"{result['peak_mb']:,.0f}",
    ]


def per_yardstick(result: dict[str, Any], stage: str) -> float:
    return float(result["seconds"][stage] / result["yardstick"])


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measure(sys.argv[2])))
    else:
        main(sys.argv[1:])
