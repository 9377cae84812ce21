"""Query parameters: unknown ones are refused, because a misspelled one would have no effect."""

from fastapi.dependencies.models import Dependant
from starlette.requests import Request

from tlogic.names import did_you_mean
from tlogic.serving.web.problems import InvalidRequestError

_MAX_SHOWN = 5
_MAX_SHOWN_CHARACTERS = 200
_MAX_SEARCHED_CHARACTERS = 50
"""Similar names are searched for so much of an unknown name."""


async def refuse_unknown_parameters(request: Request) -> None:
    """Raise an error if the route of a request does not know one of its query parameters."""
    known = _names(request.scope["route"].dependant)
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        raise InvalidRequestError([_problem(name, known) for name in unknown[:_MAX_SHOWN]], len(unknown))


def _names(dependant: Dependant) -> list[str]:
    """The names of all query parameters of a route."""
    own = [field.alias for field in dependant.query_params]
    return own + [name for each in dependant.dependencies for name in _names(each)]


def _problem(name: str, known: list[str]) -> str:
    hint = did_you_mean(name[:_MAX_SEARCHED_CHARACTERS], known)
    return f"{f'query.{name}'[:_MAX_SHOWN_CHARACTERS]}: unknown parameter{hint}"
