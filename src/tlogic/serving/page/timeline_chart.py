"""Chart of the events of an entity over time as SVG: one row per relation, one dot per event."""

from collections import Counter
from collections.abc import Callable, Sequence

from tlogic.serving import schemas
from tlogic.serving.page import svg
from tlogic.serving.page.display_text import relation_text

_WIDTH, _MARGIN = 340, 8
_ROW_HEIGHT, _MAX_ROWS = 30, 12
_MAX_LABEL_LENGTH = 56
"""The characters that fit above a row."""
_MAX_DATE_LENGTH = 19


def draw_timeline(entity: str, events: Sequence[schemas.Fact], steps: Sequence[int]) -> str:
    """Draw events, newest first, at their time steps: filled dots if the entity is the subject, hollow if the object.

    Rare relations share the last row.
    """
    frequent = [name for name, _ in Counter(event.relation for event in events).most_common()]
    shown = frequent if len(frequent) <= _MAX_ROWS else frequent[: _MAX_ROWS - 1]
    rows = {name: index for index, name in enumerate(shown)}
    height = _MARGIN + _ROW_HEIGHT * (len(rows) + (len(shown) < len(frequent)))
    labels = [relation_text(name) for name in shown] + (["others"] if len(shown) < len(frequent) else [])
    x_of = _scale(steps)
    dots = [
        _dot(entity, event, x_of(step), rows.get(event.relation, len(rows)))
        for event, step in zip(events, steps, strict=True)
    ]
    return svg.tag(
        "svg",
        svg.title(f"The last {len(events)} events, from {events[-1].time} to {events[0].time}"),
        *(_line(label, row) for row, label in enumerate(labels)),
        *dots,
        *_dates(events, height),
        viewBox=f"0 0 {_WIDTH} {height + 18}",
        class_="timeline",
        role="img",
    )


def _line(label: str, row: int) -> str:
    """A row with its label above it, so that long names fit."""
    y = _row_center(row)
    return svg.text(label, _MAX_LABEL_LENGTH, x=0, y=y - 8, class_="label") + svg.tag(
        "line", x1=0, x2=_WIDTH, y1=y, y2=y, class_="row"
    )


def _dot(entity: str, event: schemas.Fact, x: float, row: int) -> str:
    words = f"{event.time}: {event.subject} — {relation_text(event.relation)} → {event.object}"
    kind = "acts" if event.subject == entity else "suffers"
    return svg.tag("circle", svg.title(words), cx=x, cy=_row_center(row), r=3.2, class_=kind)


def _dates(events: Sequence[schemas.Fact], height: int) -> list[str]:
    first, last = events[-1].time, events[0].time
    ends = [svg.text(last, _MAX_DATE_LENGTH, x=_WIDTH, y=height + 12, class_="date", text_anchor="end")]
    return ends if first == last else [svg.text(first, _MAX_DATE_LENGTH, x=0, y=height + 12, class_="date"), *ends]


def _row_center(row: int) -> float:
    return _MARGIN + _ROW_HEIGHT * (row + 0.6)


def _scale(steps: Sequence[int]) -> Callable[[int], float]:
    last, span = max(steps), (max(steps) - min(steps)) or 1
    width = _WIDTH - 2 * _MARGIN
    return lambda step: _WIDTH - _MARGIN - width * (last - step) / span
