"""The time of an explanation when rules and data are loaded: `python -m benchmarks.explaining`.

Explains the best candidate of queries spread over the test period, and prints the median and the maximum time.
"""

import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import tlogic
from benchmarks.reference import reference_seconds
from tlogic.process_memory import peak_megabytes

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
    for i, candidates in enumerate(answers):
        started = time.perf_counter()
        why = answers.explain(i, candidates[0].name)
        seconds.append(time.perf_counter() - started)
        n_reasons.append(len(why.reasons))
    reference = reference_seconds()
    for what, value in (("median", statistics.median(seconds[1:])), ("maximum", max(seconds[1:]))):
        print(f"{name}: {what} {value * 1000:.0f} ms per explanation, {value / reference:.3f} times the reference")
    n_median = statistics.median(n_reasons)
    print(f"{n_median:.0f} reasons (median), peak {peak_megabytes()} MB, reference {reference:.2f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
