"""Reliability diagram as SVG: how often events of a probability happened, with error bars."""

from collections.abc import Sequence
from typing import NamedTuple

from tlogic.evidence.statements import rare
from tlogic.serving import schemas
from tlogic.serving.page import svg

_WIDTH, _HEIGHT, _LABEL_WIDTH, _MARGIN = 340, 190, 48, 8
_LEVELS = (0.0, 0.5, 1.0)
_MAX_LABEL_LENGTH = 20
_ERRORS = 2.0
"""The half length of an error bar, in standard errors."""


def observed_share(group: schemas.ReliabilityGroup) -> str:
    """How often the events of a group happened."""
    if group.observed in (0.0, 1.0):
        return "all" if group.observed else "none"
    return rare(group.observed)


class _Scale(NamedTuple):
    """Both axes begin at 0 and end at the largest value."""

    top: float

    def x(self, probability: float) -> float:
        return _LABEL_WIDTH + (_WIDTH - _LABEL_WIDTH - _MARGIN) * probability / self.top

    def y(self, frequency: float) -> float:
        return _MARGIN + (_HEIGHT - _MARGIN) * (1.0 - frequency / self.top)


def draw_reliability(groups: Sequence[schemas.ReliabilityGroup]) -> str:
    """Draw the observed frequency of each group over its mean probability; both are equal on the diagonal."""
    top = max(max(each.predicted, _ends(each)[1]) for each in groups)
    scale = _Scale(top)
    return svg.tag(
        "svg",
        svg.title("The observed frequency by probability; on the diagonal, both are equal"),
        *(_level(top * share, scale) for share in _LEVELS),
        svg.tag("line", x1=scale.x(0.0), x2=scale.x(top), y1=scale.y(0.0), y2=scale.y(top), class_="diagonal"),
        *(_group(each, scale) for each in groups),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT + 20}",
        class_="reliability",
        role="img",
    )


def _level(value: float, scale: _Scale) -> str:
    """A frequency with its line, and the same probability below the diagram."""
    x, y, words = scale.x(value), scale.y(value), f"{value:.2%}" if scale.top < 0.1 else f"{value:.0%}"
    place = "start" if value == 0.0 else "end" if value == scale.top else "middle"
    return (
        svg.text(words, _MAX_LABEL_LENGTH, x=_LABEL_WIDTH - 6, y=y + 3.5, class_="date", text_anchor="end")
        + svg.text(words, _MAX_LABEL_LENGTH, x=x, y=_HEIGHT + 16, class_="date", text_anchor=place)
        + svg.tag("line", x1=_LABEL_WIDTH, x2=_WIDTH - _MARGIN, y1=y, y2=y, class_="level")
    )


def _group(group: schemas.ReliabilityGroup, scale: _Scale) -> str:
    """A group with its error bar."""
    x, (low, high) = scale.x(group.predicted), _ends(group)
    words = f"{rare(group.predicted)} forecast, {observed_share(group)} of {group.triples:,} triples happened"
    bar = svg.tag("line", x1=x, x2=x, y1=scale.y(low), y2=scale.y(high), class_="error")
    return bar + svg.tag("circle", svg.title(words), cx=x, cy=scale.y(group.observed), r=3.5, class_="group")


def _ends(group: schemas.ReliabilityGroup) -> tuple[float, float]:
    """Both ends of the error bar."""
    error = _ERRORS * group.standard_error
    return max(group.observed - error, 0.0), min(group.observed + error, 1.0)
