"""The web application of a service: routes, middleware and the page."""

from typing import Any

from fastapi import FastAPI, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from tlogic.errors import TLogicError
from tlogic.parallel import thread_count
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service
from tlogic.serving.web.api_docs import add_api_docs
from tlogic.serving.web.authentication import AuthenticationMiddleware, GuessLimiter
from tlogic.serving.web.liveness import LivenessCheck
from tlogic.serving.web.login import add_login
from tlogic.serving.web.metrics import Metrics
from tlogic.serving.web.problems import problem_response
from tlogic.serving.web.request_limits import ConcurrencyLimiter, RequestLimitsMiddleware
from tlogic.serving.web.request_log import RequestLogMiddleware
from tlogic.serving.web.routes import PROBLEM_RESPONSES, MetricsDependency, router
from tlogic.serving.web.settings import ROLE, AccessSettings, Role
from tlogic.version import __version__

_SLOTS_PER_CORE = 2
_DESCRIPTION = """Explainable forecasts over live events, from temporal rules or a model.

Names match regardless of case, spaces and underscores. Times are dates such as `2014-08-09`, or integers if the events
use integers. By default, a query is about the time step after the last event."""
_TAGS = [
    {"name": "forecasts", "description": "Forecasts and their explanations."},
    {"name": "monitoring", "description": "Likely, surprising and changed events."},
    {"name": "events", "description": "Events, entities and relations."},
    {"name": "rules", "description": "Rules, versions and learning."},
    {"name": "service", "description": "Status of the service."},
]

_bearer_token = Security(HTTPBearer(auto_error=False, description="The read token or the write token."))


def create_app(service: Service, access: AccessSettings | None = None, *, page: bool = True) -> FastAPI:
    """Create the web application of a service, to run with any ASGI server.

    Args:
        service: The service, such as `open_service` returns.
        access: Tokens and limits. By default, only local requests are accepted, with full access.
        page: Whether to serve the page for browsers beside the API.

    Returns:
        The FastAPI application.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from tlogic.events.sample.simulation import sample_events
        >>> from tlogic.serving.startup import open_service
        >>> from tlogic.serving.store.encoded_events import EncodedEvents
        >>> from tlogic.serving.store.event_store import EventStore
        >>> with TemporaryDirectory() as folder, EventStore.open(f"{folder}/events.db") as store:
        ...     added = store.add(EncodedEvents.from_table(sample_events(days=30)))
        ...     app = create_app(open_service(store), page=False)
        >>> app.title
        'tlogic'
    """
    access, metrics = access or AccessSettings(), Metrics(service)
    # FastAPI's own /docs loads scripts from a CDN; add_api_docs replaces it.
    app = FastAPI(
        title="tlogic",
        version=__version__,
        description=_DESCRIPTION,
        openapi_tags=_TAGS,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service, app.state.metrics = service, metrics
    app.state.concurrency_limiter = ConcurrencyLimiter(_SLOTS_PER_CORE * thread_count(None), access.queue_timeout)
    _add_status_routes(app, service)
    # The middleware checks tokens; this dependency only documents them.
    app.include_router(router, dependencies=[] if access.is_local_only else [_bearer_token])
    _add_fallback_route(app)
    guesses = GuessLimiter(access)
    add_login(app, access, guesses)
    add_api_docs(app)
    for kind in (TLogicError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _handle_error)
    if page:
        from tlogic.serving.page import mount_page

        mount_page(app, service)
    # The middleware added last sees a request first.
    app.add_middleware(RequestLimitsMiddleware, max_body=access.max_body, timeout=access.timeout)
    app.add_middleware(AuthenticationMiddleware, access=access, guesses=guesses)
    app.add_middleware(RequestLogMiddleware, metrics=metrics)
    return app


def _add_status_routes(app: FastAPI, service: Service) -> None:
    liveness = LivenessCheck(service)
    responses: dict[int | str, dict[str, Any]] = {status: PROBLEM_RESPONSES[status] for status in (400, 403, 429, 504)}

    @app.get("/health", tags=["service"], responses=responses)
    async def health(request: Request) -> schemas.Health | schemas.Liveness:
        """Return the status of the service. No token is required; without one, only the status itself is returned."""
        if request.scope[ROLE] is Role.stranger:
            return await liveness.status()
        return await run_in_threadpool(service.health)

    @app.get("/metrics", tags=["service"], include_in_schema=False)
    def metrics(metrics: MetricsDependency) -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")


def _add_fallback_route(app: FastAPI) -> None:
    """Respond with an error to unknown paths below /api. All other paths belong to the page."""

    @app.api_route("/api/{rest:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
    async def unknown_path(request: Request) -> None:
        other_methods = [route for route in router.routes if route.matches(request.scope)[0] is Match.PARTIAL]
        if not other_methods:
            raise HTTPException(404)
        allowed = {method for route in other_methods for method in getattr(route, "methods", None) or ()}
        raise HTTPException(405, headers={"Allow": ", ".join(sorted(allowed))})


def _handle_error(_request: Request, error: Exception) -> Response:
    """Respond with a message. Called in a thread, because a message may need a search for similar names."""
    return problem_response(error)
