"""A live service: events come in, forecasts with their reasons go out, over HTTP or from Python.

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
    from tlogic.serving.web.authentication import AccessSettings
    from tlogic.serving.web.routes import create_app

# Names are imported when they are first used: a client needs neither kernels nor a web server.
_HOMES = {
    "Client": "tlogic.serving.client",
    "EventStore": "tlogic.serving.store.event_store",
    "AccessSettings": "tlogic.serving.web.authentication",
    "Service": "tlogic.serving.engine.service",
    "ServiceError": "tlogic.serving.client",
    "create_app": "tlogic.serving.web.routes",
    "open_service": "tlogic.serving.startup",
}

__all__ = ["AccessSettings", "Client", "EventStore", "Service", "ServiceError", "create_app", "open_service"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'tlogic.serving' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
