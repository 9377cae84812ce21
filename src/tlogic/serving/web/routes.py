"""Routes of the HTTP API. Request and response bodies are defined in `schemas`."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request

from tlogic.rules.selection import Sort
from tlogic.serving import schemas
from tlogic.serving.engine.service import Service, to_queries
from tlogic.serving.engine.time_limit import TimeLimit
from tlogic.serving.web.metrics import Metrics
from tlogic.serving.web.problems import ProblemError
from tlogic.serving.web.query_parameters import refuse_unknown_parameters
from tlogic.serving.web.request_bodies import BatchRoute
from tlogic.serving.web.request_limits import LIMIT

# Forecasts block incoming events and cannot be cancelled, so a batch runs in short chunks.
_QUERIES_PER_CHUNK = 20
_MAX_PAGE_SIZE = 1000
_MAX_OFFSET = 2**31 - 1
_PROBLEMS = {
    400: "The request cannot be answered.",
    401: "A token is required.",
    403: "The token does not allow this request, or the request comes from another website.",
    404: "Unknown name, version or path.",
    405: "The path does not support this method.",
    408: "The request body was not received in time.",
    413: "The request body is too large.",
    415: "The request body is not JSON.",
    422: "The request is invalid, or a batch has invalid events; no event was added.",
    429: "Too many requests.",
    500: "Unexpected error; the log of the service has details under the given request id.",
    503: "The service is busy, or its database is unreachable; try again.",
    504: "The request timed out.",
    507: "The disk of the database is full.",
}
PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Problem, "description": description} for status, description in _PROBLEMS.items()
}


# Dependencies


async def _service(request: Request) -> Service:
    return request.app.state.service


async def _metrics(request: Request) -> Metrics:
    return request.app.state.metrics


async def _limit(request: Request) -> TimeLimit:
    return request.scope[LIMIT]


async def _slot(request: Request) -> AsyncIterator[None]:
    async with request.app.state.concurrency_limiter.slot():
        yield


ServiceDependency = Annotated[Service, Depends(_service)]
MetricsDependency = Annotated[Metrics, Depends(_metrics)]
Limited = Annotated[TimeLimit, Depends(_limit)]
Top = Annotated[int, Query(ge=1, le=schemas.MAX_CANDIDATES, description="The number of candidates to return.")]
Offset = Annotated[int, Query(ge=0, le=_MAX_OFFSET, description="The number of items to skip.")]
Limit = Annotated[int, Query(ge=1, le=_MAX_PAGE_SIZE, description="The maximum number of items to return.")]
SearchText = Annotated[
    str, Query(max_length=1000, description="Words of a name: in any order, incomplete, abbreviated or misspelled.")
]


def _query_parameters(
    relation: Annotated[schemas.Name, Query(description="The relation of the query.", examples=["sue"])],
    subject: Annotated[
        schemas.Name | None,
        Query(description="The subject; the query then asks for the object.", examples=["Kite Aviation"]),
    ] = None,
    object: Annotated[
        schemas.Name | None, Query(description="The object; the query then asks for the subject.")
    ] = None,
    at: Annotated[
        str | None, Query(max_length=100, description="The time; by default, the time step after the last event.")
    ] = None,
    without: Annotated[
        list[str] | None, Query(max_length=1000, description="Ids of rules, or kinds of evidence, to switch off.")
    ] = None,
) -> schemas.Query:
    return schemas.Query(subject=subject, relation=relation, object=object, at=at, without=without or [])


async def _query(query: Annotated[schemas.Query, Depends(_query_parameters)]) -> schemas.Query:
    return query


QueryParameters = Annotated[schemas.Query, Depends(_query)]

router = APIRouter(
    prefix="/api",
    responses=PROBLEM_RESPONSES,
    route_class=BatchRoute,
    dependencies=[Depends(refuse_unknown_parameters)],
)
_needs_slot = [Depends(_slot, scope="function")]


# Forecasts


@router.get("/forecast", tags=["forecasts"], dependencies=_needs_slot)
def forecast(
    service: ServiceDependency, metrics: MetricsDependency, limit: Limited, query: QueryParameters, top: Top = 10
) -> schemas.Forecast:
    """Rank the candidates for the missing object or subject of a query."""
    response = service.forecast(query, top, limit)
    metrics.forecasts.inc()
    return response


@router.post("/forecasts", tags=["forecasts"], dependencies=_needs_slot)
def forecasts(
    service: ServiceDependency, metrics: MetricsDependency, limit: Limited, batch: schemas.QueryBatch
) -> list[schemas.Forecast]:
    """Answer a batch of queries, in the order given.

    Events that are added meanwhile may affect later queries of the batch. Each forecast states its time and version.
    """
    with service.live_store.reading() as graph:
        to_queries(graph, batch.questions)  # report an invalid query before any is answered
    responses: list[schemas.Forecast] = []
    for first in range(0, len(batch.questions), _QUERIES_PER_CHUNK):
        limit.check()
        responses += service.forecasts(batch.questions[first : first + _QUERIES_PER_CHUNK], batch.top, limit)
    metrics.forecasts.inc(len(responses))
    return responses


@router.get("/explanation", tags=["forecasts"], dependencies=_needs_slot)
def explanation(
    service: ServiceDependency,
    limit: Limited,
    query: QueryParameters,
    candidate: Annotated[schemas.Name, Query(description="The candidate to explain.", examples=["Orchard Foods"])],
    groundings: Annotated[
        int, Query(ge=0, le=100, description="The maximum number of groundings, or facts, per reason.")
    ] = 1,
) -> schemas.Explanation:
    """Explain the score and rank of a candidate by rules, or evidence, and the facts they rely on."""
    return service.explain(query, candidate, groundings, limit)


# Monitoring


TopEvents = Annotated[
    int, Query(ge=1, le=schemas.MAX_OUTLOOK_EVENTS, description="The number of events, or changes of each kind.")
]
Since = Annotated[
    str, Query(max_length=100, description="The first date of the period, which lasts until the last event.")
]

Every = Annotated[int, Query(ge=1, le=_MAX_OFFSET, description="Forecast from every n-th time step only.")]


@router.get("/outlook", tags=["monitoring"], dependencies=_needs_slot)
def outlook(
    service: ServiceDependency,
    metrics: MetricsDependency,
    limit: Limited,
    entity: Annotated[
        schemas.Name | None,
        Query(description="Only events of this entity, as subject or object.", examples=["Kite Aviation"]),
    ] = None,
    other: Annotated[
        schemas.Name | None, Query(alias="with", description="Only events between the entity and this one.")
    ] = None,
    relation: Annotated[
        schemas.Name | None,
        Query(description="Only events of this relation; with both entities, exactly that event of the two."),
    ] = None,
    at: Annotated[
        str | None,
        Query(max_length=100, description="The first date of the period; by default, the step after the last event."),
    ] = None,
    horizon: Annotated[
        str, Query(max_length=100, description="The length of the period: `7d`, `2w`, or a number of time steps.")
    ] = "1",
    top: TopEvents = 20,
    new: Annotated[bool, Query(description="Only events that never happened before.")] = False,
    when: Annotated[bool, Query(description="Return the probability by date of each event.")] = False,
    explain: Annotated[bool, Query(description="Explain each event, for up to 100 events.")] = False,
) -> schemas.Outlook:
    """List the events that are most likely within a period: of an entity, a pair, a relation, or anywhere.

    The probability is that the event happens at least once, with nobody having asked. Needs a model: fails with 400
    while rules are in use.
    """
    found = service.monitor.outlook(
        entity, other, relation, at, horizon=horizon, top=top, new=new, when=when, explain=explain, limit=limit
    )
    metrics.outlooks.inc()
    return found


@router.post("/outlook", tags=["monitoring"], dependencies=_needs_slot)
def watch(
    service: ServiceDependency, metrics: MetricsDependency, limit: Limited, watchlist: schemas.Watchlist
) -> list[schemas.Outlook]:
    """Give the outlooks of up to 1,000 triples, full or with open parts, in the order given.

    Events that are added meanwhile may affect later outlooks. Each outlook states its period and version. Fails with
    400 while rules are in use.
    """
    found = service.monitor.watch(watchlist, limit)
    metrics.outlooks.inc(len(found))
    return found


@router.get("/surprises", tags=["monitoring"], dependencies=_needs_slot)
def surprises(
    service: ServiceDependency,
    limit: Limited,
    since: Since,
    top: TopEvents = 20,
    explain: Annotated[bool, Query(description="Explain each event, for up to 50 of both kinds.")] = False,
) -> schemas.Surprises:
    """List events that were improbable beforehand, and likely events that failed to happen, of up to 100 time steps.

    Fails with 400 while rules are in use.
    """
    return service.monitor.surprises(since, top=top, explain=explain, limit=limit)


@router.get("/backtest", tags=["monitoring"], dependencies=_needs_slot)
def backtest(service: ServiceDependency, limit: Limited, since: Since, every: Every = 1) -> schemas.Backtest:
    """Measure how good the probabilities of events were, forecast from up to 100 time steps of a period.

    Each forecast uses the events before its time step only, and is compared with what happened. Fails with 400 while
    rules are in use.
    """
    return service.monitor.backtest(since, every=every, limit=limit)


@router.get("/changes", tags=["monitoring"], dependencies=_needs_slot)
def changes(
    service: ServiceDependency,
    limit: Limited,
    since: Since,
    top: TopEvents = 10,
    horizon: Annotated[
        str | None,
        Query(max_length=100, description="Compare probabilities within this horizon, too: `7d`, `2w`, or `1`."),
    ] = None,
    explain: Annotated[bool, Query(description="Explain each change, for up to 33 of each kind.")] = False,
) -> schemas.Changes:
    """List the entities, pairs and relations whose rate of events changed most, compared to the time before.

    With a horizon, also those whose probability changed most: that of at least one event within the horizon, from the
    date on and from now on. This needs a model: it fails with 400 while rules are in use.
    """
    return service.monitor.changes(since, top=top, horizon=horizon, explain=explain, limit=limit)


# Events


@router.get("/events", tags=["events"], dependencies=_needs_slot)
def events(
    service: ServiceDependency,
    entity: Annotated[schemas.Name, Query(description="The entity.", examples=["Kite Aviation"])],
    other: Annotated[
        schemas.Name | None, Query(description="A second entity; only events between the two are returned.")
    ] = None,
    offset: Offset = 0,
    limit: Limit = 100,
) -> schemas.EventPage:
    """List the events of an entity, or between two entities, newest first."""
    return service.events(entity, other, offset, limit)


@router.post("/events", tags=["events"])
def add_events(service: ServiceDependency, metrics: MetricsDependency, batch: schemas.EventBatch) -> schemas.AddResult:
    """Add a batch of events: all of them, or none if one is invalid.

    The events are stored and visible to forecasts before the response is sent. Adding an event twice has no effect.
    """
    result = service.add(batch.events)
    metrics.events_added.inc(result.added)
    return result


@router.get("/entities", tags=["events"], dependencies=_needs_slot)
def entities(service: ServiceDependency, search: SearchText = "", limit: Limit = 20) -> schemas.EntityPage:
    """Search entities, best matches first. Without a text, list those with the most events."""
    return service.entities(search, limit)


@router.get("/relations", tags=["events"], dependencies=_needs_slot)
def relations(
    service: ServiceDependency, search: SearchText = "", limit: Limit = _MAX_PAGE_SIZE
) -> schemas.RelationPage:
    """Search relations, best matches first. Without a text, list those with the most events."""
    return service.relations(search, limit)


# Rules


@router.get("/rules", tags=["rules"], dependencies=_needs_slot)
def rules(
    service: ServiceDependency,
    head: Annotated[
        schemas.Name | None, Query(description="Only rules whose head is this relation.", examples=["sue"])
    ] = None,
    words: Annotated[str, Query(max_length=1000, description="Only rules that contain all these words.")] = "",
    length: Annotated[list[int] | None, Query(max_length=100, description="Only rules of these lengths.")] = None,
    min_confidence: Annotated[
        float, Query(ge=0.0, le=1.0, description="Only rules with at least this confidence.")
    ] = 0.0,
    sort: Annotated[Sort, Query(description="The sort order.")] = "confidence",
    offset: Offset = 0,
    limit: Limit = 100,
) -> schemas.RulePage:
    """List the rules in use that match the filters. Rules of a model have no id."""
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
def versions(service: ServiceDependency) -> schemas.Versions:
    """List all versions of rules or models, newest first."""
    return service.versions.list_all()


@router.post("/versions/{number}/use", tags=["rules"])
def use_version(service: ServiceDependency, number: Annotated[int, Path(ge=1, le=_MAX_OFFSET)]) -> schemas.Versions:
    """Restore an earlier version by storing it again as the newest. Forecasts continue meanwhile."""
    if all(each.version != number for each in service.versions.list_all().versions):
        raise ProblemError(404, f"Version {number} does not exist; see /api/versions.")
    service.versions.restore(number)
    return service.versions.list_all()


@router.post("/learn", tags=["rules"], status_code=202)
def learn(service: ServiceDependency) -> schemas.LearningStatus:
    """Start learning from all events in the background, unless it is already running. Forecasts continue meanwhile."""
    return service.versions.learn()


@router.get("/learn", tags=["rules"])
def learning(service: ServiceDependency) -> schemas.LearningStatus:
    """Return the status of learning."""
    return service.versions.learning
