"""Checks of values that callers give."""

from operator import index
from typing import Any

from tlogic.errors import InputError, TLogicError


def check_count(value: Any, what: str, error: type[TLogicError] = InputError) -> None:
    """Raise an error unless a value is an integer of 1 or more.

    >>> check_count(2.5, "The number of events")
    Traceback (most recent call last):
    tlogic.errors.InputError: The number of events must be an integer, not 2.5.
    """
    try:
        count = index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool):
        raise error(f"{what} must be an integer, not {value!r}.")
    if count < 1:
        raise error(f"{what} must be 1 or more, not {value}.")
