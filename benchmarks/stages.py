"""One benchmark run in a new process: prints the seconds of each stage and the peak memory as JSON.

Usage: python -m benchmarks.stages FOLDER|FACTS WINDOW
"""

import json
import sys
import time

import tlogic
from benchmarks.generated import STEPS, generate
from tlogic.graph import TemporalGraph
from tlogic.process_memory import peak_megabytes


def load(source: str) -> TemporalGraph:
    if source.isdigit():
        return tlogic.read(generate(int(source)), valid_from=STEPS * 8 // 10, test_from=STEPS * 9 // 10)
    return tlogic.read(source)


def main(source: str, window: str) -> None:
    started = time.perf_counter()
    graph = load(source)
    read = time.perf_counter() - started
    rules = tlogic.learn(graph)
    learned = time.perf_counter() - started - read
    evaluation = tlogic.evaluate(graph, rules, window=None if window == "all" else int(window))
    seconds = {"read": read, "learn": learned, **evaluation.seconds}
    print(json.dumps({"facts": len(graph), "rules": len(rules), "seconds": seconds, "peak_mb": peak_megabytes()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
