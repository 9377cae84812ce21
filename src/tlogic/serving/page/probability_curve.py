"""Chart of the probability that an event has happened by each date, as SVG."""

from collections.abc import Sequence

from tlogic.serving import schemas
from tlogic.serving.page import svg
from tlogic.serving.page.display_text import percent

_WIDTH, _HEIGHT, _LABEL_WIDTH, _MARGIN = 340, 110, 36, 8
_LEVELS = (0.0, 0.5, 1.0)
_MAX_DATE_LENGTH = 19


def draw_curve(curve: Sequence[schemas.CurvePoint], median_wait: int | None) -> str:
    """Draw a curve from 0% to 100%, with a mark where it reaches one half."""
    points = [(_x(index, len(curve)), _y(point.probability)) for index, point in enumerate(curve)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    marked = [] if median_wait is None or median_wait > len(curve) else [median_wait - 1]
    area = f"{points[0][0]:.1f},{_y(0.0):.1f} {line} {points[-1][0]:.1f},{_y(0.0):.1f}"
    first, last = curve[0], curve[-1]
    words = f"{percent(first.probability)} by {first.date}, {percent(last.probability)} by {last.date}"
    return svg.tag(
        "svg",
        svg.title(f"The probability by date: {words}"),
        *map(_level, _LEVELS),
        svg.tag("polygon", points=area, class_="area"),
        svg.tag("polyline", points=line, class_="line"),
        *(_mark(points[index], curve[index]) for index in marked),
        svg.text(first.date, _MAX_DATE_LENGTH, x=_LABEL_WIDTH, y=_HEIGHT + 14, class_="date"),
        svg.text(last.date, _MAX_DATE_LENGTH, x=_WIDTH, y=_HEIGHT + 14, class_="date", text_anchor="end"),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT + 20}",
        class_="curve",
        role="img",
    )


def _level(share: float) -> str:
    y = _y(share)
    label = svg.text(f"{share:.0%}", 5, x=_LABEL_WIDTH - 6, y=y + 3.5, class_="date", text_anchor="end")
    return label + svg.tag("line", x1=_LABEL_WIDTH, x2=_WIDTH, y1=y, y2=y, class_="level")


def _mark(center: tuple[float, float], point: schemas.CurvePoint) -> str:
    words = svg.title(f"{percent(point.probability)} by {point.date}")
    return svg.tag("circle", words, cx=center[0], cy=center[1], r=3.5, class_="median")


def _x(index: int, n: int) -> float:
    return _LABEL_WIDTH + (_WIDTH - _LABEL_WIDTH - _MARGIN) * index / max(n - 1, 1)


def _y(share: float) -> float:
    return _MARGIN + (_HEIGHT - _MARGIN) * (1.0 - share)
