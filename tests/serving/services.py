"""Services over the sample world for tests, in process and behind a real web server."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import sqlalchemy as sql
import uvicorn
from playwright.sync_api import Page

import tlogic
from tests.waiting import PATIENCE, wait_until
from tlogic.events.sample.simulation import sample_events
from tlogic.events.sources.databases import parse_url
from tlogic.graph import TemporalGraph
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.server import server_config
from tlogic.serving.store.encoded_events import EncodedEvents
from tlogic.serving.store.event_store import EventStore
from tlogic.serving.web.connections import ConnectionLimits
from tlogic.serving.web.settings import AccessSettings
from tlogic.serving.web.web_app import create_app

Opened = Callable[..., AbstractContextManager[Page]]
"""Opens the page of a service in a new browser context."""

STILL_LOADING = (
    "[...document.querySelectorAll('.awaited:empty')]"
    ".filter(each => getComputedStyle(each, '::before').content !== 'none').length"
)
"""Counts in a browser the parts of a page that say that they are loading."""
DAYS = 120
READ, WRITE = "a-token-for-reading", "a-token-for-writing"


@cache
def sample_graph() -> TemporalGraph:
    return tlogic.sample(days=DAYS)


@cache
def sample_rules(length: int = 1) -> tlogic.RuleSet:
    return tlogic.learn(sample_graph(), lengths=(length,), walks=50)


@cache
def sample_model() -> tlogic.Model:
    return tlogic.fit(sample_graph())


def new_store_url(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """The path of a new SQLite file, or the URL of an empty PostgreSQL database."""
    if kind == "sqlite":
        return str(folder / "events.db")
    url: str = request.getfixturevalue("postgres")
    with sql.create_engine(parse_url(url), poolclass=sql.NullPool).begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return url


@contextmanager
def sample_service(store_url: str, *, model: bool = False) -> Iterator[Service]:
    """A service over the sample world in a new store, with rules or with a model."""
    with EventStore.open(store_url) as store:
        store.add(EncodedEvents.from_table(sample_events(days=DAYS)))
        live_store = LiveStore(store)
        versions = VersionManager(live_store, tlogic.ApplicationSettings())
        versions.use(sample_model() if model else sample_rules())
        yield Service(live_store, versions)
        wait_until(lambda: versions.learning.state != "running")


@contextmanager
def served(
    service: Service,
    access: AccessSettings | None = None,
    *,
    page: bool = False,
    limits: ConnectionLimits | None = None,
) -> Iterator[str]:
    """The address of a service behind a real web server."""
    app = create_app(service, access, page=page)
    server = uvicorn.Server(server_config(app, access or AccessSettings(), limits))
    thread = Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started or not thread.is_alive())
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def api_client(
    service: Service, access: AccessSettings | None = None, token: str | None = None
) -> Iterator[httpx.Client]:
    """An HTTP client of a service, with or without a token."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with served(service, access) as url, http_client(url, headers=headers) as client:
        yield client


def http_client(url: str, **options: Any) -> httpx.Client:
    """An HTTP client with a time limit for busy machines."""
    return httpx.Client(base_url=url, timeout=PATIENCE, **options)


def problem_text(response: httpx.Response, status: int) -> str:
    """The message of an error response, after checking its schema and that it shows no code."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    content = response.json()
    assert set(content) == {"problem", "positions", "reasons"}
    assert "Traceback" not in response.text
    assert ".py" not in response.text
    return str(content["problem"])
