"""For the API reference: the examples in docstrings become code blocks."""

import re
from typing import Any

import griffe

# An example begins with >>> and ends with a blank line.
_EXAMPLE = re.compile(r"^>>> .*?(?=^\s*$|\Z)", re.MULTILINE | re.DOTALL)


class Doctests(griffe.Extension):
    """Puts fences around examples, which Markdown would take for quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )
