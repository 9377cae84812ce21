"""A plot of a model's rules: how probable what follows is, by the age of what went before."""

from os import PathLike
from typing import Any

from tlogic.analysis.plots.plot_style import plotting, with_thousands
from tlogic.errors import InputError
from tlogic.evidence.rule_kinds import Span
from tlogic.figures import BLUE, ORANGE, SLATE, literal
from tlogic.models.counted_rules import CountedRule, of_kind, unit_of
from tlogic.models.model import Model
from tlogic.rules.selection import check_relations, select_rules

MOST_RULES = 6
_COLORS = (BLUE, ORANGE, SLATE)
_STYLES = ("-", "--")
_LONGEST = 100


def plot_ages(
    model: Model, path: str | PathLike[str], *, head: str | None = None, kind: str = "rules", top: int = MOST_RULES
) -> None:
    """Draw the probability by age of a model's strongest rules, of one head relation or of all, to an SVG or PNG file.

    A point stands for a span of ages. Of chains, both facts of the body are that old.
    """
    chosen = _strongest(of_kind(model.rules, kind), head, top)
    with plotting(path, width=7.6, height=3.9 + 0.19 * len(chosen)) as figure:
        axes = figure.add_subplot()
        for place, rule in enumerate(chosen):
            _draw(axes, rule, _COLORS[place % len(_COLORS)], _STYLES[place // len(_COLORS) % len(_STYLES)])
        axes.set_xscale("log")
        axes.set_xticks(_ticks(chosen), minor=False)
        axes.minorticks_off()
        axes.xaxis.set_major_formatter(with_thousands)
        axes.set_ylim(0)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_xlabel(f"age of the body, {unit_of(model.data.get('step'))}")
        axes.set_ylabel("probability of the head")
        axes.set_title("Rules by age" if head is None else f"Rules for {literal(chosen[0].head)} by age")
        figure.legend(loc="outside lower left")


def _strongest(rules: list[CountedRule], head: str | None, top: int) -> list[CountedRule]:
    if head is not None:
        check_relations(rules, [head])
    with_curve = [rule for rule in select_rules(rules, head) if len(rule.by_age) > 1]
    if not with_curve:
        raise InputError("Found no rule that was counted at several ages; expected one or more to draw.")
    return with_curve[:top]


def _draw(axes: Any, rule: CountedRule, color: str, style: str) -> None:
    places = [_middle(span) for span, _ in rule.by_age]
    label = str(rule) if len(str(rule)) <= _LONGEST else f"{str(rule)[: _LONGEST - 1]}…"
    shares = [probability for _, probability in rule.by_age]
    axes.plot(places, shares, style, color=color, marker="o", markersize=3, label=literal(label), clip_on=False)


def _middle(span: Span) -> float:
    """Where a span of ages stands on a logarithmic axis; one without an end stands where it begins."""
    first, last = span
    return float(first) if last is None else (first * last) ** 0.5


def _ticks(rules: list[CountedRule]) -> list[int]:
    oldest = max(_middle(span) for rule in rules for span, _ in rule.by_age)
    return [age for age in (1, 2, 3, 5, 7, 14, 30, 60, 120, 365, 730) if age <= oldest]
