"""Checks the numbers of a model file: a null or an absurd number would make every forecast wrong without a word."""

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

Keys = tuple[str | int, ...]
"""The names and indices that lead to a value of the file."""

_PARTS = ("max_events", "calibration", "evidence", "pairs", "occurrence", "rules")
_OPTIONAL_PARTS = ("occurrence",)
_PARTS_WITH_ORDER = ("evidence", "occurrence")
_TEXTS = {"family", "name", "head", "body", "kind"}
_MAX_WEIGHT = 1e4
"""Weights, intercepts and slopes are logarithms of odds; fitted ones are far smaller."""
_MAX_NUMBER = 1e15
"""Edges of bins and counts of events."""
_MAX_OF_FIELDS = dict.fromkeys(("weights", "intercepts", "offset", "slope", "knots", "expected_answers"), _MAX_WEIGHT)


class WrongNumberError(ValueError):
    """A number of a model file is missing, not finite or absurd, or contradicts others.

    Attributes:
        keys: What leads to the number.
    """

    def __init__(self, keys: Keys, problem: str) -> None:
        field = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
        super().__init__(f"{field.removeprefix('.')} {problem}")
        self.keys = keys


def check_numbers(found: Mapping[str, Any]) -> None:
    """Raise an error that names the field, if a number of a model file is missing, not finite or absurd.

    Raises:
        WrongNumberError: If there is such a number.

    >>> check_numbers({"evidence": [{"name": "age", "edges": [1, 2], "weights": [0.5, None]}]})
    Traceback (most recent call last):
    tlogic.models.file_numbers.WrongNumberError: evidence[0].weights[1] is null; expected a number
    """
    for index, life in enumerate(found.get("half_lives") or []):
        if life is not None and not (_is_number(life) and 0 < life < _MAX_NUMBER):
            problem = f"is {_shown(life)}; expected a number above 0, or null for no limit"
            raise WrongNumberError(("half_lives", index), problem)
    for part in _PARTS:
        if part in found and (found[part] is not None or part not in _OPTIONAL_PARTS):
            for keys, value, most in _numbers(found[part], (part,), _MAX_NUMBER):
                _check_number(keys, value, most)
            for keys, values in _ordered(found[part], (part,)) if part in _PARTS_WITH_ORDER else ():
                if any(a > b for a, b in pairwise(values)):
                    raise WrongNumberError(keys, "do not increase")
    facts = found.get("data", {}).get("facts", 0)
    if type(facts) is not int or facts < 0:
        raise WrongNumberError(("data", "facts"), f"is {_shown(facts)}; expected a number of facts")


def _numbers(value: Any, keys: Keys, most: float) -> Iterator[tuple[Keys, Any, float]]:
    """The values below a field that must be numbers, with the largest number that is plausible."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name not in _TEXTS:
                yield from _numbers(each, (*keys, name), _MAX_OF_FIELDS.get(name, most))
    elif isinstance(value, list):
        if not _are_plausible(value, most):
            for index, each in enumerate(value):
                yield from _numbers(each, (*keys, index), most)
    else:
        yield keys, value, most


def _are_plausible(values: list[Any], most: float) -> bool:
    """Whether all values are numbers that are finite and not too large; quick, as files have millions of them."""
    are_numbers = set(map(type, values)) <= {int, float}
    return are_numbers and max(map(abs, values), default=0) <= most and math.isfinite(sum(values))


def _ordered(value: Any, keys: Keys) -> Iterator[tuple[Keys, list[float]]]:
    """The lists below a field whose numbers must increase: edges of bins, and horizons."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name in ("edges", "horizons"):
                yield (*keys, name), list(each)
            else:
                yield from _ordered(each, (*keys, name))
    elif isinstance(value, list) and value and isinstance(value[0], dict | list):
        for index, each in enumerate(value):
            yield from _ordered(each, (*keys, index))


def _check_number(keys: Keys, value: Any, most: float) -> None:
    if not _is_number(value):
        raise WrongNumberError(keys, f"is {_shown(value)}; expected a number")
    if abs(value) > most:
        raise WrongNumberError(keys, f"is {_shown(value)}; expected a number between {-most:g} and {most:g}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: Any) -> str:
    return "null" if value is None else str(value)[:40]
