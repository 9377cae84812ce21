"""Explanations as text in a terminal."""

import re
import textwrap
from collections.abc import Iterable

from tlogic.cli.console import console

_PREFIX = re.compile(r" +([+-]\d+\.\d+ +|× <?\d+(\.\d+)? +|(new|none since|up|down)  +)?")
_MIN_WIDTH = 40


def print_explanations(texts: Iterable[str]) -> None:
    """Print explanations; in a terminal, their lines are wrapped."""
    for text in texts:
        lines = text.splitlines()
        if console.is_terminal:
            lines = [part for line in lines for part in _wrapped(line, console.width)]
        print("", *lines, sep="\n")


def _wrapped(line: str, width: int) -> list[str]:
    """A line of an explanation, continued below its first word after any number."""
    indent = _PREFIX.match(line)
    return textwrap.wrap(
        line,
        max(width, _MIN_WIDTH),
        subsequent_indent=" " * (indent.end() if indent else 0),
        break_long_words=False,
        break_on_hyphens=False,
    )
