"""A picture of an explanation: entities as lines along time, facts as arrows, the forecast at the end."""

from pathlib import Path
from textwrap import wrap
from typing import Any

from tlogic.explaining.explanation import Explanation, Fact
from tlogic.figures import BLUE, LINE, ORANGE, TEXT, drawing, literal, text_width

# Inches: between two arrows, with a label in between; and per character of a name or of the title.
_ARROW, _NAME, _TITLE = 1.6, 0.09, 0.095
# Characters of a label that fit between two arrows, and inches per line of a label.
_LABEL_WIDTH, _LABEL_LINE = 17, 0.15


def draw(why: Explanation, facts: list[Fact], path: Path) -> None:
    """Draw facts behind an explanation, in order of time, to an SVG or PNG file."""
    lanes = _lanes(why, facts)
    width = 0.4 + _NAME * max(map(text_width, lanes)) + _ARROW * (len(facts) + 1)
    title = wrap(f"{why.query}: {why.candidate}, {why.figure}", int(width / _TITLE))
    labels = [fact.relation for fact in facts] + [why.query.relation]
    lane = max(0.8, 0.2 + _LABEL_LINE * max(len(_label_lines(label)) for label in labels))
    with drawing(path, width, height=0.5 + 0.2 * len(title) + lane * len(lanes)) as figure:
        figure.suptitle("\n".join(map(literal, title)), fontsize=11, color=TEXT)
        _draw(figure.add_subplot(), why, facts, lanes)


def _lanes(why: Explanation, facts: list[Fact]) -> dict[str, int]:
    """The height of each entity's line: the query's entity on top, the candidate at the bottom."""
    named = why.query.subject or str(why.query.object)
    between = [name for fact in facts for name in (fact.subject, fact.object) if name not in (named, why.candidate)]
    order = list(dict.fromkeys([named, *between, why.candidate]))
    return {name: len(order) - index for index, name in enumerate(order)}


def _draw(axes: Any, why: Explanation, facts: list[Fact], lanes: dict[str, int]) -> None:
    """Draw facts side by side in order of time, so that none hides another, with their dates below."""
    end = len(facts)
    for name, height in lanes.items():
        axes.plot([-0.3, end + 0.9], [height, height], color=LINE, linewidth=1, zorder=1)
        axes.text(-0.4, height, literal(name), ha="right", va="center", color=TEXT, fontsize=10)
    for index, fact in enumerate(facts):
        _arrow(axes, index, lanes[fact.subject], lanes[fact.object], fact.relation, BLUE, "-")
    given, answer = lanes[why.query.subject or str(why.query.object)], lanes[why.candidate]
    ends = (given, answer) if why.query.subject is not None else (answer, given)
    _arrow(axes, end, *ends, f"{why.query.relation}?", ORANGE, "--")
    axes.set_xticks(range(end + 1), [*(fact.time for fact in facts), str(why.query.at)], fontsize=9, color=TEXT)
    axes.get_xticklabels()[-1].set_color(ORANGE)
    axes.set_yticks([])
    axes.set_xlim(-0.4, end + 1)
    axes.set_ylim(0.5, len(lanes) + 0.5)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def _arrow(axes: Any, x: float, start: int, end: int, label: str, color: str, style: str) -> None:
    """An arrow between two lines with its label beside it, or, from an entity to itself, a loop above its line."""
    curve = "arc3" if start != end else "arc3,rad=-1.2"
    shift = 0.0 if start != end else 0.15
    axes.annotate(
        "",
        xy=(x + shift, end),
        xytext=(x - shift, start),
        arrowprops={"arrowstyle": "-|>", "color": color, "linestyle": style, "linewidth": 1.6, "shrinkA": 0,
                    "shrinkB": 0, "connectionstyle": curve},
    )  # fmt: skip
    axes.plot([x - shift], [start], "o", color=color, markersize=4, zorder=3)
    axes.text(
        x + shift + 0.07,
        # Between two lines: above a line that the middle of the arrow lies on.
        (start + end) // 2 + (0.5 if start != end else 0.1),
        "\n".join(map(literal, _label_lines(label))),
        ha="left",
        va="center" if start != end else "bottom",
        fontsize=8.5,
        color=color,
    )


def _label_lines(label: str) -> list[str]:
    return wrap(label.replace("_", " "), _LABEL_WIDTH)
