"""Tests of files of arrays."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tlogic.graph.array_file import FileKind, open_arrays, write_arrays

KIND = FileKind("test file", b"tlogic test\n\0\0\0\0", 1, "a test")


def test_arrays_may_be_made_while_they_are_written(tmp_path: Path) -> None:
    numbers = np.arange(100, dtype=np.int32).reshape(10, 10)
    write_arrays(tmp_path / "arrays", KIND, {}, {"given": numbers, "made": lambda: numbers[:, 1:]})
    _, arrays = open_arrays(tmp_path / "arrays", KIND)
    np.testing.assert_array_equal(arrays["given"], numbers)
    np.testing.assert_array_equal(arrays["made"], numbers[:, 1:])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_opening_a_file_keeps_no_pages(tmp_path: Path) -> None:
    """Checksums read all arrays, but their pages are given back."""
    numbers = np.arange(4_000_000)
    write_arrays(tmp_path / "arrays", KIND, {}, {"first": numbers, "second": numbers})
    open_arrays(tmp_path / "arrays", KIND)  # loads what checks need
    before = resident_file_kilobytes()
    _, arrays = open_arrays(tmp_path / "arrays", KIND)
    assert resident_file_kilobytes() < before + 8_000  # of 64,000
    np.testing.assert_array_equal(arrays["second"], numbers)


def resident_file_kilobytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssFile"))
