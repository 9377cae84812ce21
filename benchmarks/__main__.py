"""Run the main benchmarks: `make bench`, or `python -m benchmarks NAME ...` for some of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.reference import DESCRIPTION, reference_seconds

DATA = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
# By name: the folder to read or the number of facts to generate, and the time window.
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
    table = Table(title=f"Times as ratios to the reference ({DESCRIPTION}), and peak memory")
    for column in ("", "facts", "rules", *STAGES, "evaluate", "peak MB", "reference s"):
        table.add_column(column, justify="right" if column else "left")
    for name in names or CASES:
        source, window = CASES[name]
        if not source.isdigit() and not Path(source).is_dir():
            print(f"Skipped {name}: there is no {source}. Set TLOGIC_DATA to the folder of the data.", file=sys.stderr)
            continue
        before = reference_seconds()
        result = run(source, window)
        reference = (before + reference_seconds()) / 2
        seconds = result["seconds"] | {"evaluate": result["seconds"]["index"] + result["seconds"]["apply"]}
        ratios = (f"{seconds[stage] / reference:.2f}" for stage in (*STAGES, "evaluate"))
        table.add_row(
            name,
            f"{result['facts']:,}",
            f"{result['rules']:,}",
            *ratios,
            f"{result['peak_mb']:.0f}",
            f"{reference:.2f}",
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
