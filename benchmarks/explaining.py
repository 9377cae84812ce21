"""How long an explanation takes once everything is loaded: `python -m benchmarks.explaining`.

The best candidates of queries spread over the test period are explained; prints the median and the slowest.
"""

import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import tlogic
from benchmarks.yardstick import yardstick
from tlogic.memory import peak_megabytes

DATA = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
N_QUERIES = 200


def main(name: str = "icews18") -> None:
    graph = tlogic.read(DATA / name)
    facts = graph.split("test")
    names = graph.entities.names, graph.relations.names
    queries = [
        (names[0][facts.subject[i]], names[1][facts.relation[i]], None, graph.timeline.label_of(facts.time[i]))
        for i in np.linspace(0, len(facts.time) - 1, N_QUERIES).astype(int)
    ]
    answers = tlogic.forecast(graph, tlogic.learn(graph), queries)
    seconds, n_reasons = [], []
    for place, candidates in enumerate(answers):
        started = time.perf_counter()
        why = answers.explain(place, candidates[0].name)
        seconds.append(time.perf_counter() - started)
        n_reasons.append(len(why.reasons))
    unit = yardstick()
    for what, value in (("median", statistics.median(seconds[1:])), ("slowest", max(seconds[1:]))):
        print(f"{name}: {what} explanation {value * 1000:.0f} ms, {value / unit:.3f} yardsticks")
    print(f"{statistics.median(n_reasons):.0f} reasons (median), peak {peak_megabytes()} MB, yardstick {unit:.2f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
