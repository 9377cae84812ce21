"""A service over the sample world, and its page in a browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from playwright.sync_api import Browser, Dialog, Page

from tests.browser import PATIENCE_MS
from tests.serving.services import Opened, sample_service, served
from tlogic.serving import AccessSettings
from tlogic.serving.engine.service import Service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for all tests of a module."""
    with sample_service(str(tmp_path_factory.mktemp("service") / "events.db")) as made:
        yield made


@pytest.fixture(scope="module")
def model_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service with a model for all tests of a module."""
    with sample_service(str(tmp_path_factory.mktemp("service") / "events.db"), model=True) as made:
        yield made


@pytest.fixture(scope="module")
def site(service: Service) -> Iterator[str]:
    """The address of the page."""
    with served(service, AccessSettings(rate=1e6, burst=10**6), page=True) as address:
        yield address


@pytest.fixture(scope="module")
def opened(browser: Browser, site: str) -> Opened:
    """Opens the site in a new browser context, without cookies and history."""
    return partial(_opened, browser, site)


@pytest.fixture
def page(opened: Opened) -> Iterator[Page]:
    with opened() as page:
        yield page


@contextmanager
def _opened(browser: Browser, site: str, width: int = 1200, height: int = 800, dark: bool = False) -> Iterator[Page]:
    """Open a page, and check that it has no script errors and opens no dialog."""
    context = browser.new_context(
        base_url=site,
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
    )
    context.set_default_timeout(PATIENCE_MS)
    page, wrong = context.new_page(), list[str]()

    def dismiss(dialog: Dialog) -> None:
        wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", dismiss)
    yield page
    context.close()
    assert not wrong
