"""Where a value stands in a JSON text, for error messages."""

import json
import re

_decode = json.JSONDecoder().raw_decode
_SEPARATORS = re.compile(r"[\s,:]*")


def line_of(content: str, *keys: str | int) -> int:
    """The line of a value in a JSON text, counted from 1.

    Args:
        content: A text that is valid JSON.
        keys: Names of fields and indices of lists that lead to the value.

    Returns:
        The number of the line.

    >>> line_of('{"a": 1,\\n "b": [\\n 2,\\n 3]}', "b", 1)
    4
    """
    position = _skip_separators(content, 0)
    for key in keys:
        position = _position_in(content, position, key)
    return content.count("\n", 0, position) + 1


def _position_in(content: str, start: int, key: str | int) -> int:
    """Where the value of a key begins, in the object or list that begins at ``start``."""
    is_object = content[start] == "{"
    position, name, index = _skip_separators(content, start + 1), None, 0
    while True:
        if is_object:
            name, end = _decode(content, position)
            position = _skip_separators(content, end)
        if key == (name if is_object else index):
            return position
        position = _skip_separators(content, _decode(content, position)[1])
        index += 1


def _skip_separators(content: str, position: int) -> int:
    found = _SEPARATORS.match(content, position)
    return found.end() if found else position
