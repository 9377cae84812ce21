"""Diagram of a grounding as SVG: one column per entity, time from top to bottom, one arrow per fact.

It fits the width of a phone and scales up on larger screens.
"""

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from tlogic.figures import text_width
from tlogic.serving import schemas
from tlogic.serving.page import svg
from tlogic.serving.page.display_text import relation_text, visible

_WIDTH, _MARGIN = 320, 4
_ROW_HEIGHT, _NAME_LINE_HEIGHT, _MAX_NAME_LINES = 38, 14, 6
_ARROW_HEAD = 5
# Approximate widths of a character, in SVG units, to decide what fits.
_NAME_CHARACTER_WIDTH, _RELATION_CHARACTER_WIDTH, _DATE_CHARACTER_WIDTH = 6.6, 6.0, 6.1
_MAX_DATE_LENGTH = 19


def draw_grounding(facts: Sequence[schemas.Fact], query: schemas.ResolvedQuery, candidate: str) -> str:
    """Draw the facts in chronological order, and the forecast as a dashed arrow."""
    forecast = schemas.Fact(
        subject=query.subject if query.subject is not None else candidate,
        relation=query.relation,
        object=query.object if query.object is not None else candidate,
        time=query.at,
    )
    facts = sorted(facts, key=_chronological)
    columns = _columns(facts, forecast)
    names = {name: _wrapped(name, columns) for name in columns}
    top = _MARGIN + _NAME_LINE_HEIGHT * max(map(len, names.values())) + 8
    bottom = top + _ROW_HEIGHT * (len(facts) + 1)
    rows = [
        _row(fact, columns, top + _ROW_HEIGHT * (index + 0.7), "forecast" if fact is forecast else "fact")
        for index, fact in enumerate([*facts, forecast])
    ]
    return svg.tag(
        "svg",
        svg.title(_described(facts, forecast)),
        *(svg.tag("line", x1=x, x2=x, y1=top, y2=bottom, class_="lifeline") for x in columns.values()),
        *(_name(name, lines, columns[name], top - 8) for name, lines in names.items()),
        *rows,
        viewBox=f"0 0 {_WIDTH} {bottom + _MARGIN}",
        class_="picture",
        role="img",
    )


def _chronological(fact: schemas.Fact) -> tuple[int, str]:
    """Sort key of a fact: ISO dates sort as text, integers and years as numbers."""
    is_number = fact.time.lstrip("-").isdecimal()
    return (int(fact.time), "") if is_number else (0, fact.time)


def _described(facts: Sequence[schemas.Fact], forecast: schemas.Fact) -> str:
    """The diagram in words, for screen readers."""
    sentences = [f"{fact.time}: {fact.subject}, {relation_text(fact.relation)}, {fact.object}." for fact in facts]
    forecast_sentence = (
        f"Forecast for {forecast.time}: {forecast.subject}, {relation_text(forecast.relation)}, {forecast.object}."
    )
    return " ".join([*sentences, forecast_sentence])


def _columns(facts: Sequence[schemas.Fact], forecast: schemas.Fact) -> dict[str, float]:
    """The x coordinate of each entity: the subject of the forecast on the left, its object on the right."""
    names = [name for fact in facts for name in (fact.subject, fact.object)]
    inner = [name for name in names if name not in (forecast.subject, forecast.object)]
    order = list(dict.fromkeys([forecast.subject, *inner, forecast.object]))
    left = max(_date_width(fact.time) for fact in [*facts, forecast])
    width = (_WIDTH - left - _MARGIN) / len(order)
    return {name: left + width * (index + 0.5) for index, name in enumerate(order)}


def _date_width(time: str) -> float:
    return 2 * _MARGIN + _DATE_CHARACTER_WIDTH * min(len(time), _MAX_DATE_LENGTH)


def _wrapped(name: str, columns: dict[str, float]) -> list[str]:
    """A name, wrapped to the width of its column."""
    width = 2 * (_WIDTH - _MARGIN - max(columns.values()))
    shown = visible(name[:500])
    # Characters of East Asia and emoji are wider than others.
    character_width = _NAME_CHARACTER_WIDTH * text_width(shown) / max(len(shown), 1)
    max_characters = max(int(width / character_width), 4)
    return wrap(shown, max_characters, max_lines=_MAX_NAME_LINES, placeholder="…") or ["…"]


def _name(name: str, lines: Sequence[str], x: float, bottom: float) -> str:
    """A name above its column."""
    first = bottom - _NAME_LINE_HEIGHT * (len(lines) - 1)
    spans = [
        svg.tag("tspan", escape(line), x=x, y=first + _NAME_LINE_HEIGHT * index) for index, line in enumerate(lines)
    ]
    return svg.tag("text", svg.title(name), *spans, class_="name", text_anchor="middle")


def _row(fact: schemas.Fact, columns: dict[str, float], y: float, kind: str) -> str:
    start, end = columns[fact.subject], columns[fact.object]
    date = svg.text(fact.time, _MAX_DATE_LENGTH, x=_MARGIN, y=y + 4, class_="date")
    arrow = _arrow(start, end, y) if start != end else _loop(start, y)
    return svg.tag("g", date, arrow, _label(fact.relation, (start + end) / 2, y - 7), class_=kind)


def _label(relation: str, middle: float, y: float) -> str:
    """The relation above its arrow, shifted to stay inside the diagram."""
    max_length = int((_WIDTH - 2 * _MARGIN) / _RELATION_CHARACTER_WIDTH)
    half = min(len(relation), max_length) * _RELATION_CHARACTER_WIDTH / 2
    x = min(max(middle, _MARGIN + half), _WIDTH - _MARGIN - half)
    return svg.text(
        relation_text(relation, max_length + 1), max_length, x=x, y=y, class_="relation", text_anchor="middle"
    )


def _arrow(start: float, end: float, y: float) -> str:
    direction = 1 if end > start else -1
    line = svg.tag("line", x1=start, x2=end - direction * _ARROW_HEAD, y1=y, y2=y, class_="shaft")
    back = end - direction * 2 * _ARROW_HEAD
    point = f"{end:.1f},{y:.1f} {back:.1f},{y - _ARROW_HEAD:.1f} {back:.1f},{y + _ARROW_HEAD:.1f}"
    return line + svg.tag("polygon", points=point, class_="head") + svg.tag("circle", cx=start, cy=y, r=3)


def _loop(x: float, y: float) -> str:
    """An arrow from an entity to itself."""
    path = f"M{x:.1f},{y:.1f} c-26,-14 -26,18 -{2 * _ARROW_HEAD},10"
    point = f"{x:.1f},{y + 10:.1f} {x - 10:.1f},{y + 5:.1f} {x - 10:.1f},{y + 15:.1f}"
    return (
        svg.tag("path", d=path, class_="shaft")
        + svg.tag("polygon", points=point, class_="head")
        + svg.tag("circle", cx=x, cy=y, r=3)
    )
