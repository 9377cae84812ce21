"""What a client is told whose request cannot be answered: always a `Problem`, with the status that fits."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tlogic.errors import TLogicError, UnknownNameError
from tlogic.serving.schemas import Problem
from tlogic.serving.store.encoded_events import InvalidEventsError
from tlogic.serving.store.event_store import StoreError

_SHOWN = 5
_RETRY_SECONDS = "5"
_POLICY_VIOLATION = 1008


class ProblemError(TLogicError):
    """A request that is refused for a reason which its sender is told."""

    def __init__(self, status: int, problem: str, **headers: str) -> None:
        super().__init__(problem)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def problem_response(error: Exception) -> Response:
    """What to answer where a request led to an error that is meant for its sender.

    >>> response = problem_response(TLogicError("There is no such day."))
    >>> response.status_code, response.body
    (400, b'{"problem":"There is no such day.","positions":[],"reasons":[]}')
    """
    if isinstance(error, ProblemError):
        return _respond(error.status, Problem(problem=str(error)), error.headers)
    if isinstance(error, InvalidEventsError):
        return _respond(422, _about_events(error))
    if isinstance(error, RequestValidationError):
        return _respond(422, Problem(problem=_about_request(error.errors())))
    if isinstance(error, HTTPException):
        return _respond(error.status_code, Problem(problem=_about_http(error)), error.headers or {})
    if isinstance(error, StoreError):
        status = 507 if error.disk_is_full else 503
        return _respond(status, Problem(problem=error.public), {"Retry-After": _RETRY_SECONDS})
    return _respond(404 if isinstance(error, UnknownNameError) else 400, Problem(problem=str(error)))


async def send_problem(error: Exception, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request, or the handshake of a web socket, with what is wrong."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": str(error)[:100]})
    else:
        await problem_response(error)(scope, receive, send)


def _respond(status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    # What a client sent may hold half characters, which no text of UTF-8 can repeat.
    whole = Problem(
        problem=_whole(problem.problem),
        positions=problem.positions,
        reasons=[_whole(reason) for reason in problem.reasons],
    )
    return Response(whole.model_dump_json(), status, dict(headers or {}), media_type="application/json")


def _whole(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _about_events(error: InvalidEventsError) -> Problem:
    return Problem(
        problem=str(error),
        positions=[each.position for each in error.problems],
        reasons=[each.reason for each in error.problems],
    )


def _about_request(errors: Any) -> str:
    """The places of a request at which it is wrong, and how; what was sent is not repeated."""
    lines = [f"{'.'.join(map(str, error['loc']))[:200]}: {error['msg']}" for error in errors[:_SHOWN]]
    more = [f"and {len(errors) - _SHOWN:,} more."] if len(errors) > _SHOWN else []
    return "\n".join(["The request is not understood.", *lines, *more])


def _about_http(error: HTTPException) -> str:
    if error.detail and error.detail != HTTPStatus(error.status_code).phrase:
        return str(error.detail)
    known = {404: "There is nothing at this address; see /openapi.json.", 405: "This method is not known here."}
    return known.get(error.status_code, f"{HTTPStatus(error.status_code).phrase}.")
