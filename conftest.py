"""Fixtures for the examples in docstrings."""

from collections.abc import Iterator
from typing import Any

import pytest

SERVING_MODULES = ("tlogic.serving.client", "tlogic.serving.engine.service", "tlogic.serving.store.event_store")


@pytest.fixture(autouse=True)
def serving_example_names(request: pytest.FixtureRequest) -> None:
    """The names `client`, `service` and `store` for the examples of `tlogic.serving`."""
    if isinstance(request.node, pytest.DoctestItem) and request.node.name.startswith(SERVING_MODULES):
        request.node.dtest.globs |= request.getfixturevalue("serving_examples")


@pytest.fixture(autouse=True)
def example_folder(request: pytest.FixtureRequest) -> None:
    """Examples run in an empty folder, where they may write files."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))


@pytest.fixture
def serving_examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A service over the sample world, behind a web server."""
    from tests.serving.services import sample_service, served

    from tlogic.serving import Client

    path = str(tmp_path_factory.mktemp("service") / "events.db")
    with sample_service(path) as service, served(service) as url, Client(url) as client:
        yield {"client": client, "service": service, "store": service.live_store.store}
