"""Kinds of counted rules: their form, the ages by which they are counted, and the counts that a family exposes."""

from collections.abc import Sequence
from typing import NamedTuple

from tlogic.graph.arrays import Ints

Span = tuple[int, int | None]
"""The first and the last age, in time steps; None if there is no last."""


class RuleKind(NamedTuple):
    """The form of the rules that a family counts."""

    head: tuple[str, str]
    """The variables of the head."""
    body: tuple[tuple[str, str], ...]
    """The variables of each fact in the body."""
    ages: tuple[tuple[Span, ...], ...]
    """Per bucket: the ages of the facts in the body."""
    prior: float
    """The number of firings that weighs as much as the expected rate of a rule."""


class RuleCounts(NamedTuple):
    """How often the rules of one head relation fired and hit. Relations are numbered as in an `EventMemory`."""

    head: int
    body: Ints
    """One row per rule: the relations of its body."""
    fires: Ints
    """Per rule and bucket; the last column holds sums, and the last row those of all rules of the head."""
    hits: Ints


def age_spans(edges: Sequence[int]) -> list[Span]:
    """The spans of whole ages between bucket edges.

    >>> age_spans((1, 3))
    [(1, 1), (2, 3), (4, None)]
    """
    firsts = [1, *(edge + 1 for edge in edges)]
    return list(zip(firsts, [*edges, None], strict=True))
