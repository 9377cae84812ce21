"""Error responses: every error is a `Problem` in JSON, with a matching HTTP status."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tlogic.errors import TLogicError, UnknownNameError
from tlogic.serving.engine.time_limit import TimeLimitError
from tlogic.serving.schemas import Problem
from tlogic.serving.store.encoded_events import InvalidEventsError
from tlogic.serving.store.store_errors import StoreError

_MAX_SHOWN_ERRORS = 5
_MAX_LISTED_EVENTS = 20
_RETRY_AFTER_SECONDS = "5"
_WEBSOCKET_POLICY_VIOLATION = 1008


class ProblemError(TLogicError):
    """A request that is refused with an HTTP status and a message for the client."""

    def __init__(self, status: int, problem: str, **headers: str) -> None:
        super().__init__(problem)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class InvalidRequestError(TLogicError):
    """A request whose body or query parameters do not match what its route expects.

    Args:
        first: Where the first problems are, and what is wrong.
        total: The number of all problems.
    """

    def __init__(self, first: Sequence[str], total: int) -> None:
        more = [f"and {total - len(first):,} more."] if total > len(first) else []
        super().__init__("\n".join(["The request is invalid.", *first, *more]))


def problem_response(error: Exception) -> Response:
    """The response for an error that is meant for the client.

    >>> response = problem_response(TLogicError("The date does not exist."))
    >>> response.status_code, response.body
    (400, b'{"problem":"The date does not exist.","positions":[],"reasons":[]}')
    """
    if isinstance(error, ProblemError):
        return _response(error.status, Problem(problem=str(error)), error.headers)
    if isinstance(error, InvalidEventsError):
        return _response(422, _events_problem(error))
    if isinstance(error, RequestValidationError):
        error = _invalid_request(error)
    if isinstance(error, InvalidRequestError):
        return _response(422, Problem(problem=str(error)))
    if isinstance(error, HTTPException):
        return _response(error.status_code, Problem(problem=_http_message(error)), error.headers or {})
    if isinstance(error, StoreError):
        status = 507 if error.disk_is_full else 503
        return _response(status, Problem(problem=error.public), {"Retry-After": _RETRY_AFTER_SECONDS})
    status = 404 if isinstance(error, UnknownNameError) else 504 if isinstance(error, TimeLimitError) else 400
    return _response(status, Problem(problem=str(error)))


async def send_problem(error: Exception, scope: Scope, receive: Receive, send: Send) -> None:
    """Respond to an HTTP request or a web socket handshake with an error."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _WEBSOCKET_POLICY_VIOLATION, "reason": str(error)[:100]})
    else:
        await problem_response(error)(scope, receive, send)


def _response(status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    # Input may contain lone surrogates, which cannot be encoded as UTF-8.
    encodable = Problem(
        problem=_encodable(problem.problem),
        positions=problem.positions,
        reasons=[_encodable(reason) for reason in problem.reasons],
    )
    return Response(encodable.model_dump_json(), status, dict(headers or {}), media_type="application/json")


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _events_problem(error: InvalidEventsError) -> Problem:
    listed = error.problems[:_MAX_LISTED_EVENTS]
    return Problem(
        problem=str(error),
        positions=[each.position for each in listed],
        reasons=[each.reason for each in listed],
    )


def _invalid_request(error: RequestValidationError) -> InvalidRequestError:
    """The invalid fields of a request and what is wrong with them. Their values are not repeated."""
    errors = error.errors()
    first = [f"{'.'.join(map(str, each['loc']))[:200]}: {each['msg']}" for each in errors[:_MAX_SHOWN_ERRORS]]
    return InvalidRequestError(first, len(errors))


def _http_message(error: HTTPException) -> str:
    if error.detail and error.detail != HTTPStatus(error.status_code).phrase:
        return str(error.detail)
    messages = {404: "Unknown path; see /openapi.json for all paths.", 405: "This path does not support the method."}
    return messages.get(error.status_code, f"{HTTPStatus(error.status_code).phrase}.")
