"""Option groups: a dataclass in the signature of a command adds one option per field."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for Typer in which each dataclass parameter is replaced by its fields.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int
    ...     height: int = 1
    >>> @with_groups
    ... def draw(size: Size, color: str = "red") -> None:
    ...     print(size, color)
    >>> draw(width=3)
    Size(width=3, height=1) red
    """
    hints = get_type_hints(command, include_extras=True)
    parameters = inspect.signature(command).parameters
    groups = {name: hints[name] for name in parameters if is_dataclass(hints[name])}
    flat: list[inspect.Parameter] = []
    for name, parameter in parameters.items():
        single = [parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)]
        flat += _parameters_of(groups[name]) if name in groups else single

    @wraps(command)
    def grouped(**values: Any) -> None:
        for name, group in groups.items():
            given = {field.name: values.pop(field.name) for field in fields(group) if field.name in values}
            values[name] = group(**given)
        command(**values)

    grouped.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    return grouped


def _parameters_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
