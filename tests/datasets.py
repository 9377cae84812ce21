"""The benchmark data. Tests that use it carry the marker `benchmark_data`, which tests/conftest.py adds."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

Datasets = Callable[[str], Path]
FOLDER = Path(os.environ.get("TLOGIC_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def dataset() -> Datasets:
    """Return a function from the name of a benchmark dataset to its folder.

    Where the folder is missing, the function skips the test; in CI it fails the test.
    """
    return find_dataset


def find_dataset(name: str) -> Path:
    """Find the folder of a dataset; for the fixture alone."""
    folder = FOLDER / name
    if not folder.is_dir():
        reason = f"benchmark data is missing: {folder} does not exist; set TLOGIC_DATA to the folder of the datasets"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return folder
