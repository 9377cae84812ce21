"""Checks the numbers of a model file: a null or an absurd number would make every forecast wrong without a word."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

_PARTS = ("max_events", "calibration", "evidence", "pairs", "occurrence", "rules")
_OPTIONAL_PARTS = ("occurrence",)
_TEXTS = {"family", "name", "head", "body", "kind"}
_MAX_WEIGHT = 1e4
"""Weights, intercepts and slopes are logarithms of odds; fitted ones are far smaller."""
_MAX_NUMBER = 1e15
"""Edges of bins and counts of events."""
_MAX_OF_FIELDS = dict.fromkeys(("weights", "intercepts", "offset", "slope", "knots", "expected_answers"), _MAX_WEIGHT)


def check_numbers(found: Mapping[str, Any]) -> None:
    """Raise an error that names the field, if a number of a model file is missing, not finite or absurd.

    Raises:
        ValueError: If there is such a number.

    >>> check_numbers({"evidence": [{"name": "age", "edges": [1, 2], "weights": [0.5, None]}]})
    Traceback (most recent call last):
    ValueError: evidence[0].weights[1] is null; expected a number
    """
    lives = found.get("half_lives") or []
    for index, life in enumerate(lives):
        if life is not None and not (_is_number(life) and 0 < life < _MAX_NUMBER):
            raise ValueError(f"half_lives[{index}] is {_shown(life)}; expected a number above 0, or null for no limit")
    for part in _PARTS:
        if part in found and (found[part] is not None or part not in _OPTIONAL_PARTS):
            for field, value, most in _numbers(found[part], part, _MAX_NUMBER):
                _check_number(field, value, most)
    _check_edges(found.get("evidence"), "evidence")
    facts = found.get("data", {}).get("facts", 0)
    if type(facts) is not int or facts < 0:
        raise ValueError(f"data.facts is {_shown(facts)}; expected a number of facts")


def _numbers(value: Any, field: str, most: float) -> Iterator[tuple[str, Any, float]]:
    """The fields below a field that must be numbers, with the largest number that is plausible."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name not in _TEXTS:
                yield from _numbers(each, f"{field}.{name}", _MAX_OF_FIELDS.get(name, most))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _numbers(each, f"{field}[{index}]", most)
    else:
        yield field, value, most


def _check_number(field: str, value: Any, most: float) -> None:
    if not _is_number(value):
        raise ValueError(f"{field} is {_shown(value)}; expected a number")
    if abs(value) > most:
        raise ValueError(f"{field} is {_shown(value)}; expected a number between {-most:g} and {most:g}")


def _check_edges(tables: Any, field: str) -> None:
    for index, table in enumerate(tables or ()):
        if sorted(table["edges"]) != table["edges"]:
            raise ValueError(f"{field}[{index}].edges do not increase")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: Any) -> str:
    return "null" if value is None else str(value)[:40]
