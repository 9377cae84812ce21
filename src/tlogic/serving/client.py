"""Python client of a running service. It returns the schemas of the HTTP API."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Self, TypeVar

from tlogic.errors import InputError, TLogicError

try:
    import httpx
    from pydantic import ValidationError

    from tlogic.serving import schemas
except ImportError as error:
    raise InputError(f"The client needs a package that is missing ({error}); pip install 'tlogic[serve]'.") from error

EVENTS_PER_BATCH = 1000
_ITEMS_PER_PAGE = 1000
_MAX_RETRIES = 5
_TOO_MANY_REQUESTS = 429

Response = TypeVar("Response", bound=schemas.Schema)
AnyTime = schemas.Time | date
AnyEvent = schemas.Event | Mapping[str, Any] | Sequence[Any]
AnyTriple = schemas.WatchedTriple | Mapping[str, Any] | Sequence[Any]


class ServiceError(TLogicError):
    """The service refused a request, or is unreachable.

    Args:
        problem: The error message.
        status: The HTTP status, or None if there was no response.
        positions: For a batch of events, the positions of the invalid events, counted from 0.
        reasons: What is wrong with each of them.

    Example:
        >>> try:
        ...     client.forecast("Kite Avation", "sue")
        ... except ServiceError as error:
        ...     print(error.status)
        404
    """

    def __init__(
        self, problem: str, status: int | None = None, positions: Sequence[int] = (), reasons: Sequence[str] = ()
    ) -> None:
        super().__init__(problem)
        self.status, self.positions, self.reasons = status, list(positions), list(reasons)


class Client:
    """Client of a service that `tlogic serve` runs.

    All methods raise a `ServiceError` if the service refuses the request or is unreachable. If the service responds
    that there are too many requests, the client waits and tries again.

    Args:
        url: The address of the service.
        token: The read or write token, if the service has tokens.
        timeout: Seconds to wait for a response.

    Example:
        >>> with Client("http://127.0.0.1:8080", token="a-token-for-reading") as reader:
        ...     print(reader)
        Client('http://127.0.0.1:8080')
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = 90.0) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.url = url.rstrip("/")
        self._http = httpx.Client(base_url=self.url, headers=headers, timeout=timeout)

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections. A ``with`` statement does this automatically.

        Example:
            >>> reader = Client("http://127.0.0.1:8080")
            >>> reader.close()
        """
        self._http.close()

    # Forecasts

    def forecast(
        self,
        subject: str | None = None,
        relation: str = "",
        object: str | None = None,
        at: AnyTime | None = None,
        *,
        top: int = 10,
        without: Sequence[str] = (),
    ) -> schemas.Forecast:
        """Rank the candidates for the missing object or subject of a query.

        Args:
            subject: The subject. Leave it out to ask for the subject.
            relation: The relation.
            object: The object. Leave it out to ask for the object.
            at: The time of the query; by default, the time step after the last event.
            top: The number of candidates to return.
            without: Ids of rules, or kinds of evidence of a model, to switch off.

        Returns:
            The candidates, best first, and the true answers if the time has passed.

        Raises:
            ServiceError: If the query is invalid, has an unknown name, or the service is unreachable.

        Example:
            >>> forecast = client.forecast("Kite Aviation", "sue", top=3)
            >>> len(forecast.candidates), forecast.candidates[0].rank
            (3, 1)
        """
        fields = {"subject": subject, "relation": relation, "object": object, "at": at, "without": list(without)}
        return self.forecasts([_query(fields)], top=top)[0]

    def forecasts(self, queries: Iterable[schemas.Query], *, top: int = 10) -> list[schemas.Forecast]:
        """Answer many queries. They are sent in batches of 1,000.

        Args:
            queries: The queries.
            top: The number of candidates to return for each query.

        Returns:
            The forecasts, in the order of the queries.

        Raises:
            ServiceError: If a query is invalid, has an unknown name, or the service is unreachable.

        Example:
            >>> from tlogic.serving.schemas import Query
            >>> days = ["2030-03-01", "2030-04-01"]
            >>> queries = [Query(subject="Kite Aviation", relation="sue", at=day) for day in days]
            >>> [forecast.question.at for forecast in client.forecasts(queries)]
            ['2030-03-01', '2030-04-01']
        """
        forecasts: list[schemas.Forecast] = []
        for batch in _batches(queries, schemas.MAX_QUERIES):
            body = schemas.QueryBatch(questions=batch, top=top).model_dump()
            responses = self._send("POST", "/api/forecasts", json=body)
            forecasts += [schemas.Forecast.model_validate(each) for each in responses]
        return forecasts

    def explain(
        self,
        subject: str | None = None,
        relation: str = "",
        object: str | None = None,
        at: AnyTime | None = None,
        *,
        candidate: str,
        groundings: int = 1,
        without: Sequence[str] = (),
    ) -> schemas.Explanation:
        """Explain the score and rank of a candidate.

        Args:
            subject: The subject. Leave it out if the query asks for the subject.
            relation: The relation.
            object: The object. Leave it out if the query asks for the object.
            at: The time of the query; by default, the time step after the last event.
            candidate: The entity to explain.
            groundings: The maximum number of groundings, or facts, per reason.
            without: Ids of rules, or kinds of evidence of a model, to switch off.

        Returns:
            The reasons: rules with the facts they rely on, or the evidence of a model.

        Raises:
            ServiceError: If the query is invalid, has an unknown name, or the service is unreachable.

        Example:
            >>> best = client.forecast("Kite Aviation", "sue").candidates[0]
            >>> client.explain("Kite Aviation", "sue", candidate=best.name).rank
            1
        """
        fields = {"subject": subject, "relation": relation, "object": object, "at": at, "without": list(without)}
        return self._get(schemas.Explanation, "/api/explanation", **fields, candidate=candidate, groundings=groundings)

    # Monitoring

    def outlook(
        self,
        entity: str | None = None,
        other: str | None = None,
        relation: str | None = None,
        at: AnyTime | None = None,
        *,
        horizon: str | int = 1,
        top: int = 20,
        new: bool = False,
        when: bool = False,
        explain: bool = False,
    ) -> schemas.Outlook:
        """List the events that are most likely within a period, with the probability of each.

        Args:
            entity: Only events of this entity, as subject or object. Without any name, events anywhere.
            other: Only events between the entity and this one.
            relation: Only events of this relation. With both entities, the event is exactly that: the first one does
                it to the other one.
            at: The first date of the period; by default, the time step after the last event.
            horizon: The length of the period: a number of time steps, or a span such as "7d".
            top: The number of events to return, up to 1,000.
            new: Whether to return only events that never happened before.
            when: Whether to return the probability by date of each event.
            explain: Whether to explain each event, for up to 100 events.

        Returns:
            The events, the most probable first.

        Raises:
            ServiceError: If a name is unknown, a setting is out of range, rules are in use instead of a model, or the
                service is unreachable.

        Example:
            >>> likely = client.outlook("Kite Aviation", horizon="7d", top=3)
            >>> len(likely.events), likely.since, likely.until
            (3, '2030-05-01', '2030-05-07')
        """
        scope = {"entity": entity, "with": other, "relation": relation, "at": at, "horizon": horizon}
        return self._get(schemas.Outlook, "/api/outlook", **scope, top=top, new=new, when=when, explain=explain)

    def watch(
        self,
        triples: Iterable[AnyTriple],
        at: AnyTime | None = None,
        *,
        horizon: str | int = 1,
        top: int = 20,
        new: bool = False,
        when: bool = False,
        explain: bool = False,
    ) -> list[schemas.Outlook]:
        """Give the outlooks of many triples, full or with open parts. They are sent in batches.

        Args:
            triples: `WatchedTriple` schemas, mappings, or tuples of subject, relation and object; None for what is
                open.
            at: The first date of the period; by default, the time step after the last event.
            horizon: The length of the period: a number of time steps, or a span such as "7d".
            top: The number of events to return for a triple with open parts.
            new: Whether to return only events that never happened before.
            when: Whether to return the probability by date of each event.
            explain: Whether to explain each event.

        Returns:
            One outlook per triple, in the order given.

        Raises:
            ServiceError: If a name is unknown, a setting is out of range, rules are in use instead of a model, or the
                service is unreachable.

        Example:
            >>> [watched] = client.watch([("Kite Aviation", "sue", "Meadow Textiles")], horizon="7d")
            >>> watched.events[0].probability < 0.5
            True
        """
        settings = _with_text_dates({"at": at, "horizon": horizon, "top": top, "new": new})
        settings |= {"when": when, "explain": explain}
        outlooks: list[schemas.Outlook] = []
        most = schemas.MAX_EXPLAINED_EVENTS if explain else schemas.MAX_WATCHED_EVENTS
        size = min(max(most // max(top, 1), 1), schemas.MAX_WATCHED_TRIPLES)
        for batch in _batches(map(_triple_fields, triples), size):
            responses = self._send("POST", "/api/outlook", json={"triples": batch, **settings})
            outlooks += [schemas.Outlook.model_validate(each) for each in responses]
        return outlooks

    def surprises(self, since: AnyTime, *, top: int = 20, explain: bool = False) -> schemas.Surprises:
        """Find the events since a date that were least probable beforehand, and likely events that failed to happen.

        Args:
            since: The first date of the period, which lasts until the last event; up to 100 time steps before it.
            top: The number of both to return, up to 1,000.
            explain: Whether to explain each event, for up to 50 of both.

        Returns:
            The events, each with the probability that it had on its date, the most surprising first.

        Raises:
            ServiceError: If there are no events before the date or none since, if the period is too long, if rules are
                in use instead of a model, or if the service is unreachable.

        Example:
            >>> found = client.surprises("2030-04-24", top=5)
            >>> len(found.events), len(found.missing)
            (5, 5)
        """
        return self._get(schemas.Surprises, "/api/surprises", since=since, top=top, explain=explain)

    def backtest(self, since: AnyTime, *, every: int = 1) -> schemas.Backtest:
        """Measure how good the probabilities of events were in a period, each from the events before it.

        Args:
            since: The first date of the period, which lasts until the last event.
            every: Forecast from every n-th time step only, so that there are up to 100.

        Returns:
            The figures for recurring and new events, a table of reliability, and the largest misses.

        Raises:
            ServiceError: If there are no events before the date or none since, if there are too many time steps, if it
                takes longer than the time limit of the service, if rules are in use instead of a model, or if the
                service is unreachable.

        Example:
            >>> measured = client.backtest("2030-04-24", every=3)
            >>> measured.time_steps, measured.figures[0].horizon, measured.figures[0].kind
            (3, 1, 'recurring')
        """
        return self._get(schemas.Backtest, "/api/backtest", since=since, every=every)

    def changes(
        self, since: AnyTime, *, top: int = 10, horizon: str | int | None = None, explain: bool = False
    ) -> schemas.Changes:
        """Find the entities, pairs and relations whose rate of events, or probability, changed most.

        Args:
            since: The first date of the period of interest, which lasts until the last event. It is compared to the
                time before: up to four times as long.
            top: The number of changes of each kind to return, up to 1,000.
            horizon: Compare the probabilities of at least one event within this horizon, too: a number of time steps,
                or a span such as "7d".
            explain: Whether to explain each change by the events behind it, for up to 33 of each kind.

        Returns:
            The changes with the values before and after, the largest first.

        Raises:
            ServiceError: If there are no events before the date or none since, or if the service is unreachable. With a
                horizon, also if it is out of range, or if rules are in use instead of a model.

        Example:
            >>> [change.kind for change in client.changes("2030-04-24", top=1).changes]
            ['entity', 'pair', 'relation']
        """
        return self._get(schemas.Changes, "/api/changes", since=since, top=top, horizon=horizon, explain=explain)

    # Events

    def add(self, events: Iterable[AnyEvent], *, batch: int = EVENTS_PER_BATCH) -> schemas.AddResult:
        """Add events. Events that the service already has are counted, and not added again.

        Events are sent in batches. Either all events of a batch are added or none. After an error, it is safe to send
        all events again.

        Args:
            events: `Event` schemas, mappings, or tuples of subject, relation, object and time.
            batch: The number of events per batch, up to 10,000.

        Returns:
            The number of new events, of events that were already stored, and of all events in the store.

        Raises:
            ServiceError: If an event is invalid, the token does not allow writing, or the service is unreachable. For
                invalid events, `positions` and `reasons` say which and why.

        Example:
            >>> client.add([("Orchard Foods", "bid_for", "Kite Aviation", "2030-04-30")]).added
            1
        """
        added = known = total = sent = 0
        for each in _batches(map(_event_fields, events), batch):
            result = schemas.AddResult.model_validate(self._add(each, sent))
            added, known, total, sent = added + result.added, known + result.known, result.total, sent + len(each)
        return schemas.AddResult(added=added, known=known, total=total if sent else self.health().events)

    def events(self, entity: str, other: str | None = None) -> Iterator[schemas.Fact]:
        """Iterate over the events of an entity, or between two entities, newest first.

        Args:
            entity: The entity.
            other: A second entity; then only events between the two are returned.

        Returns:
            An iterator over the events. It requests one page at a time.

        Raises:
            ServiceError: If an entity is unknown, or the service is unreachable.

        Example:
            >>> newest = next(client.events("Kite Aviation"))
            >>> "Kite Aviation" in (newest.subject, newest.object)
            True
        """
        return self._pages(schemas.EventPage, "events", "/api/events", entity=entity, other=other)

    def entities(self, search: str = "", *, limit: int = 20) -> list[schemas.Entity]:
        """Search entities by name. Words may be in any order, incomplete, abbreviated or misspelled.

        Args:
            search: Words of a name, or initials. Without it, the entities with the most events are returned.
            limit: The maximum number of entities to return, up to 1,000.

        Returns:
            The entities, best matches first.

        Raises:
            ServiceError: If the service is unreachable.

        Example:
            >>> client.entities("kite avation")[0].name
            'Kite Aviation'
        """
        return self._get(schemas.EntityPage, "/api/entities", search=search, limit=limit).entities

    def relations(self, search: str = "", *, limit: int = _ITEMS_PER_PAGE) -> list[schemas.Relation]:
        """Search relations by name. Words may be in any order, incomplete, abbreviated or misspelled.

        Args:
            search: Words of a name, or initials. Without it, all relations are returned, the most frequent first.
            limit: The maximum number of relations to return, up to 1,000.

        Returns:
            The relations, best matches first.

        Raises:
            ServiceError: If the service is unreachable.

        Example:
            >>> client.relations("bid for")[0].name
            'bid_for'
        """
        return self._get(schemas.RelationPage, "/api/relations", search=search, limit=limit).relations

    # Rules

    def rules(
        self,
        head: str | None = None,
        *,
        words: str = "",
        lengths: Sequence[int] = (),
        min_confidence: float = 0.0,
        sort: str = "confidence",
    ) -> Iterator[schemas.Rule]:
        """Iterate over the rules in use that match the filters.

        Args:
            head: Only rules whose head is this relation.
            words: Only rules that contain all these words.
            lengths: Only rules of these lengths.
            min_confidence: Only rules with at least this confidence.
            sort: "confidence", "support", "length", "head" or "name".

        Returns:
            An iterator over the rules. It requests one page at a time.

        Raises:
            ServiceError: If a filter is invalid, or the service is unreachable.

        Example:
            >>> {rule.head for rule in client.rules("sue", min_confidence=0.1)}
            {'sue'}
        """
        filters = {"head": head, "words": words, "length": list(lengths), "min_confidence": min_confidence}
        return self._pages(schemas.RulePage, "rules", "/api/rules", **filters, sort=sort)

    def versions(self) -> list[schemas.Version]:
        """List all stored versions of rules or models.

        Returns:
            The versions, newest first.

        Raises:
            ServiceError: If the service is unreachable.

        Example:
            >>> client.versions()[0].in_use
            True
        """
        return self._get(schemas.Versions, "/api/versions").versions

    def use(self, version: int) -> list[schemas.Version]:
        """Restore an earlier version by storing it again as the newest.

        Args:
            version: The number of the version.

        Returns:
            All versions, newest first.

        Raises:
            ServiceError: If the version does not exist, the token does not allow writing, or the service is
                unreachable.

        Example:
            >>> client.use(1)[0].in_use
            True
        """
        return schemas.Versions.model_validate(self._send("POST", f"/api/versions/{version:d}/use")).versions

    def learn(self, *, wait: bool = True, poll: float = 0.2) -> schemas.LearningStatus:
        """Learn rules, or fit the model, again from all events.

        Args:
            wait: Whether to wait until learning is done.
            poll: Seconds between two checks of the status.

        Returns:
            The status of learning, with the number of the new version once it is done.

        Raises:
            ServiceError: If learning fails, the token does not allow writing, or the service is unreachable.

        Example:
            >>> client.learn().state
            'done'
        """
        status = schemas.LearningStatus.model_validate(self._send("POST", "/api/learn"))
        while wait and status.state == "running":
            time.sleep(poll)
            status = self._get(schemas.LearningStatus, "/api/learn")
        if wait and status.state == "failed":
            raise ServiceError(f"Learning failed: {status.problem}")
        return status

    # Status

    def health(self) -> schemas.Health:
        """Get the status of the service and the size of its data.

        Returns:
            The status, the number of events, entities and relations, and the version in use.

        Raises:
            ServiceError: If the service needs a token for this, or is unreachable.

        Example:
            >>> client.health().status
            'ok'
        """
        found = self._send("GET", "/health")
        if "version" not in found:
            raise ServiceError(f"The status is {found.get('status')!r}; a token is required for details.", 401)
        return schemas.Health.model_validate(found)

    def _get(self, schema: type[Response], path: str, **parameters: Any) -> Response:
        given = _with_text_dates({name: value for name, value in parameters.items() if value is not None})
        return schema.model_validate(self._send("GET", path, params=given))

    def _pages(self, page: type[Any], name: str, path: str, **parameters: Any) -> Iterator[Any]:
        offset, total = 0, 1
        while offset < total:
            found = self._get(page, path, **parameters, offset=offset, limit=_ITEMS_PER_PAGE)
            offset, total = offset + _ITEMS_PER_PAGE, found.total
            yield from getattr(found, name)

    def _add(self, batch: Sequence[dict[str, Any]], sent: int) -> Any:
        try:
            return self._send("POST", "/api/events", json={"events": batch})
        except ServiceError as error:
            positions = [sent + position for position in error.positions]
            before = f"\nThe first {sent:,} events were added." if sent else ""
            raise ServiceError(f"{error}{before}", error.status, positions, error.reasons) from None

    def _send(self, method: str, path: str, **content: Any) -> Any:
        try:
            response = self._http.request(method, path, **content)
            for _ in range(_MAX_RETRIES):
                if response.status_code != _TOO_MANY_REQUESTS:
                    break
                time.sleep(float(response.headers.get("Retry-After", 1)))
                response = self._http.request(method, path, **content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServiceError(f"Cannot reach {self.url} ({error or type(error).__name__}).") from error
        return _content(response)


def _content(response: httpx.Response) -> Any:
    try:
        content = response.json()
    except ValueError:
        raise ServiceError(
            f"{response.url.host} did not respond with JSON; is it a tlogic service?", response.status_code
        ) from None
    if response.is_success:
        return content
    try:
        problem = schemas.Problem.model_validate(content)
    except ValueError:
        raise ServiceError(
            f"{response.url.host} responded with status {response.status_code}.", response.status_code
        ) from None
    raise ServiceError(problem.problem, response.status_code, problem.positions, problem.reasons)


def _event_fields(event: AnyEvent) -> dict[str, Any]:
    if isinstance(event, schemas.Event):
        return event.model_dump()
    fields = event if isinstance(event, Mapping) else dict(zip(schemas.Event.model_fields, event, strict=True))
    return _with_text_dates(fields)


def _triple_fields(triple: AnyTriple) -> dict[str, Any]:
    if isinstance(triple, schemas.WatchedTriple):
        return triple.model_dump()
    if isinstance(triple, Mapping):
        return dict(triple)
    return dict(zip(schemas.WatchedTriple.model_fields, triple, strict=True))


def _query(fields: Mapping[str, Any]) -> schemas.Query:
    try:
        return schemas.Query(**_with_text_dates(fields))
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise ServiceError(f"The query is invalid ({wrong}).") from None


def _with_text_dates(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, date) else value for name, value in fields.items()}


def _batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
