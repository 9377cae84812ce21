"""Promises that tests check: the tests run again and again, with another seed each time."""

import re
import subprocess
import sys
from typing import NamedTuple

from benchmarks.soak.record import Budget, Record

_COUNTS = re.compile(r"(\d+) (passed|failed|error|skipped)")


class CheckedPromise(NamedTuple):
    """A promise, and the tests that check it, as pytest selects them."""

    promise: str
    selection: tuple[str, ...]


_STORE = "tests/serving/test_store_faults.py"
PROMISES = (
    CheckedPromise(
        "Several writers, readers and services on one store lose, double and miss no event.",
        (_STORE, "tests/serving/test_live_store.py", "-k", "concurrently or polling or on_one_store"),
    ),
    CheckedPromise(
        "A full disk, a locked store and a database that restarts lose no acknowledged batch.",
        (_STORE, "-k", "full_disk or page_limit or locked_store or restart or stopped_server"),
    ),
    CheckedPromise(
        "State that was learned step by step, stored and continued equals state from scratch.",
        ("tests/evidence/test_memory.py", "tests/evidence/test_live_evidence.py"),
    ),
    CheckedPromise(
        "The API conforms to its description, whatever is sent (schemathesis); no server errors.",
        ("tests/serving/test_openapi.py",),
    ),
    CheckedPromise(
        "Other websites cannot read, write or open web sockets; foreign host names (DNS rebinding) are refused.",
        (
            *("tests/serving/test_access.py", "tests/serving/test_page.py"),
            *("-k", "cross_site or host_names or web_sockets or other_websites or another_website"),
        ),
    ),
    CheckedPromise(
        "Hostile names, numbers, dates and files are refused with a message.",
        (
            *("tests/events/test_broken_events.py", "tests/events/test_file_limits.py"),
            *("tests/events/test_time_parsing.py", "tests/serving/test_long_spans.py", "tests/rules/test_rules.py"),
        ),
    ),
    CheckedPromise(
        "Nothing at or after the time of a query influences its forecast.",
        ("tests/evidence/test_leaks.py",),
    ),
    CheckedPromise(
        "Threads, the order of rows, files and arrival change no byte.",
        ("tests/test_order.py", "tests/models/test_models.py", "-k", "order or threads or rows"),
    ),
    CheckedPromise(
        "A Ray cluster gives the same bytes, even if a node is killed.",
        ("tests/test_cluster.py", "-k", "same_rules or same_model or same_ranks or failed_node"),
    ),
)


def measure(tested: CheckedPromise, budget: Budget) -> Record:
    """Run the tests of a promise until the time is over."""
    counts = dict.fromkeys(("passed", "failed", "error", "skipped"), 0)
    rounds = 0
    for number in budget.rounds():
        for n_tests, outcome in _COUNTS.findall(_run(tested.selection, seed=number)):
            counts[outcome] += int(n_tests)
        rounds = number + 1
    figure = f"{counts['passed']:,} tests passed in {rounds:,} round{'' if rounds == 1 else 's'}, each with other seeds"
    note = f"{counts['skipped']:,} skipped" if counts["skipped"] else ""
    nothing_ran = int(counts["passed"] == 0)
    return Record(tested.promise, figure, counts["failed"] + counts["error"] + nothing_ran, note)


def _run(selection: tuple[str, ...], seed: int) -> str:
    """The last line that pytest prints."""
    options = ("-p", "no:cacheprovider", "-o", "addopts=", f"--hypothesis-seed={seed}")
    command = [sys.executable, "-m", "pytest", *options, *selection]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip().rpartition("\n")[2]
