"""Where the benchmark data lies. Tests that need it fail in CI where it is missing; elsewhere they are skipped."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))


def dataset(name: str) -> Path:
    """The folder of a benchmark dataset."""
    folder = FOLDER / name
    if not folder.is_dir():
        message = f"{folder} is missing; TLOGIC_DATA says where the benchmark data lies"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder
