"""Bodies of batches: parsed in a thread, within limits that are checked first; errors list the first problems only.

A parser holds the interpreter while it works, so threads alone would not keep other requests going: the number of
parts of a body is bounded before it is parsed, and items are validated one by one.
"""

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar, get_type_hints

from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from tlogic.serving.schemas import Batch
from tlogic.serving.web.problems import InvalidRequestError, ProblemError

MAX_SEPARATORS = 200_000
"""Commas and colons of a body: 20 for each of 10,000 events, which have 8 besides those in names and times."""
_MAX_SHOWN_PROBLEMS = 5
_MAX_SHOWN_KEYS = 3

BatchT = TypeVar("BatchT", bound=Batch)
ModelT = TypeVar("ModelT", bound=BaseModel)


class BatchRoute(APIRoute):
    """A route that parses the body of a batch in a thread, and all others as usual."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The function that handles a request."""
        handle = super().get_route_handler()
        hints = get_type_hints(self.endpoint).values()
        schema = next((each for each in hints if isinstance(each, type) and issubclass(each, Batch)), None)
        if schema is None:
            return handle

        async def parse_and_handle(request: Request) -> Response:
            # FastAPI takes what was parsed before, and an object that is already valid.
            request._json = await run_in_threadpool(parse_batch, schema, await request.body())
            return await handle(request)

        return parse_and_handle


def parse_batch(schema: type[BatchT], body: bytes) -> BatchT:
    """Parse and validate a batch.

    Args:
        schema: The schema of the batch.
        body: The body of a request.

    Returns:
        The batch.

    Raises:
        InvalidRequestError: If the body is not JSON, or does not match the schema.
        ProblemError: If it has too many parts.

    >>> from tlogic.serving.schemas import QueryBatch
    >>> parse_batch(QueryBatch, b'{"questions": [{"subject": "Kite Aviation", "relation": "sue"}]}').top
    10
    >>> parse_batch(QueryBatch, b'{"questions": [{"relation": "sue", "colour": 1}]}')
    Traceback (most recent call last):
    tlogic.serving.web.problems.InvalidRequestError: The request is invalid.
    body.questions.0.colour: Extra inputs are not permitted
    """
    if body.count(b":") + body.count(b",") > MAX_SEPARATORS:
        raise ProblemError(413, "The request body has too many keys and values; split it into smaller requests.")
    given = _parse(body)
    problems = _Problems()
    if isinstance(given, Mapping) and schema.items_field in given:
        given = {**given, schema.items_field: _validate_items(schema, given[schema.items_field], problems)}
        problems.check()
    batch = _validate(schema, given, problems)
    problems.check()
    assert batch is not None
    return batch


class _Problems:
    """The first problems of a body, and the number of all."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self._total = 0

    def add(self, *location: object, reason: str) -> None:
        self._total += 1
        if len(self._first) < _MAX_SHOWN_PROBLEMS:
            self._first.append(f"{'.'.join(map(str, ('body', *location)))[:200]}: {reason}")

    def check(self) -> None:
        if self._total:
            raise InvalidRequestError(self._first, self._total)


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        reason = str(error)[:200]
    except ValueError:
        reason = "a number has too many digits"
    except RecursionError:
        reason = "it is nested too deeply"
    raise InvalidRequestError([f"body: not valid JSON ({reason})"], 1)


def _validate_items(schema: type[Batch], given: Any, problems: _Problems) -> Any:
    """The items as objects, one by one, so that other threads can run meanwhile; unchanged if they are no batch."""
    if not isinstance(given, list) or len(given) > schema.max_items:
        return given
    item_schema, field = schema.item_schema(), schema.items_field
    return [_validate(item_schema, item, problems, field, position) for position, item in enumerate(given)]


def _validate(schema: type[ModelT], given: Any, problems: _Problems, *location: object) -> ModelT | None:
    """An object of the schema, or None if there are problems."""
    if isinstance(given, Mapping) and len(given) > len(schema.model_fields):
        _add_unknown_keys([key for key in given if key not in schema.model_fields], problems, location)
        return None
    try:
        return schema.model_validate(given)
    except ValidationError as error:
        reasons: dict[tuple[object, ...], list[str]] = {}
        for each in error.errors(include_url=False, include_context=False, include_input=False):
            reasons.setdefault(_location_of(each, given), []).append(each["msg"])
        for place, messages in reasons.items():
            problems.add(*location, *place, reason="; or: ".join(messages))
        return None


def _location_of(error: Mapping[str, Any], given: Any) -> tuple[int | str, ...]:
    """The keys that lead to a value in a body, without the types that pydantic tried for it, such as ``str``."""
    keys: list[int | str] = []
    for key in error["loc"]:
        is_there = key < len(given) if isinstance(given, list) and isinstance(key, int) else _has(given, key)
        if not is_there and error["type"] != "missing":
            break
        keys.append(key)
        given = given[key] if is_there else None
    return tuple(keys)


def _has(given: Any, key: object) -> bool:
    return isinstance(given, Mapping) and key in given


def _add_unknown_keys(unknown: Sequence[str], problems: _Problems, location: Sequence[object]) -> None:
    """One problem for all unknown keys of an object: a million of them must not make a million messages."""
    shown = ", ".join(repr(name[:50]) for name in unknown[:_MAX_SHOWN_KEYS])
    more = f" and {len(unknown) - _MAX_SHOWN_KEYS:,} more" if len(unknown) > _MAX_SHOWN_KEYS else ""
    problems.add(*location, reason=f"unknown keys {shown}{more}")
