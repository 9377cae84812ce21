"""How time and memory grow with the number of facts: `python -m benchmarks.growth [SIZE ...]`, such as 1e6.

Each world is made, indexed, learned from with the same number of walks, and asked the same number of queries, in a
process of its own. Times are in yardsticks.
"""

import json
import subprocess
import sys
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

import tlogic
from benchmarks.synthetic import FACTS_PER_STEP, N_RELATIONS, generate
from benchmarks.yardstick import yardstick
from tlogic.evaluation.memory import peak_megabytes
from tlogic.events.timeline import Timeline
from tlogic.forecasting.application import Queries
from tlogic.forecasting.forecaster import Forecaster, query_chunks
from tlogic.forecasting.settings import ENOUGH, UNLIMITED
from tlogic.graph import Facts, TemporalGraph
from tlogic.graph.vocabulary import Relations, Vocabulary
from tlogic.parallel import in_parallel

SIZES = (100_000, 1_000_000)
MOST_WITHOUT_LIMIT = 1_000_000
N_QUERIES = 10_000
STAGES = ("index", "learn", "apply")


def measure(n_facts: int, max_groundings: int) -> dict:
    graph = world_of(n_facts)
    began = perf_counter()
    index_bytes = sum(column.nbytes for column in graph.triples) + sum(column.nbytes for column in graph.facts[:3])
    index = perf_counter() - began
    began = perf_counter()
    rules = tlogic.learn(graph)
    learn = perf_counter() - began
    queries = queries_of(graph)
    began = perf_counter()
    forecaster = Forecaster(graph, rules, tlogic.ApplicationSettings(max_groundings=max_groundings))
    chunks = [type(queries)(*(column[chunk] for column in queries)) for chunk in query_chunks(queries.relation)]
    candidates = sum(len(scored.entity) for scored in in_parallel(forecaster.new_worker, chunks))
    apply = perf_counter() - began
    return {
        "facts": len(graph),
        "entities": len(graph.entities),
        "rules": len(rules),
        "bytes": index_bytes / len(graph),
        "candidates": candidates / N_QUERIES,
        "seconds": {"index": index, "learn": learn, "apply": apply},
        "peak_mb": peak_megabytes(),
    }


def world_of(n_facts: int) -> TemporalGraph:
    """A world as a graph; all but the last tenth of its steps is for training."""
    s, r, o, t = generate(n_facts)
    n_entities = int(max(s.max(), o.max())) + 1
    order = np.lexsort((o, r, s, t))
    same = np.zeros(len(order), np.bool_)
    facts = [column[order] for column in (s, r, o, t)]
    del s, r, o, t, order
    same[1:] = np.logical_and.reduce([column[1:] == column[:-1] for column in facts])
    facts = [column[~same] for column in facts]
    end = int(facts[3][-1]) + 1
    return TemporalGraph(
        Vocabulary([f"entity {number}" for number in range(n_entities)], kind="entity"),
        Relations([f"relation {number}" for number in range(N_RELATIONS)]),
        Timeline("day", 1, "2000-01-01"),
        Facts(*facts),
        valid_from=end - max(end // 10, 1),
        test_from=end - max(end // 10, 1),
    )


def queries_of(graph: TemporalGraph) -> Queries:
    """Objects of the last facts, asked in order of time."""
    last = np.arange(len(graph) - max(N_QUERIES, FACTS_PER_STEP), len(graph))
    chosen = np.sort(np.random.default_rng(1).choice(last, N_QUERIES, replace=False))
    subject, relation, _, time = (column[chosen].astype(np.int64) for column in graph.facts)
    return Queries(subject, relation, time, time)


def main(sizes: list[str]) -> None:
    table = Table(title=f"{N_QUERIES:,} queries; times in yardsticks (a stable sort of ten million doubles)")
    for column in ("facts", "entities", "rules", "max groundings", "bytes a fact", *STAGES, "candidates", "peak MB"):
        table.add_column(column, justify="right")
    for size in [int(float(size)) for size in sizes] or SIZES:
        for limit in (UNLIMITED, ENOUGH) if size <= MOST_WITHOUT_LIMIT else (ENOUGH,):
            before = yardstick()
            command = [sys.executable, "-m", "benchmarks.growth", "--measure", str(size), str(limit)]
            result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            unit = (before + yardstick()) / 2
            table.add_row(
                f"{result['facts']:,}",
                f"{result['entities']:,}",
                f"{result['rules']:,}",
                "all" if limit == UNLIMITED else str(limit),
                f"{result['bytes']:.1f}",
                *(f"{result['seconds'][stage] / unit:.2f}" for stage in STAGES),
                f"{result['candidates']:.0f}",
                f"{result['peak_mb']:,.0f}",
            )
    Console(width=140).print(table)


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measure(int(sys.argv[2]), int(sys.argv[3]))))
    else:
        main(sys.argv[1:])
