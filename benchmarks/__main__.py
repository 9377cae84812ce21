"""Run all benchmarks: `make bench`, or `python -m benchmarks NAME ...` for some."""

import json
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.yardstick import yardstick

DATA = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
# name: what to read, window
CASES = {
    "icews14": (str(DATA / "icews14"), "all"),
    "icews18": (str(DATA / "icews18"), "all"),
    "icews0515": (str(DATA / "icews0515"), "1000"),
    "yago": (str(DATA / "yago"), "all"),
    "wiki": (str(DATA / "wiki"), "all"),
    "generated 20k": ("20000", "all"),
    "generated 100k": ("100000", "all"),
    "generated 500k": ("500000", "all"),
}
STAGES = ("read", "learn", "index", "apply")


def run(source: str, window: str) -> dict:
    command = [sys.executable, "-m", "benchmarks.stages", source, window]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main(names: list[str]) -> None:
    run("2000", "all")  # compiles the kernels
    table = Table(title="Yardsticks (a stable sort of ten million doubles) and peak memory")
    for column in ("", "facts", "rules", *STAGES, "evaluate", "peak MB", "yardstick s"):
        table.add_column(column, justify="right" if column else "left")
    for name in names or CASES:
        source, window = CASES[name]
        if not source.isdigit() and not Path(source).is_dir():
            print(
                f"{name} is left out: {source} is missing; TLOGIC_DATA says where the data lies",
                file=sys.stderr,
            )
            continue
        before = yardstick()
        result = run(source, window)
        unit = (before + yardstick()) / 2
        seconds = result["seconds"] | {"evaluate": result["seconds"]["index"] + result["seconds"]["apply"]}
        times = (f"{seconds[stage] / unit:.2f}" for stage in (*STAGES, "evaluate"))
        table.add_row(
            name,
            f"{result['facts']:,}",
            f"{result['rules']:,}",
            *times,
            f"{result['peak_mb']:.0f}",
            f"{unit:.2f}",
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
