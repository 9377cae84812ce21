"""Time and memory on worlds of the sizes of TGB 2.0: `python -m benchmarks.tgb [NAME ...] [--stages STAGE ...]`.

Writes synthetic facts as an edge list of TGB, with as many facts and time steps as the dataset of that name, and runs
the commands of docs/how-to/tgb.md in separate processes. Answers are ranked against all entities. Prints the seconds
that passed, the seconds of all cores, which depend less on what else the machine does, and the peak memory.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

import numpy as np
import polars as pl

from benchmarks.synthetic import generate

SECONDS_PER_DAY = 86_400
EDGE_LIST, GRAPH, RULES, MODEL = "tkgl-generated_edgelist.csv", "world.graph", "world.rules", "world.model"
STAGES = {
    "index": ["index", EDGE_LIST, "--out", GRAPH],
    "learn": ["learn", GRAPH, "--out", RULES],
    "rules": ["evaluate", GRAPH, "--rules", RULES, "--protocol", "tgb", "--window", "100", "--json"],
    "fit": ["fit", GRAPH, "--out", MODEL, "--train-on", "train"],
    "model": ["evaluate", GRAPH, "--model", MODEL, "--protocol", "tgb", "--json"],
}
"""By name: the command."""


class Size(NamedTuple):
    facts: int
    steps: int


SIZES = {
    "tkgl-smallpedia": Size(550_376, 125),
    "tkgl-polecat": Size(1_779_610, 1_826),
    "tkgl-wikidata": Size(9_856_203, 2_025),
    "tkgl-icews": Size(15_513_446, 10_224),
}


def write_world(size: Size, folder: Path) -> None:
    """Write synthetic facts as an edge list with daily times."""
    facts = generate(size.facts, per_step=-(-size.facts // size.steps))
    time = (facts.time.astype(np.int64) + 9_000) * SECONDS_PER_DAY
    columns = {"ts": time, "head": facts.subject, "tail": facts.object, "relation_type": facts.relation}
    pl.DataFrame(columns).write_csv(folder / EDGE_LIST)


class Cost(NamedTuple):
    seconds: float
    core_seconds: float
    megabytes: float


def measure(command: list[str], folder: Path) -> Cost:
    """The cost of a command; the benchmark ends if it fails."""
    started = perf_counter()
    output = folder / "output.txt"
    with output.open("wb") as written:
        child = subprocess.Popen([sys.executable, "-m", "tlogic", *command], cwd=folder, stdout=written, stderr=written)
        _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"tlogic {' '.join(command)} failed:\n{output.read_text()}")
    return Cost(perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main(names: list[str], stages: list[str]) -> None:
    os.environ["TLOGIC_CACHE"] = "off"  # nothing is kept between commands
    for name in names:
        with TemporaryDirectory() as folder:
            write_world(SIZES[name], Path(folder))
            for stage in stages:
                cost = measure(STAGES[stage], Path(folder))
                times = f"{cost.seconds:10.1f} s{cost.core_seconds:10.1f} core s"
                print(f"{name:16}{stage:6}{times}{cost.megabytes:10,.0f} MB", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(SIZES), metavar="NAME")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    given = parser.parse_args()
    main(given.names, given.stages)
