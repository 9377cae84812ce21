"""What the sentences of evidence are made of: names, and the numbers that a family counted."""

from collections.abc import Callable, Mapping
from typing import NamedTuple


class Names(NamedTuple):
    """What a sentence is about, in words."""

    subject: str
    relation: str
    candidate: str
    span: Callable[[int], str]
    """A number of steps in words."""


Values = Mapping[str, float]
"""The columns of one family that are there."""
