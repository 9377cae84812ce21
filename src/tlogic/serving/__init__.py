"""A live service: it stores events as they arrive, and answers queries with explained forecasts over HTTP.

The public names are imported on first use, so that a client loads neither the kernels nor a web server:

- `Client`: the Python client of a running service.
- `ServiceError`: the error that a client raises.
- `EventStore`: the events of a service in SQLite or PostgreSQL.
- `open_service`: opens a service over a store.
- `Service`: forecasts, explanations, events and rules of a store.
- `create_app`: the web application of a service.
- `AccessSettings`: tokens and request limits of a web application.

Example:
    >>> from tlogic.serving import Client
    >>> Client("http://127.0.0.1:8080")
    Client('http://127.0.0.1:8080')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tlogic.serving.client import Client, ServiceError
    from tlogic.serving.engine.service import Service
    from tlogic.serving.startup import open_service
    from tlogic.serving.store.event_store import EventStore
    from tlogic.serving.web.settings import AccessSettings
    from tlogic.serving.web.web_app import create_app

_MODULES = {
    "AccessSettings": "tlogic.serving.web.settings",
    "Client": "tlogic.serving.client",
    "EventStore": "tlogic.serving.store.event_store",
    "Service": "tlogic.serving.engine.service",
    "ServiceError": "tlogic.serving.client",
    "create_app": "tlogic.serving.web.web_app",
    "open_service": "tlogic.serving.startup",
}

__all__ = ["AccessSettings", "Client", "EventStore", "Service", "ServiceError", "create_app", "open_service"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'tlogic.serving' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES])
