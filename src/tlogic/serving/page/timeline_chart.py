"""A chart of an entity's events along time: a row for each relation, a dot for each event."""

from collections import Counter
from collections.abc import Callable, Sequence

from tlogic.serving import schemas
from tlogic.serving.page import svg
from tlogic.serving.page.display_text import spoken

_WIDTH, _LABELS, _MARGIN = 340, 100, 8
_ROW, _MOST_ROWS, _LABEL_LENGTH = 18, 12, 17


def draw_timeline(entity: str, events: Sequence[schemas.Fact], steps: Sequence[int]) -> str:
    """Events, newest first, as dots at their steps, filled where the entity acts and hollow where it is acted upon.

    Rare relations share the last row.
    """
    frequent = [name for name, _ in Counter(event.relation for event in events).most_common()]
    shown = frequent if len(frequent) <= _MOST_ROWS else frequent[: _MOST_ROWS - 1]
    rows = {name: place for place, name in enumerate(shown)}
    height = _MARGIN + _ROW * (len(rows) + (len(shown) < len(frequent)))
    labels = [spoken(name) for name in shown] + (["others"] if len(shown) < len(frequent) else [])
    across = _scale(steps)
    dots = [
        _dot(entity, event, across(step), rows.get(event.relation, len(rows)))
        for event, step in zip(events, steps, strict=True)
    ]
    return svg.tag(
        "svg",
        svg.title(f"The last {len(events)} events, from {events[-1].time} to {events[0].time}"),
        *(_line(label, place) for place, label in enumerate(labels)),
        *dots,
        *_dates(events, height),
        viewBox=f"0 0 {_WIDTH} {height + 18}",
        class_="timeline",
        role="img",
    )


def _line(label: str, place: int) -> str:
    y = _height(place)
    return svg.text(label, _LABEL_LENGTH, x=0, y=y + 3.5, class_="label") + svg.tag(
        "line", x1=_LABELS, x2=_WIDTH, y1=y, y2=y, class_="row"
    )


def _dot(entity: str, event: schemas.Fact, x: float, place: int) -> str:
    words = f"{event.time}: {event.subject} — {spoken(event.relation)} → {event.object}"
    kind = "acts" if event.subject == entity else "suffers"
    return svg.tag("circle", svg.title(words), cx=x, cy=_height(place), r=3.2, class_=kind)


def _dates(events: Sequence[schemas.Fact], height: int) -> list[str]:
    first, last = events[-1].time, events[0].time
    ends = [svg.text(last, 19, x=_WIDTH, y=height + 12, class_="date", text_anchor="end")]
    return ends if first == last else [svg.text(first, 19, x=_LABELS, y=height + 12, class_="date"), *ends]


def _height(place: int) -> float:
    return _MARGIN + _ROW * (place + 0.5)


def _scale(steps: Sequence[int]) -> Callable[[int], float]:
    last, span = max(steps), (max(steps) - min(steps)) or 1
    room = _WIDTH - _LABELS - 2 * _MARGIN
    return lambda step: _WIDTH - _MARGIN - room * (last - step) / span
