"""A picture of a grounding: entities side by side, time running down, each fact an arrow at its date.

It is drawn for the width of a phone, and larger where there is room.
"""

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from tlogic.serving import schemas
from tlogic.serving.page import svg
from tlogic.serving.page.display_text import spoken, visible

_WIDTH, _MARGIN = 320, 4
_ROW, _NAME_LINE, _NAME_LINES = 38, 14, 3
_HEAD = 5
# About how wide a character of a name, a relation and a date is, by which it is known what fits.
_NAME_CHARACTER, _RELATION_CHARACTER, _DATE_CHARACTER = 6.6, 6.0, 6.1
_LONGEST_DATE = 19


def draw_grounding(facts: Sequence[schemas.Fact], question: schemas.Asked, candidate: str) -> str:
    """The facts in order of time, and the forecast that follows from them as a dashed arrow."""
    forecast = schemas.Fact(
        subject=question.subject if question.subject is not None else candidate,
        relation=question.relation,
        object=question.object if question.object is not None else candidate,
        time=question.at,
    )
    facts = sorted(facts, key=_when)
    lanes = _lanes(facts, forecast)
    names = {name: _wrapped(name, lanes) for name in lanes}
    top = _MARGIN + _NAME_LINE * max(map(len, names.values())) + 8
    bottom = top + _ROW * (len(facts) + 1)
    rows = [
        _row(fact, lanes, top + _ROW * (place + 0.7), "forecast" if fact is forecast else "fact")
        for place, fact in enumerate([*facts, forecast])
    ]
    return svg.tag(
        "svg",
        svg.title(_described(facts, forecast)),
        *(svg.tag("line", x1=x, x2=x, y1=top, y2=bottom, class_="lifeline") for x in lanes.values()),
        *(_name(name, lines, lanes[name], top - 8) for name, lines in names.items()),
        *rows,
        viewBox=f"0 0 {_WIDTH} {bottom + _MARGIN}",
        class_="picture",
        role="img",
    )


def _when(fact: schemas.Fact) -> tuple[int, str]:
    """The order of time: dates have that of their letters, integers and years that of numbers."""
    is_number = fact.time.lstrip("-").isdecimal()
    return (int(fact.time), "") if is_number else (0, fact.time)


def _described(facts: Sequence[schemas.Fact], forecast: schemas.Fact) -> str:
    """The picture in words, for those who do not see it."""
    told = [f"{fact.time}: {fact.subject}, {spoken(fact.relation)}, {fact.object}." for fact in facts]
    asked = f"Forecast for {forecast.time}: {forecast.subject}, {spoken(forecast.relation)}, {forecast.object}."
    return " ".join([*told, asked])


def _lanes(facts: Sequence[schemas.Fact], forecast: schemas.Fact) -> dict[str, float]:
    """Where each entity stands: the forecast's subject on the left, its object on the right."""
    between = [name for fact in facts for name in (fact.subject, fact.object)]
    inner = [name for name in between if name not in (forecast.subject, forecast.object)]
    order = list(dict.fromkeys([forecast.subject, *inner, forecast.object]))
    left = max(_dates_width(fact.time) for fact in [*facts, forecast])
    width = (_WIDTH - left - _MARGIN) / len(order)
    return {name: left + width * (place + 0.5) for place, name in enumerate(order)}


def _dates_width(time: str) -> float:
    return 2 * _MARGIN + _DATE_CHARACTER * min(len(time), _LONGEST_DATE)


def _wrapped(name: str, lanes: dict[str, float]) -> list[str]:
    """A name over as many lines as it needs in its place."""
    room = 2 * (_WIDTH - _MARGIN - max(lanes.values()))
    fitting = max(int(room / _NAME_CHARACTER), 4)
    return wrap(visible(name[:500]), fitting, max_lines=_NAME_LINES, placeholder="…") or ["…"]


def _name(name: str, lines: Sequence[str], x: float, bottom: float) -> str:
    """A name above its line."""
    first = bottom - _NAME_LINE * (len(lines) - 1)
    spans = [svg.tag("tspan", escape(line), x=x, y=first + _NAME_LINE * place) for place, line in enumerate(lines)]
    return svg.tag("text", svg.title(name), *spans, class_="name", text_anchor="middle")


def _row(fact: schemas.Fact, lanes: dict[str, float], y: float, kind: str) -> str:
    start, end = lanes[fact.subject], lanes[fact.object]
    date = svg.text(fact.time, _LONGEST_DATE, x=_MARGIN, y=y + 4, class_="date")
    arrow = _arrow(start, end, y) if start != end else _loop(start, y)
    return svg.tag("g", date, arrow, _label(fact.relation, (start + end) / 2, y - 7), class_=kind)


def _label(relation: str, middle: float, y: float) -> str:
    """The relation above its arrow, moved so far that it does not leave the picture."""
    longest = int((_WIDTH - 2 * _MARGIN) / _RELATION_CHARACTER)
    half = min(len(relation), longest) * _RELATION_CHARACTER / 2
    x = min(max(middle, _MARGIN + half), _WIDTH - _MARGIN - half)
    return svg.text(spoken(relation, longest + 1), longest, x=x, y=y, class_="relation", text_anchor="middle")


def _arrow(start: float, end: float, y: float) -> str:
    way = 1 if end > start else -1
    line = svg.tag("line", x1=start, x2=end - way * _HEAD, y1=y, y2=y, class_="shaft")
    point = f"{end:.1f},{y:.1f} {end - way * 2 * _HEAD:.1f},{y - _HEAD:.1f} {end - way * 2 * _HEAD:.1f},{y + _HEAD:.1f}"
    return line + svg.tag("polygon", points=point, class_="head") + svg.tag("circle", cx=start, cy=y, r=3)


def _loop(x: float, y: float) -> str:
    """From an entity to itself."""
    path = f"M{x:.1f},{y:.1f} c-26,-14 -26,18 -{2 * _HEAD},10"
    point = f"{x:.1f},{y + 10:.1f} {x - 10:.1f},{y + 5:.1f} {x - 10:.1f},{y + 15:.1f}"
    return (
        svg.tag("path", d=path, class_="shaft")
        + svg.tag("polygon", points=point, class_="head")
        + svg.tag("circle", cx=x, cy=y, r=3)
    )
