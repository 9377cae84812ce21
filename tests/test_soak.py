"""`make soak` in a short form, and its page."""

import re
import subprocess
import sys
from pathlib import Path

from benchmarks.soak import repeated_tests
from benchmarks.soak.page import as_page
from benchmarks.soak.record import Budget, Record

ROOT = Path(__file__).parents[1]


def test_a_short_soak_passes_and_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    command = [sys.executable, "-m", "benchmarks.soak", "--minutes", "0", "--only", "services", "sockets"]
    done = subprocess.run([*command, "--out", page], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^\| .*\.\s\| (.*) \| 0 \|$", page.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 2
    assert all(re.match(r"[1-9]", row) for row in rows)


def test_failed_and_missing_tests_break_a_promise(tmp_path: Path) -> None:
    test = tmp_path / "test_some.py"
    for content, failures in (("def test(): assert 0", 1), ("def test(): pass", 0), ("", 1)):
        test.write_text(content)
        found = repeated_tests.measure(repeated_tests.CheckedPromise("It holds.", (str(test),)), Budget(0))
        assert bool(found.failures) == bool(failures), found


def test_a_broken_promise_is_shown() -> None:
    assert "| It holds. | 3 tries. Once | 2 |" in as_page([Record("It holds.", "3 tries", 2, "Once")], 1, "Linux")


def test_the_page_lists_every_promise_that_tests_check() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    assert [each.promise for each in repeated_tests.PROMISES if each.promise not in page] == []
