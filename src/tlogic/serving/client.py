"""A client for a service, in the words of its API."""

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
    raise InputError(f"A client needs a package ({error}); pip install 'tlogic[serve]'.") from error

BATCH = 1000
_PAGE = 1000
_MOST_TRIES = 5
_TOO_MANY_REQUESTS = 429

Answer = TypeVar("Answer", bound=schemas.Message)
AnyTime = schemas.Time | date
AnyEvent = schemas.Event | Mapping[str, Any] | Sequence[Any]


class ServiceError(TLogicError):
    """The service refuses, or cannot be reached; of a batch of events, ``positions`` tells which are bad, and why."""

    def __init__(
        self, problem: str, status: int | None = None, positions: Sequence[int] = (), reasons: Sequence[str] = ()
    ) -> None:
        super().__init__(problem)
        self.status, self.positions, self.reasons = status, list(positions), list(reasons)


class Client:
    """Asks a service, such as ``tlogic serve`` runs, and tells it what happened.

    >>> with Client("http://127.0.0.1:8080", token="a-token-for-reading") as client:
    ...     print(client)
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
        """Close all connections."""
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
        """Who comes next in the place of what is not given, the object or the subject."""
        asked = {"subject": subject, "relation": relation, "object": object, "at": at, "without": list(without)}
        return self.forecasts([_question(asked)], top=top)[0]

    def forecasts(self, questions: Iterable[schemas.Question], *, top: int = 10) -> list[schemas.Forecast]:
        """The answers to many questions, in their order."""
        answers: list[schemas.Forecast] = []
        for some in _batches(questions, schemas.MAX_QUERIES):
            found = self._ask("POST", "/api/forecasts", json=schemas.SplitQueries(questions=some, top=top).model_dump())
            answers += [schemas.Forecast.model_validate(each) for each in found]
        return answers

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
        """Why a candidate has its score and its rank."""
        asked = {"subject": subject, "relation": relation, "object": object, "at": at, "without": list(without)}
        return self._get(schemas.Explanation, "/api/explanation", **asked, candidate=candidate, groundings=groundings)

    def outlook(self, entity: str, at: AnyTime | None = None, *, limit: int = 10) -> schemas.Outlook:
        """What is likely next for an entity, over all relations."""
        return self._get(schemas.Outlook, "/api/outlook", entity=entity, at=at, limit=limit)

    # Events

    def add(self, events: Iterable[AnyEvent], *, batch: int = BATCH) -> schemas.Added:
        """Add events: `Event` messages, mappings, or tuples of subject, relation, object and time.

        They are sent in batches, each of which is taken whole or not at all. After an error, all can be sent again:
        those that were taken are known.
        """
        added = known = total = sent = 0
        for some in _batches(map(_as_event, events), batch):
            found = schemas.Added.model_validate(self._add(some, sent))
            added, known, total, sent = added + found.added, known + found.known, found.total, sent + len(some)
        return schemas.Added(added=added, known=known, total=total if sent else self.health().events)

    def events(self, entity: str, other: str | None = None) -> Iterator[schemas.Fact]:
        """The events of an entity, or of a pair, newest first."""
        return self._pages(schemas.EventPage, "events", "/api/events", entity=entity, other=other)

    def entities(self, search: str = "", *, limit: int = 20) -> list[schemas.Entity]:
        """The entities that a text may mean, best matches first."""
        return self._get(schemas.EntityPage, "/api/entities", search=search, limit=limit).entities

    def relations(self, search: str = "", *, limit: int = _PAGE) -> list[schemas.Relation]:
        """The relations that a text may mean, best matches first."""
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
        """The rules of the version in use that fit."""
        chosen = {"head": head, "words": words, "length": list(lengths), "min_confidence": min_confidence, "sort": sort}
        return self._pages(schemas.RulePage, "rules", "/api/rules", **chosen)

    def versions(self) -> list[schemas.Version]:
        """All versions of rules, or of a model, newest first."""
        return self._get(schemas.Versions, "/api/versions").versions

    def use(self, version: int) -> list[schemas.Version]:
        """Go back to an earlier version, which is kept once more as the newest."""
        return schemas.Versions.model_validate(self._ask("POST", f"/api/versions/{version:d}/use")).versions

    def learn(self, *, wait: bool = True, poll: float = 0.2) -> schemas.Learning:
        """Learn anew from all events; by default, until that is done."""
        learning = schemas.Learning.model_validate(self._ask("POST", "/api/learn"))
        while wait and learning.state == "running":
            time.sleep(poll)
            learning = self._get(schemas.Learning, "/api/learn")
        if wait and learning.state == "failed":
            raise ServiceError(f"Learning failed: {learning.problem}")
        return learning

    # The service

    def health(self) -> schemas.Health:
        """How the service is, and what it knows."""
        found = self._ask("GET", "/health")
        if "version" not in found:
            raise ServiceError(f"The service says that it is {found.get('status')}, and more with a token only.", 401)
        return schemas.Health.model_validate(found)

    def _get(self, answer: type[Answer], path: str, **asked: Any) -> Answer:
        given = _with_dates_spelled({name: value for name, value in asked.items() if value is not None})
        return answer.model_validate(self._ask("GET", path, params=given))

    def _pages(self, page: type[Any], name: str, path: str, **asked: Any) -> Iterator[Any]:
        offset, total = 0, 1
        while offset < total:
            found = self._get(page, path, **asked, offset=offset, limit=_PAGE)
            offset, total = offset + _PAGE, found.total
            yield from getattr(found, name)

    def _add(self, some: Sequence[dict[str, Any]], sent: int) -> Any:
        try:
            return self._ask("POST", "/api/events", json={"events": some})
        except ServiceError as error:
            positions = [sent + position for position in error.positions]
            before = f"\nThe first {sent:,} events were taken." if sent else ""
            raise ServiceError(f"{error}{before}", error.status, positions, error.reasons) from None

    def _ask(self, method: str, path: str, **sent: Any) -> Any:
        try:
            response = self._http.request(method, path, **sent)
            for _ in range(_MOST_TRIES):
                if response.status_code != _TOO_MANY_REQUESTS:
                    break
                time.sleep(float(response.headers.get("Retry-After", 1)))
                response = self._http.request(method, path, **sent)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServiceError(f"{self.url} cannot be asked ({error or type(error).__name__}).") from error
        return _content(response)


def _content(response: httpx.Response) -> Any:
    try:
        content = response.json()
    except ValueError:
        raise ServiceError(
            f"{response.url.host} answers with something else than JSON; is it a service of tlogic?",
            response.status_code,
        ) from None
    if response.is_success:
        return content
    try:
        problem = schemas.Problem.model_validate(content)
    except ValueError:
        raise ServiceError(f"{response.url.host} refuses ({response.status_code}).", response.status_code) from None
    raise ServiceError(problem.problem, response.status_code, problem.positions, problem.reasons)


def _as_event(event: AnyEvent) -> dict[str, Any]:
    if isinstance(event, schemas.Event):
        return event.model_dump()
    row = event if isinstance(event, Mapping) else dict(zip(schemas.Event.model_fields, event, strict=True))
    return _with_dates_spelled(row)


def _question(asked: Mapping[str, Any]) -> schemas.Question:
    try:
        return schemas.Question(**_with_dates_spelled(asked))
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise ServiceError(f"The question is not understood ({wrong}).") from None


def _with_dates_spelled(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, date) else value for name, value in row.items()}


def _batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
