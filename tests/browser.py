"""A browser, which looks at the pages of services."""

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_MS = 60_000  # on a busy machine a page takes its time


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """A browser, where there is one; else the tests are skipped, but not in CI."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        told = f"The tests of the page need one of {', '.join(_NAMES)}."
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"], timeout=PATIENCE_MS)
        yield started
        started.close()
