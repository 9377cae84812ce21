"""Test all promises within a time, print a line for each, and write the page."""

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.soak import (
    damaged_files,
    damaged_stores,
    hostile_websites,
    killed_databases,
    killed_services,
    killed_writers,
    load,
    raw_sockets,
    repeated_tests,
)
from benchmarks.soak.page import as_page
from benchmarks.soak.record import Budget, Record

Measurement = Callable[[Budget], Record | list[Record]]

MEASUREMENTS: dict[str, tuple[float, Measurement]] = {
    "sqlite": (1.0, killed_writers.measure_sqlite),
    "postgres": (1.0, killed_writers.measure_postgres),
    "databases": (1.0, killed_databases.measure),
    "services": (2.0, killed_services.measure),
    "load": (4.0, load.measure),
    "sockets": (1.0, raw_sockets.measure),
    "websites": (1.0, hostile_websites.measure),
    "damage": (2.0, damaged_files.measure),
    "stores": (1.0, damaged_stores.measure),
    **{f"tests{i}": (1.0, partial(repeated_tests.measure, each)) for i, each in enumerate(repeated_tests.PROMISES)},
}
"""The share of the time and the function of each test, by its name for ``--only``."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long all tests may take together")
    parser.add_argument("--only", nargs="*", choices=MEASUREMENTS, help="some of the tests")
    parser.add_argument("--out", type=Path, help="the page to write")
    options = parser.parse_args()
    chosen = {name: MEASUREMENTS[name] for name in options.only or MEASUREMENTS}
    total, began, records = sum(share for share, _ in chosen.values()), time.monotonic(), list[Record]()
    for share, measure in chosen.values():
        found = measure(Budget(60 * options.minutes * share / total))
        for record in found if isinstance(found, list) else [found]:
            print(f"{'FAILED ' * bool(record.failures)}{record.promise} {record.figure}. {record.note}", flush=True)
            records.append(record)
        if options.out:  # after each test, so that an interrupted run leaves its figures
            minutes = (time.monotonic() - began) / 60
            options.out.write_text(as_page(records, minutes, f"{platform.system()}, {os.cpu_count()} cores"), "utf-8")
    sys.exit(any(record.failures for record in records))


if __name__ == "__main__":
    main()
