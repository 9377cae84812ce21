"""Tests of files of arrays."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tlogic.graph.array_file import ArrayParts, FileKind, open_arrays, write_arrays

KIND = FileKind("test file", b"tlogic test\n\0\0\0\0", 1, "a test")


@pytest.mark.parametrize("n", [0, 7, 8, 9, 20, 64, 65])
def test_arrays_may_be_made_in_parts(tmp_path: Path, n: int) -> None:
    numbers = np.arange(5 * n, dtype=np.int32).reshape(n, 5)

    def parts() -> Iterator[np.ndarray]:
        return (numbers[first : first + 8] for first in range(0, n, 8))

    made = ArrayParts(numbers.shape, numbers.dtype, parts)
    write_arrays(tmp_path / "parts", KIND, {}, {"numbers": made})
    write_arrays(tmp_path / "whole", KIND, {}, {"numbers": numbers})
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
    np.testing.assert_array_equal(open_arrays(tmp_path / "parts", KIND)[1]["numbers"], numbers)


def test_parts_between_words_are_refused(tmp_path: Path) -> None:
    numbers = np.arange(9, dtype=np.int32)
    parts = ArrayParts(numbers.shape, numbers.dtype, lambda: iter([numbers[:5], numbers[5:]]))
    with pytest.raises(ValueError, match="a multiple of 32 bytes"):
        write_arrays(tmp_path / "parts", KIND, {}, {"numbers": parts})
    assert not (tmp_path / "parts").exists()


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
