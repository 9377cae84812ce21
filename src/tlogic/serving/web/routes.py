"""The HTTP API of a service. What it takes and gives is in `messages`; errors are always a `Problem`."""

from collections.abc import AsyncIterator
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

import tlogic
from tlogic.errors import TLogicError
from tlogic.parallel import thread_count
from tlogic.rules.selection import Sort
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service, to_queries
from tlogic.serving.web.api_docs import add_api_docs
from tlogic.serving.web.authentication import ROLE, AccessSettings, AuthenticationMiddleware, Role
from tlogic.serving.web.login import add_login
from tlogic.serving.web.metrics import Metrics
from tlogic.serving.web.problems import ProblemError, problem_response
from tlogic.serving.web.request_limits import DEADLINE, ConcurrencyLimiter, RequestLimitsMiddleware, too_late
from tlogic.serving.web.request_log import RequestLogMiddleware

_SLOTS_PER_CORE = 2
# While questions are answered no events come in, and work that nobody waits for goes on: so not for long.
_AT_ONCE = 20
_ABOUT = """Forecasts from temporal rules, or a model, over events as they come in, each with its reasons.

Names are matched without regard to case, spaces and underscores. Times are dates such as `2014-08-09`, or integers
where the events have those; without a time, the step after the last event is meant."""
_TAGS = [
    {"name": "forecasts", "description": "What comes next, and why."},
    {"name": "events", "description": "What happened, and to whom."},
    {"name": "rules", "description": "What answers questions, and how it is learned anew."},
    {"name": "service", "description": "How the service is."},
]
_PROBLEMS = {
    400: "The request cannot be answered as it is.",
    401: "A token is needed.",
    403: "The token does not allow this, or the request comes from another website.",
    404: "A name, a version or an address is not known.",
    405: "The method is not known here.",
    408: "The body of the request came too slowly.",
    413: "The body of the request is too large.",
    415: "The body of the request is not JSON.",
    422: "The request is not understood, or events of a batch cannot be used; none was taken.",
    429: "Too many requests.",
    500: "Something unexpected, which the log of the service tells under the given id.",
    503: "The service is busy, or its store cannot be reached; try again.",
    504: "There was no answer in time.",
    507: "The disk of the store is full.",
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Problem, "description": told} for status, told in _PROBLEMS.items()
}
_MOST_PAGED = 1000
_FARTHEST_OFFSET = 2**31 - 1


# What endpoints need


async def _service(request: Request) -> Service:
    return request.app.state.service


async def _metrics(request: Request) -> Metrics:
    return request.app.state.metrics


async def _until(request: Request) -> float:
    return request.scope[DEADLINE]


async def _slot(request: Request) -> AsyncIterator[None]:
    async with request.app.state.slots.one():
        yield


Served = Annotated[Service, Depends(_service)]
Counted = Annotated[Metrics, Depends(_metrics)]
Until = Annotated[float, Depends(_until)]
Top = Annotated[int, Query(ge=1, le=schemas.MAX_CANDIDATES, description="How many candidates to give.")]
Offset = Annotated[int, Query(ge=0, le=_FARTHEST_OFFSET, description="How many to leave out at the beginning.")]
Limit = Annotated[int, Query(ge=1, le=_MOST_PAGED, description="How many to give.")]
Text = Annotated[str, Query(max_length=1000, description="As one types it; spelling is forgiven.")]


def _asked(
    relation: Annotated[schemas.Name, Query(description="What is done.", examples=["sue"])],
    subject: Annotated[
        schemas.Name | None, Query(description="Who does it; then the object is asked.", examples=["Kite Aviation"])
    ] = None,
    object: Annotated[schemas.Name | None, Query(description="To whom it is done; then the subject is asked.")] = None,
    at: Annotated[str | None, Query(max_length=100, description="When; the next step if not given.")] = None,
    without: Annotated[
        list[str] | None, Query(max_length=1000, description="Ids of rules, or kinds of evidence, to switch off.")
    ] = None,
) -> schemas.Question:
    return schemas.Question(subject=subject, relation=relation, object=object, at=at, without=without or [])


async def _question(question: Annotated[schemas.Question, Depends(_asked)]) -> schemas.Question:
    return question


Question = Annotated[schemas.Question, Depends(_question)]

_by_token = Security(HTTPBearer(auto_error=False, description="A token for reading, or for writing too."))

router = APIRouter(prefix="/api", responses=_RESPONSES)
_at_work = [Depends(_slot, scope="function")]


# Forecasts


@router.get("/forecast", tags=["forecasts"], dependencies=_at_work)
def forecast(service: Served, metrics: Counted, question: Question, top: Top = 10) -> schemas.Forecast:
    """Who comes next in the place of what is not given, the object or the subject."""
    answer = service.forecast(question, top)
    metrics.forecasts.inc()
    return answer


@router.post("/forecasts", tags=["forecasts"], dependencies=_at_work)
def forecasts(service: Served, metrics: Counted, until: Until, asked: schemas.SplitQueries) -> list[schemas.Forecast]:
    """Answer several questions at once, in their order.

    Events that come in meanwhile may count for the later ones; each answer tells its time and its version.
    """
    with service.live_store.reading() as graph:
        to_queries(graph, asked.questions)  # what is wrong with any of them is told before any is answered
    answers: list[schemas.Forecast] = []
    for first in range(0, len(asked.questions), _AT_ONCE):
        if monotonic() > until:
            raise too_late()
        answers += service.forecasts(asked.questions[first : first + _AT_ONCE], asked.top)
    metrics.forecasts.inc(len(answers))
    return answers


@router.get("/explanation", tags=["forecasts"], dependencies=_at_work)
def explanation(
    service: Served,
    question: Question,
    candidate: Annotated[schemas.Name, Query(description="Whose score is explained.", examples=["Orchard Foods"])],
    groundings: Annotated[int, Query(ge=0, le=100, description="How many groundings, or facts, for each reason.")] = 1,
) -> schemas.Explanation:
    """Why a candidate has its score and its rank: the rules and the facts behind it."""
    return service.explain(question, candidate, groundings)


@router.get("/outlook", tags=["forecasts"], dependencies=_at_work)
def outlook(
    service: Served,
    entity: Annotated[schemas.Name, Query(description="About whom.", examples=["Kite Aviation"])],
    at: Annotated[str | None, Query(max_length=100, description="When; the next step if not given.")] = None,
    limit: Annotated[int, Query(ge=1, le=100, description="How many to give.")] = 10,
) -> schemas.Outlook:
    """What is likely next for an entity, over all relations."""
    return service.outlook(entity, at, limit)


# Events


@router.get("/events", tags=["events"], dependencies=_at_work)
def events(
    service: Served,
    entity: Annotated[schemas.Name, Query(description="Whose events.", examples=["Kite Aviation"])],
    other: Annotated[schemas.Name | None, Query(description="Only those with this one.")] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> schemas.EventPage:
    """The events of an entity, or of a pair, newest first."""
    return service.events(entity, other, offset, limit)


@router.post("/events", tags=["events"])
def add_events(service: Served, metrics: Counted, batch: schemas.Events) -> schemas.Added:
    """Add a batch of events, whole or not at all; they are kept, and count, before the answer is given.

    To send the same events again changes nothing.
    """
    added = service.add(batch.events)
    metrics.events_added.inc(added.added)
    return added


@router.get("/entities", tags=["events"], dependencies=_at_work)
def entities(service: Served, search: Text = "", limit: Limit = 20) -> schemas.EntityPage:
    """The entities that a text may mean, best matches first; the busiest without one."""
    return service.entities(search, limit)


@router.get("/relations", tags=["events"], dependencies=_at_work)
def relations(service: Served, search: Text = "", limit: Limit = _MOST_PAGED) -> schemas.RelationPage:
    """The relations that a text may mean, best matches first; the most frequent without one."""
    return service.relations(search, limit)


# Rules


@router.get("/rules", tags=["rules"], dependencies=_at_work)
def rules(
    service: Served,
    head: Annotated[schemas.Name | None, Query(description="Only rules about this relation.", examples=["sue"])] = None,
    words: Annotated[str, Query(max_length=1000, description="Words that are all in the rule.")] = "",
    length: Annotated[list[int] | None, Query(max_length=100, description="Only rules of these lengths.")] = None,
    min_confidence: Annotated[float, Query(ge=0.0, le=1.0, description="Only rules that hold so often.")] = 0.0,
    sort: Annotated[Sort, Query(description="What comes first.")] = "confidence",
    offset: Offset = 0,
    limit: Limit = 100,
) -> schemas.RulePage:
    """The rules of the version in use that fit; a model has none."""
    return service.rules(
        head=head,
        words=words,
        lengths=length or (),
        min_confidence=min_confidence,
        sort=sort,
        offset=offset,
        limit=limit,
    )


@router.get("/versions", tags=["rules"])
def versions(service: Served) -> schemas.Versions:
    """All versions of rules, or of a model, newest first."""
    return service.versions.kept()


@router.post("/versions/{number}/use", tags=["rules"])
def use_version(service: Served, number: Annotated[int, Path(ge=1, le=_FARTHEST_OFFSET)]) -> schemas.Versions:
    """Go back to an earlier version, which is kept once more as the newest; forecasts go on meanwhile."""
    if all(each.version != number for each in service.versions.kept().versions):
        raise ProblemError(404, f"There is no version {number} of rules or a model; see /api/versions.")
    service.versions.restore(number)
    return service.versions.kept()


@router.post("/learn", tags=["rules"], status_code=202)
def learn(service: Served) -> schemas.Learning:
    """Begin to learn anew from all events; forecasts go on meanwhile. It is learned once at a time."""
    return service.versions.learn()


@router.get("/learn", tags=["rules"])
def learning(service: Served) -> schemas.Learning:
    """How learning anew stands."""
    return service.versions.learning


# The application


def create_app(service: Service, guard: AccessSettings | None = None, *, page: bool = True) -> FastAPI:
    """The web application of a service, behind a guard; with the page for people unless that is not wanted.

    >>> from tempfile import TemporaryDirectory
    >>> from tlogic.serving.startup import open_service
    >>> from tlogic.events.sample.simulation import sample_events
    >>> from tlogic.serving.store.encoded_events import EncodedEvents
    >>> from tlogic.serving.store.event_store import EventStore
    >>> with TemporaryDirectory() as folder, EventStore.open(f"{folder}/events.db") as store:
    ...     added = store.add(EncodedEvents.from_table(sample_events(days=30)))
    ...     app = create_app(open_service(store), page=False)
    >>> app.title
    'tlogic'
    """
    guard, metrics = guard or AccessSettings(), Metrics(service)
    # The usual pages at /docs load their scripts from elsewhere, so they are replaced.
    app = FastAPI(
        title="tlogic",
        version=tlogic.__version__,
        description=_ABOUT,
        openapi_tags=_TAGS,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service, app.state.metrics = service, metrics
    app.state.slots = ConcurrencyLimiter(_SLOTS_PER_CORE * thread_count(None), guard.patience)
    _add_own_routes(app)
    # The guard has looked at tokens before; this tells of them.
    app.include_router(router, dependencies=[] if guard.is_open else [_by_token])
    _refuse_the_rest(app)
    add_login(app, guard)
    add_api_docs(app)
    for kind in (TLogicError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _tell)
    if page:
        from tlogic.serving.page import mount_page

        mount_page(app, service)
    # The last one is the first to see a request.
    app.add_middleware(RequestLimitsMiddleware, max_body=guard.max_body, timeout=guard.timeout)
    app.add_middleware(AuthenticationMiddleware, guard=guard)
    app.add_middleware(RequestLogMiddleware, metrics=metrics)
    return app


def _add_own_routes(app: FastAPI) -> None:
    @app.get("/health", tags=["service"], responses={status: _RESPONSES[status] for status in (400, 403, 429, 504)})
    def health(service: Served, request: Request) -> schemas.Health | schemas.Alive:
        """Whether the service is well, and for those who may read what it knows; no token is needed."""
        found = service.health()
        return schemas.Alive(status=found.status) if request.scope[ROLE] is Role.stranger else found

    @app.get("/metrics", tags=["service"], include_in_schema=False)
    def metrics(counted: Counted) -> Response:
        return Response(counted.text(), media_type="text/plain; version=0.0.4")


def _refuse_the_rest(app: FastAPI) -> None:
    """Whatever is not known under /api is an error, and no matter for the page, which has all other addresses."""

    @app.api_route("/api/{rest:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
    async def send_problem(request: Request) -> None:
        partly = [route for route in router.routes if route.matches(request.scope)[0] is Match.PARTIAL]
        if not partly:
            raise HTTPException(404)
        allowed = {method for route in partly for method in getattr(route, "methods", None) or ()}
        raise HTTPException(405, headers={"Allow": ", ".join(sorted(allowed))})


async def _tell(_request: Request, error: Exception) -> Response:
    return problem_response(error)
