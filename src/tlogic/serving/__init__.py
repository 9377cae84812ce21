"""A live service: events come in, forecasts with their reasons go out, over HTTP or from Python.

>>> from tlogic.serving import Client
>>> Client("http://127.0.0.1:8080")
Client('http://127.0.0.1:8080')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tlogic.serving.answering.service import Service
    from tlogic.serving.client import Client, ServiceError
    from tlogic.serving.starting import open_service
    from tlogic.serving.store.store import EventStore
    from tlogic.serving.web.api import create_app
    from tlogic.serving.web.guarding import Guard

# Names are imported when they are first used: a client needs neither kernels nor a web server.
_HOMES = {
    "Client": "tlogic.serving.client",
    "EventStore": "tlogic.serving.store.store",
    "Guard": "tlogic.serving.web.guarding",
    "Service": "tlogic.serving.answering.service",
    "ServiceError": "tlogic.serving.client",
    "create_app": "tlogic.serving.web.api",
    "open_service": "tlogic.serving.starting",
}

__all__ = ["Client", "EventStore", "Guard", "Service", "ServiceError", "create_app", "open_service"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'tlogic.serving' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
