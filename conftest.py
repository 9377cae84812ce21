"""Fixtures for the examples in docstrings."""

from collections.abc import Iterator
from typing import Any

import pytest

SERVING_MODULES = (
    "tlogic.serving.client",
    "tlogic.serving.engine.board",
    "tlogic.serving.engine.monitor",
    "tlogic.serving.engine.service",
    "tlogic.serving.store.event_store",
)
NEED_A_MODEL = (
    "Client.outlook",
    "Client.watch",
    "Client.surprises",
    "Client.backtest",
    "Monitor.outlook",
    "Monitor.watch",
    "Monitor.surprises",
    "Monitor.backtest",
)


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
def serving_examples(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Any]]:
    """A service over the sample world, behind a web server."""
    from tests.serving.services import sample_service, served

    from tlogic.serving import Client

    path = str(tmp_path_factory.mktemp("service") / "events.db")
    model = any(name in request.node.name for name in NEED_A_MODEL)
    with sample_service(path, model=model) as service, served(service) as url, Client(url) as client:
        yield {"client": client, "service": service, "store": service.live_store.store}
