"""Reads and indexes a CSV file of a million facts in a new process: `python -m benchmarks.reading`."""

import json
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks.generated import generate
from benchmarks.reference import DESCRIPTION, reference_seconds

FACTS = 1_000_000
STAGES = ("import", "read", "index")


def write_facts(path: Path, n_facts: int = FACTS) -> None:
    """Write a CSV file of generated facts with dates."""
    day = pl.lit(date(2014, 1, 1)) + pl.duration(days="time")
    generate(n_facts).with_columns(time=day).write_csv(path)


def measure(path: Path) -> dict:
    """Read and index in a new process."""
    command = [sys.executable, "-m", "benchmarks.reading", str(path)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def read_and_index(path: str) -> None:
    """Print the seconds of each stage and the peak memory as JSON; `measure` runs this in a new process."""
    started = time.perf_counter()
    import tlogic
    from tlogic.process_memory import peak_megabytes

    clock = [started]
    read = tlogic.read  # the import happens here
    clock.append(time.perf_counter())
    graph = read(path)
    clock.append(time.perf_counter())
    _ = graph.triples
    clock.append(time.perf_counter())
    seconds = {stage: clock[i + 1] - clock[i] for i, stage in enumerate(STAGES)}
    print(json.dumps({"facts": len(graph), "seconds": seconds, "peak_mb": peak_megabytes()}))


def main() -> None:
    """Print the table."""
    table = Table(title=f"Reading: times as ratios to the reference ({DESCRIPTION}), seconds and peak memory")
    for column in ("", "facts", *STAGES, "all", "seconds", "peak MB", "reference s"):
        table.add_column(column, justify="right" if column else "left")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.csv"
        write_facts(path, 1000)
        measure(path)  # compiles the kernels
        write_facts(path)
        before = reference_seconds()
        result = measure(path)
        reference = (before + reference_seconds()) / 2
    seconds = result["seconds"] | {"all": sum(result["seconds"].values())}
    table.add_row(
        f"CSV, {FACTS:,} rows",
        f"{result['facts']:,}",
        *(f"{seconds[stage] / reference:.2f}" for stage in (*STAGES, "all")),
        f"{seconds['all']:.2f}",
        f"{result['peak_mb']:.0f}",
        f"{reference:.2f}",
    )
    Console(width=120).print(table)


if __name__ == "__main__":
    main() if len(sys.argv) == 1 else read_and_index(sys.argv[1])
