"""A browser, and a site with the page of a service of the sample world, which it looks at."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

from tests.serving.service import sample_service, served
from tlogic.serving import Guard
from tlogic.serving.answering.service import Service

Opened = Callable[..., AbstractContextManager[Page]]
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with sample_service(str(tmp_path_factory.mktemp("page") / "events.db")) as made:
        yield made


@pytest.fixture(scope="module")
def site(service: Service) -> Iterator[str]:
    with served(service, Guard(rate=1e6, burst=10**6), page=True) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        told = f"The tests of the page need one of {', '.join(_NAMES)}."
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def opened(browser: Browser, site: str) -> Opened:
    """Opens the site in a browser that is as new, with neither cookies nor history."""
    return partial(_opened, browser, site)


@pytest.fixture
def page(opened: Opened) -> Iterator[Page]:
    with opened() as page:
        yield page


@contextmanager
def _opened(browser: Browser, site: str, width: int = 1200, height: int = 800, dark: bool = False) -> Iterator[Page]:
    """Nothing may go wrong on the page, and no dialog come up."""
    context = browser.new_context(
        base_url=site,
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
    )
    context.set_default_timeout(15_000)
    page, wrong = context.new_page(), list[str]()

    def refuse(dialog: Dialog) -> None:
        wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", refuse)
    yield page
    context.close()
    assert not wrong
